import path from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { runCli, type CliResult } from '../helpers/cli.js';
import { EXAMPLE_PLUGINS } from '../helpers/daemon.js';
import { makeOlder } from '../helpers/older-store.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

const PERSON = path.join(EXAMPLE_PLUGINS, 'person');

let cwd = '';
const xsvc = (line: string, env: Readonly<Record<string, string>> = {}): Promise<CliResult> =>
  runCli([...line.split(' '), '--plugins', PERSON, '--data-dir', 'data'], { cwd, env });

/** Writes a store as a version without the kinds of Kubernetes did. */
beforeEach(async () => {
  cwd = temporaryDirectory();
  const apply = `apply -f ${path.join(PERSON, 'extensions')}`;
  expect(await xsvc(apply, { XSVC_KUBERNETES: 'off' })).toMatchObject({ code: 0 });
});

it.each(['get namespaces', 'get ns,persons', 'get ns/default', 'describe ns default'])(
  'xsvc %s finds the kinds of Kubernetes in a store of an earlier version',
  async (line) => {
    const { code, out } = await xsvc(line);
    expect([code, out]).toEqual([0, expect.stringContaining('default')]);
  },
);

it('xsvc explain finds them too', async () => {
  expect((await xsvc('explain namespaces.spec')).out).toContain('finalizers');
});

it('xsvc get of an unknown resource says so', async () => {
  const { code, err } = await xsvc('get unknowns');
  expect([code, err]).toEqual([3, expect.stringContaining('no resource named "unknowns"')]);
});

it('without the kinds of Kubernetes there are no namespaces', async () => {
  const { code, err } = await xsvc('get namespaces', { XSVC_KUBERNETES: 'off' });
  expect([code, err]).toEqual([3, expect.stringContaining('no resource named "namespaces"')]);
});

it('xsvc get of namespaces in a store of an older format names the upgrade', async () => {
  await makeOlder(path.join(cwd, 'data'));
  const { code, err } = await xsvc('get namespaces');
  expect([code, err]).toEqual([6, expect.stringContaining('run `xsvc store upgrade`')]);
  expect(await xsvc('get persons')).toMatchObject({ code: 0 });
});
