import { expect, it } from 'vitest';
import { runCli } from '../helpers/cli.js';

it.each([
  ['ca.pem', '/home/ada/work/ca.pem'],
  ['../ca.pem', '/home/ada/ca.pem'],
  ['/etc/ca.pem', '/etc/ca.pem'],
])('a kubeconfig names the issuer file %s by its absolute path', async (issuer, file) => {
  const argv = ['kubeconfig', '--server', 'https://xsvc.example.com:8090', '--token', 'secret'];
  const env = { NODE_EXTRA_CA_CERTS: issuer };
  const { code, out } = await runCli(argv, { cwd: '/home/ada/work', env });
  expect(code).toBe(0);
  expect(out).toContain(`certificate-authority: ${file}\n`);
});
