import path from 'node:path';
import { beforeAll, afterAll, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { EXAMPLE_PLUGINS } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const PERSON = path.join(EXAMPLE_PLUGINS, 'person');
const cwd = temporaryDirectory();
const xsvc = (line: string): Promise<CliResult> => runCli(line.split(' '), { cwd });

beforeAll(async () => {
  await putFiles(cwd, { 'a.backup': 'a file' });
  const made = await xsvc(`apply -f ${PERSON}/extensions --plugins ${PERSON} --data-dir store`);
  expect(made).toMatchObject({ code: 0 });
});

// There, mkdir of Node.js with its option `recursive` never ends.
it.skipIf(process.platform !== 'linux').each([
  ['serve --port 0 --data-dir DIR', 6],
  [`apply -f ${PERSON}/extensions --plugins ${PERSON} --data-dir DIR`, 6],
  [`import -f ${PERSON}/extensions --plugins ${PERSON} --data-dir DIR`, 6],
  ['backup DIR/b.backup --data-dir store', 6],
  ['restore a.backup --data-dir DIR', 6],
  ['store copy --from lmdb:store --to lmdb:DIR', 1],
  [`export persons --output-dir DIR --data-dir store`, 1],
  ['init DIR', 1],
  ['plugin init shop --dir DIR', 1],
  ['envtest --assets DIR', 2],
])('xsvc %s ends with what cannot be created', async (line, exit) => {
  const { code, out, err } = await xsvc(line.replaceAll('DIR', '/proc/xsvc/data'));
  expect([code, out]).toEqual([exit, '']);
  expect(err).toMatch(/cannot create the directory \/proc\/xsvc: ENOENT.*; choose another directory\n$/);
});

it.skipIf(process.platform !== 'linux')(
  'xsvc config names a file whose directory cannot be created',
  async () => {
    const line = 'config set-context here --server http://127.0.0.1:1';
    const env = { XSVC_CONFIG: '/proc/xsvc/config.yaml' };
    const { code, err } = await runCli(line.split(' '), { cwd, env });
    expect(code).toBe(2);
    expect(err).toMatch(/cannot create the directory \/proc\/xsvc: ENOENT/);
  },
);
