import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli, type CliResult } from '../helpers/cli.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

let cwd = '';
const xsvc = (line: string, kinds = 'full'): Promise<CliResult> =>
  runCli([...line.split(' '), '--data-dir', 'data'], { cwd, env: { XSVC_KUBERNETES: kinds } });

beforeAll(async () => {
  cwd = temporaryDirectory();
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [] } };
  writeFileSync(path.join(cwd, 'pod.json'), JSON.stringify(pod));
  expect(await xsvc('apply -f pod.json')).toMatchObject({ code: 0 });
});
afterAll(removeDirectories);

it('xsvc api-resources marks inert kinds, and says what that means', async () => {
  const { out, err } = await xsvc('api-resources');
  expect(out).toMatch(/^pods +po +v1 +true +Pod \(inert\)$/m);
  expect(out).toMatch(/^configmaps +cm +v1 +true +ConfigMap$/m);
  expect(err).toContain('nothing acts on them');
  const { resources } = JSON.parse((await xsvc('api-resources -o json')).out) as {
    resources: { name: string; inert?: boolean }[];
  };
  expect(resources.find(({ name }) => name === 'deployments')?.inert).toBe(true);
  expect(resources.find(({ name }) => name === 'roles')).not.toHaveProperty('inert');
});

it('xsvc explain knows their fields without a daemon', async () => {
  expect((await xsvc('explain pods.spec.containers')).out).toContain('image');
});

it('a wrong value of the setting is refused with the possible ones', async () => {
  const { code, err } = await xsvc('apply -f pod.json', 'some');
  expect([code, err]).toEqual([2, expect.stringContaining('on, full, off')]);
});
