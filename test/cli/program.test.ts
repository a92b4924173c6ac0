import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyAtOnce, applyEach, type ApplyOutcome } from '../../src/cli/apply/execute.js';
import { readManifests } from '../../src/cli/input/manifests.js';
import { run } from '../../src/cli/program.js';
import type { Verbs } from '../../src/service/verbs.js';
import { person, PERSON_REF, startTestServer, type TestServer } from '../helpers/http.js';
import { testIo } from './helpers.js';

let server: TestServer;
let cwd = '';

beforeAll(async () => {
  server = await startTestServer();
  cwd = await mkdtemp(path.join(tmpdir(), 'xsvc-cli-'));
});

beforeEach(() => server.clear());

afterAll(async () => {
  await server.close();
  await rm(cwd, { recursive: true, force: true });
});

async function xsvc(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = testIo({ cwd, env: { XSVC_SERVER: server.url } });
  const code = await run(argv, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

function manifest(name: string, spec = `name: ${name}`): string {
  return `apiVersion: demo.example.com/v1alpha1\nkind: Person\nmetadata:\n  name: ${name}\nspec:\n  ${spec}\n`;
}

async function put(file: string, ...documents: string[]): Promise<void> {
  await writeFile(path.join(cwd, file), documents.join('---\n'));
}

describe('usage', () => {
  it.each([['--version'], ['-V'], ['get', 'persons', '--version'], ['-V', 'get'], ['model', 'list', '-V']])(
    '%s %s %s prints the version of the program',
    async (...argv) => {
      const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string };
      expect(await xsvc(...argv)).toEqual({ code: 0, out: `xsvc ${version}\n`, err: '' });
    },
  );

  it('the help of serve has its flags in groups', async () => {
    const { out } = await xsvc('serve', '--help');
    const [own = ''] = out.split('\nGlobal Options:');
    const [, others = ''] = own.split('\nOptions:\n');
    expect(own).toContain('\nAddress and connections:\n  --host <address>');
    expect(others.trim()).toMatch(/^-h, --help +display help for command$/);
  });

  it.each([
    [['gte', 'persons'], 'Did you mean get?'],
    [['get', 'persons', '--selectr', 'a=b'], 'Did you mean --selector?'],
    [['describe'], "missing required argument 'resource'"],
    [['describe'], "Run 'xsvc describe --help' for usage"],
    [['get'], 'get needs a resource, such as persons, or -f with a file'],
    [['model', 'plans'], "Run 'xsvc model --help' for usage"],
    [['--nonsense'], "Run 'xsvc --help' for usage"],
    [['get', 'persons', '-o', 'xml'], 'Allowed choices are table'],
    [['get', 'persons', '--page', '0'], 'It must be an integer from 1'],
    [['get', 'persons', 'ann', '-l', 'a=b'], 'names cannot be combined with selectors'],
    [['get', 'persons/ann', 'bob'], 'not of the form'],
    [['list', 'persons', 'ann'], 'too many arguments'],
    [['delete', 'persons'], 'delete needs names'],
    [['apply'], 'apply needs -f'],
    [['apply', '-f', 'missing.yaml'], 'does not exist'],
    [['serve', '--host', '0.0.0.0'], '--insecure'],
    [['get', 'persons', '--server', 'x', '--data-dir', 'y'], 'exclude each other'],
    [['get', 'persons', '--server', 'x', '--store', 'lmdb:y'], 'exclude each other'],
    [
      ['get', 'persons', '--store', 'postgres://u@127.0.0.1/db'],
      'only daemons open a shared store; name one with --server',
    ],
    [['get', 'persons', '--server', '127.0.0.1:8090'], 'is not the URL of a server'],
    [['version', '--config', 'none.yaml', 'extra'], 'too many arguments'],
  ])('%j is a usage error', async (argv, message) => {
    const { code, err, out } = await xsvc(...argv);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(out).toBe('');
  });

  it('shows help with examples on stdout', async () => {
    for (const command of ['serve', 'apply', 'get', 'list', 'delete', 'check', 'version']) {
      const { code, out } = await xsvc(command, '--help');
      expect(code).toBe(0);
      expect(out).toContain(`Examples:\n  xsvc ${command}`);
      expect(out).toContain('--data-dir');
    }
  });
});

describe('get', () => {
  it('prints those that are there and names each that is not', async () => {
    await server.service.create(PERSON_REF, person('ann'));
    const { code, out, err } = await xsvc('get', 'persons', 'zoe', 'ann', 'zed', '-o', 'name');
    expect(code).toBe(3);
    expect(out).toBe('persons/ann\n');
    expect(err).toContain('"zoe" not found');
    expect(err).toContain('"zed" not found');
  });

  it('prints one object as itself and a list as the page answer', async () => {
    await server.service.create(PERSON_REF, person('ann'));
    const one = await xsvc('get', 'person/ann', '-o', 'json');
    expect(JSON.parse(one.out)).toMatchObject({ kind: 'Person', metadata: { name: 'ann' } });
    const list = await xsvc('list', 'persons', '-o', 'json');
    expect(JSON.parse(list.out)).toMatchObject({ kind: 'PersonList', total: 1, items: [{ kind: 'Person' }] });
  });

  it('reports the page on stderr', async () => {
    for (const name of ['a', 'b', 'c']) await server.service.create(PERSON_REF, person(name));
    const { out, err } = await xsvc('get', 'persons', '--size', '2', '--page', '2', '-o', 'name');
    expect(out).toBe('persons/c\n');
    expect(err).toBe('page 2 of 2, 3 in all\n');
  });

  it('has colours on a terminal, unless NO_COLOR is set', async () => {
    await server.service.create(PERSON_REF, person('ann'));
    const onTerminal = async (env: Record<string, string>): Promise<string> => {
      const io = testIo({ cwd, env, columns: 100 });
      await run(['get', 'persons', '--server', server.url], io);
      return io.stdout.text;
    };
    expect(await onTerminal({})).toContain('\u001b[1mNAME');
    expect(await onTerminal({ NO_COLOR: '1' })).toMatch(/^NAME/);
  });

  it('exits with 3 for an unknown resource and with 6 for a server or a store that is not there', async () => {
    expect((await xsvc('get', 'prsons')).code).toBe(3);
    expect((await xsvc('get', 'persons', '--server', 'http://127.0.0.1:1')).code).toBe(6);
    expect((await xsvc('get', 'persons', '--data-dir', 'no-store')).code).toBe(6);
    expect((await xsvc('check', '--data-dir', 'no-store')).code).toBe(6);
    expect(await readdir(cwd)).not.toContain('no-store');
  });
});

describe('apply', () => {
  it('creates, then finds nothing to do, then changes only the fields in the file', async () => {
    await put('a.yaml', manifest('ann'), manifest('bob'));
    expect(await xsvc('apply', '-f', 'a.yaml')).toMatchObject({
      code: 0,
      out: 'persons/ann created\npersons/bob created\n',
    });
    expect((await xsvc('apply', '-f', 'a.yaml')).out).toBe('persons/ann unchanged\npersons/bob unchanged\n');
    await server.service.patch(PERSON_REF, 'ann', { spec: { age: 5 } }, 'merge');
    await put('a.yaml', manifest('ann', 'name: Ann'));
    expect((await xsvc('apply', '-f', 'a.yaml')).out).toBe('persons/ann configured\n');
    expect((await server.service.get(PERSON_REF, 'ann')).spec).toMatchObject({ name: 'Ann', age: 5 });
  });

  it('writes nothing on a dry run', async () => {
    await put('a.yaml', manifest('ann'));
    expect((await xsvc('apply', '-f', 'a.yaml', '--dry-run')).out).toBe('persons/ann created (dry run)\n');
    expect(await server.service.count(PERSON_REF)).toBe(0);
  });

  it('goes on after a failure when it is not atomic, and prints each with its line', async () => {
    await put('a.yaml', manifest('ann', 'age: 1'), manifest('bob'), manifest('cy', 'name: C\n  nmae: D'));
    const { code, out, err } = await xsvc('apply', '-f', 'a.yaml', '--no-atomic');
    expect(code).toBe(5);
    expect(out).toBe('persons/bob created\n');
    expect(err).toContain('a.yaml:5: spec.name');
    expect(err).toContain('a.yaml:21: spec.nmae unknown field, did you mean "name"?');
  });

  it('writes nothing of an atomic one that fails, and still prints every failure', async () => {
    await put('a.yaml', manifest('ann', 'age: 1'), manifest('bob'), manifest('cy', 'name: C\n  nmae: D'));
    const { code, out, err } = await xsvc('apply', '-f', 'a.yaml');
    expect(code).toBe(5);
    expect(out).toBe('');
    expect(err).toContain('a.yaml:5: spec.name');
    expect(err).toContain('a.yaml:21: spec.nmae');
    expect(await server.service.count(PERSON_REF)).toBe(0);
  });

  it('writes nothing when any document cannot be read', async () => {
    await put('a.yaml', manifest('ann'), 'kind: [\n', manifest('ann'));
    const { code, err } = await xsvc('apply', '-f', 'a.yaml');
    expect(code).toBe(5);
    expect(err).toContain('also at a.yaml:1');
    expect(await server.service.count(PERSON_REF)).toBe(0);
  });
});

describe('applying while others write', () => {
  /** Verbs whose first writes meet an object that somebody changed after it was read. */
  function disturbed(times: number): Verbs {
    const { service } = server;
    let left = times;
    return new Proxy<Verbs>(service, {
      get(target, key) {
        if (key !== 'getMany') {
          const member: unknown = Reflect.get(target, key);
          return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        }
        return async (...args: Parameters<Verbs['getMany']>) => {
          const read = await target.getMany(...args);
          if (left-- > 0) await target.patch(PERSON_REF, 'ann', { spec: { age: left + 10 } }, 'merge');
          return read;
        };
      },
    });
  }

  async function outcomes(verbs: Verbs, atomic: boolean): Promise<ApplyOutcome[]> {
    await put('race.yaml', manifest('ann', 'name: New'));
    const options = {
      resources: await server.service.resources(),
      scope: { namespace: 'default', isGiven: false },
    };
    const { manifests } = await readManifests(testIo({ cwd }), { filename: ['race.yaml'] }, options);
    if (atomic) return applyAtOnce(verbs, manifests, {});
    const all: ApplyOutcome[] = [];
    for await (const outcome of applyEach(verbs, manifests, {})) all.push(outcome);
    return all;
  }

  beforeEach(() => server.service.create(PERSON_REF, person('ann')));

  it.each([true, false])('compares again after a conflict (atomic: %s)', async (atomic) => {
    expect(await outcomes(disturbed(3), atomic)).toMatchObject([{ verb: 'configured' }]);
    expect((await server.service.get(PERSON_REF, 'ann')).spec).toMatchObject({ name: 'New' });
  });

  it.each([true, false])('gives up after some attempts (atomic: %s)', async (atomic) => {
    expect(await outcomes(disturbed(100), atomic)).toMatchObject([{ error: { code: 'Conflict' } }]);
  });
});

describe('delete', () => {
  it('reports if an object is gone or waits for finalizers', async () => {
    await server.service.create(PERSON_REF, person('ann'));
    await server.service.create(PERSON_REF, person('bob', {}, { finalizers: ['a', 'b'] }));
    const { code, out, err } = await xsvc('delete', 'persons', 'ann', 'bob', 'zoe');
    expect(code).toBe(3);
    expect(out).toBe('persons/ann deleted\npersons/bob marked for deletion, waiting for finalizers: a, b\n');
    expect(err).toContain('"zoe" not found');
  });

  it('deletes the objects of a selector or a file', async () => {
    for (const name of ['ann', 'bob']) await server.service.create(PERSON_REF, person(name));
    await put('a.yaml', manifest('ann'));
    expect((await xsvc('delete', '-f', 'a.yaml', '--dry-run')).out).toBe('persons/ann deleted (dry run)\n');
    expect((await xsvc('delete', '-f', 'a.yaml')).out).toBe('persons/ann deleted\n');
    expect((await xsvc('delete', 'persons', '--field-selector', 'name=bob')).out).toBe(
      'persons/bob deleted\n',
    );
    expect(await server.service.count(PERSON_REF)).toBe(0);
  });
});

describe('version', () => {
  it('prints that of the server too', async () => {
    expect((await xsvc('version')).out).toMatch(/^xsvc \d+\.\d+\.\d+\nserver \d+\.\d+\.\d+ \(http:/);
  });
});
