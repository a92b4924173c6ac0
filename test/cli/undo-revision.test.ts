import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run as runCommand } from '../../src/cli/program.js';
import { runCli, type CliResult } from '../helpers/cli.js';
import { EXAMPLE_PLUGINS } from '../helpers/daemon.js';
import { person, PERSON_REF, startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { manifest } from '../suites/cli-fixtures.js';
import { testIo } from './helpers.js';

let server: TestServer;
/** Of the commit that deletes one person and creates another. */
let revision = '';
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  await server.clear();
  await server.service.create(PERSON_REF, person('old', { age: 1 }));
  const { resourceVersion } = await server.service.batch([
    { verb: 'delete', resource: PERSON_REF, name: 'old' },
    { verb: 'create', resource: PERSON_REF, object: person('new') },
  ]);
  revision = resourceVersion;
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

const undo = (...flags: readonly string[]): Promise<CliResult> =>
  runCli(['undo', ...flags], { cwd: '/', env: { XSVC_SERVER: server.url } });
const names = (): Promise<string[]> => server.service.listNames(PERSON_REF);

describe('undo --revision', () => {
  it('prints what it changes, and takes the commit back', async () => {
    const planned = await undo('--revision', revision, '--dry-run');
    expect(planned).toMatchObject({ code: 0 });
    expect(planned.out).toMatch(
      /^NAMESPACE +VERB +OBJECT +NOTE\n<none> +create +persons\/old\n<none> +delete +persons\/new\n$/,
    );
    expect(await names()).toEqual(['new']);
    const { code, out } = await undo('--revision', revision, '--yes');
    expect([code, out]).toEqual([0, expect.stringMatching(/undone: 2 objects in revision \d+\n$/)]);
    expect(await names()).toEqual(['old']);
  });

  it.each([100, 101])('of %i objects needs a yes without a terminal only above 100', async (count) => {
    const items = Array.from({ length: count }, (_, i) => ({
      verb: 'create' as const,
      resource: PERSON_REF,
      object: person(`p-${i}`),
    }));
    const { resourceVersion } = await server.service.batch(items);
    const { code, err } = await undo('--revision', resourceVersion);
    if (count === 100) expect([code, err]).toEqual([0, '']);
    else expect([code, err]).toEqual([2, expect.stringMatching(/101 objects[^]*--yes/)]);
    expect(await names()).toHaveLength(count === 100 ? 1 : 102);
  });

  it.each([
    ['y', 0],
    ['n', 1],
  ])('asks on a terminal, and the answer %s ends with %i', async (answer, code) => {
    const stdin = (async function* () {
      yield `${answer}\n`;
    })();
    const io = { ...testIo({ columns: 80, env: { XSVC_SERVER: server.url }, stdin }), stdinIsTTY: true };
    expect(await runCommand(['undo', '--revision', revision], io)).toBe(code);
    expect(io.stderr.text).toContain('which changes 2 objects? [y/N]');
    expect(await names()).toEqual(code === 0 ? ['old'] : ['new']);
  });

  it('exits with 4 and the name of an object that was changed later, unless forced', async () => {
    await server.service.create(PERSON_REF, person('old', { age: 2 }));
    const { code, err } = await undo('--revision', revision, '--yes');
    expect([code, err]).toEqual([4, expect.stringContaining('Person "old"')]);
    const forced = await undo('--revision', revision, '--yes', '--force');
    expect([forced.code, forced.out]).toEqual([0, expect.stringContaining('overwrites later changes')]);
    expect((await server.service.get(PERSON_REF, 'old')).spec).toMatchObject({ age: 1 });
  });

  it.each([
    [['--revision', 'x'], 5],
    [['--revision', '99999999'], 5],
    [['persons', 'old', '--revision', '1'], 2],
    [['--revision', '1', '--since', '1h'], 2],
    [['--revision', '1', '--to', '1'], 2],
    [['--revision', '1', '--user', 'ci'], 2],
    [['--revision', '1', '-l', 'a=b'], 2],
    [['--revision', '1', '-o', 'yaml'], 2],
  ])('%j exits with %i', async (flags, code) => {
    expect((await undo(...flags, '--yes')).code).toBe(code);
  });

  it('works on a store without a service', async () => {
    const dataDir = temporaryDirectory();
    const file = path.join(dataDir, 'person.yaml');
    writeFileSync(file, manifest('sue'));
    const on = ['--data-dir', path.join(dataDir, 'data'), '--plugins', path.join(EXAMPLE_PLUGINS, 'person')];
    const run = (...argv: readonly string[]): Promise<CliResult> =>
      runCli([...argv, ...on], { cwd: dataDir });
    expect((await run('apply', '-f', file)).code).toBe(0);
    const { out } = await run('get', 'persons', 'sue', '-o', 'jsonpath={.metadata.resourceVersion}');
    expect((await run('delete', 'persons', 'sue')).code).toBe(0);
    const deleted = String(Number(out) + 1);
    expect(await run('undo', '--revision', deleted, '--yes')).toMatchObject({ code: 0 });
    const again = await run('get', 'persons', 'sue', '-o', 'name');
    expect(again).toMatchObject({ code: 0, out: 'persons/sue\n' });
  });
});
