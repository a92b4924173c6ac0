import { spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWriter } from '../../../src/daemon/offline/plugin-store.js';
import { openRemote } from '../../../src/client/http-verbs.js';
import { readConfig } from '../../../src/config.js';
import { ServiceError } from '../../../src/errors.js';
import { SILENT } from '../../../src/lib/log/logger.js';
import type { Verbs } from '../../../src/service/verbs.js';
import { putFiles, runCli, withoutVolatile, type CliResult } from '../../helpers/cli.js';
import {
  EXAMPLE_PLUGINS,
  FIXTURE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSON_REF } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';
import { CLI_CASES } from '../../suites/cli-cases.js';
import { manifest, TWINS_PLUGIN, type CliStep, type Expected } from '../../suites/cli-fixtures.js';

const PROGRAM = new URL('../../../bin/xsvc.js', import.meta.url).pathname;

let plugins = '';
/** A store that knows the models and holds no object. */
let emptyStore = '';
let daemon: DaemonProcess;
let daemonStore = '';

beforeAll(async () => {
  const directory = temporaryDirectory();
  plugins = path.join(directory, 'plugins');
  await putFiles(path.join(plugins, 'twins'), TWINS_PLUGIN);
  symlinkSync(path.join(EXAMPLE_PLUGINS, 'person'), path.join(plugins, 'person'));
  emptyStore = path.join(directory, 'empty');
  await (await openStore(emptyStore)).close();
  daemonStore = path.join(directory, 'served');
  daemon = await startDaemonProcess({ dataDir: daemonStore, plugins: [plugins] });
});

afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

function openStore(dataDir: string): Promise<Verbs> {
  return openWriter(readConfig({ flags: { dataDir, plugins: [plugins] }, env: {}, cwd: '/' }), SILENT);
}

/** One way from a command line to the objects. */
interface Door {
  readonly kind: 'store' | 'http';
  /** Begins a case: no person is there. */
  open(cwd: string): Promise<{ readonly verbs: Verbs; readonly flags: readonly string[] }>;
}

const STORE: Door = {
  kind: 'store',
  async open(cwd) {
    const dataDir = path.join(cwd, 'store');
    cpSync(emptyStore, dataDir, { recursive: true });
    return { verbs: await openStore(dataDir), flags: ['--data-dir', dataDir, '--plugins', plugins] };
  },
};

const HTTP: Door = {
  kind: 'http',
  async open() {
    const verbs = openRemote(daemon.url);
    await clear(verbs);
    return { verbs, flags: ['--server', daemon.url] };
  },
};

async function clear(verbs: Verbs): Promise<void> {
  for await (const { metadata } of verbs.listAll(PERSON_REF)) {
    const unheld = { metadata: { finalizers: null } };
    if (metadata.finalizers !== undefined)
      await verbs.patch(PERSON_REF, metadata.name, unheld, 'merge').catch(ignoreAbsence);
    await verbs.delete(PERSON_REF, metadata.name).catch(ignoreAbsence);
  }
}

/** An object goes with its owner, or with its last finalizer. */
function ignoreAbsence(error: unknown): void {
  if (!(error instanceof ServiceError && error.code === 'NotFound')) throw error;
}

function check(text: string, expected: Expected | undefined, what: string): void {
  if (expected === undefined) return;
  if (typeof expected === 'string') expect(text, what).toBe(expected);
  else for (const pattern of [expected].flat()) expect(text, what).toMatch(pattern);
}

function checkStep(step: CliStep, { code, out, err }: CliResult): void {
  const what = `${[step.argv].flat().join(' ')}\n${out}${err}`;
  const expectedCode = step.code ?? 0;
  expect(code, what).toBe(expectedCode);
  check(withoutVolatile(out), step.out, what);
  check(err, step.err ?? (expectedCode === 0 ? '' : undefined), what);
  if (step.json !== undefined) expect(JSON.parse(out), what).toMatchObject(step.json);
}

describe.each([STORE, HTTP])('the command line, door $kind', (door) => {
  const cases = CLI_CASES.filter(({ only = door.kind }) => only === door.kind);
  it.each(cases)('$title', async ({ files = {}, given = [], before, steps }) => {
    const cwd = temporaryDirectory();
    await putFiles(cwd, files);
    const { verbs, flags } = await door.open(cwd);
    if (given.length > 0)
      await verbs.batch(given.map((object) => ({ verb: 'create', resource: PERSON_REF, object })));
    await before?.(verbs);
    await verbs.close();
    for (const step of steps) {
      const argv = typeof step.argv === 'string' ? step.argv.split(' ') : step.argv;
      const { stdin, env } = step;
      const world = { cwd, ...(stdin === undefined ? {} : { stdin }), ...(env === undefined ? {} : { env }) };
      checkStep(step, await runCli(argv.length === 0 ? [] : [...argv, ...flags], world));
    }
  });
});

describe('the program', () => {
  /** Runs the program as a separate process. */
  function xsvc(argv: readonly string[], { cwd = plugins, stdin = '', env = {} } = {}): Promise<CliResult> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [PROGRAM, ...argv], {
        cwd,
        env: { PATH: process.env.PATH, ...env },
      });
      const result = { out: '', err: '' };
      child.stdout.on('data', (part) => (result.out += String(part)));
      child.stderr.on('data', (part) => (result.err += String(part)));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code: code ?? -1, ...result }));
      child.stdin.end(stdin);
    });
  }

  it.each(['--server', '--data-dir'])('reads standard input and prints with %s', async (flag) => {
    await clear(openRemote(daemon.url));
    const door = flag === '--server' ? [flag, daemon.url] : [flag, daemonStore, '--plugins', plugins];
    const applied = await xsvc(['apply', '-f', '-', ...door], { stdin: manifest('ann') });
    expect(applied).toEqual({ code: 0, out: 'persons/ann created\n', err: '' });
    const got = await xsvc(['get', 'persons', ...door]);
    expect(withoutVolatile(got.out)).toBe(
      'NAME   FULL NAME   YEARS    AGE\nann    ann         <none>   AGE\n',
    );
    expect(got).toMatchObject({ code: 0, err: '' });
  });

  it('takes server and store from the environment', async () => {
    await clear(openRemote(daemon.url));
    for (const env of [{ XSVC_SERVER: daemon.url }, { XSVC_DATA_DIR: daemonStore }])
      expect(await xsvc(['get', 'persons'], { env })).toEqual({
        code: 0,
        out: '',
        err: 'no persons found\n',
      });
  });

  it('ends with the exit code of what went wrong', async () => {
    const codes = await Promise.all(
      [
        [
          'serve',
          '--strict',
          '--port',
          '0',
          '--data-dir',
          'strict',
          '--plugins',
          `${FIXTURE_PLUGINS}/throwing-start`,
        ],
        ['serve', '--host', '0.0.0.0'],
        ['get', 'persons', 'nobody', '--server', daemon.url],
        ['get', 'persons', '--server', 'http://127.0.0.1:1'],
      ].map(async (argv) => (await xsvc(argv, { cwd: temporaryDirectory() })).code),
    );
    expect(codes).toEqual([1, 2, 3, 6]);
  });
});

describe('a store that a daemon serves', () => {
  const store = (): string[] => ['--data-dir', daemonStore, '--plugins', plugins];
  const server = (): string[] => ['--server', daemon.url];

  it('shows writes of the command line to the daemon, and the other way round', async () => {
    const cwd = temporaryDirectory();
    await putFiles(cwd, { 'a.yaml': manifest('ann', 'name: Ann', 'age: 1') });
    await clear(openRemote(daemon.url));
    expect((await runCli(['apply', '-f', 'a.yaml', ...store()], { cwd })).code).toBe(0);
    const selected = ['get', 'persons', '--field-selector', 'spec.age=1', '-o', 'name'];
    expect((await runCli([...selected, ...server()], { cwd })).out).toBe('persons/ann\n');
    await openRemote(daemon.url).patch(PERSON_REF, 'ann', { spec: { age: 2 } }, 'merge');
    expect((await runCli([...selected, ...store()], { cwd })).out).toBe('');
    expect((await runCli(['apply', '-f', 'a.yaml', ...server()], { cwd })).out).toBe(
      'persons/ann configured\n',
    );
    expect((await runCli([...selected, ...store()], { cwd })).out).toBe('persons/ann\n');
    expect((await runCli(['delete', 'person', 'ann', ...store()], { cwd })).out).toBe(
      'persons/ann deleted\n',
    );
    expect((await runCli([...selected, ...server()], { cwd })).out).toBe('');
    expect((await runCli(['check', ...store()], { cwd })).code).toBe(0);
  });
});

describe('a store that is not there', () => {
  it.each([['get', 'persons'], ['list', 'persons'], ['get', 'persons', 'ann', '-o', 'json'], ['check']])(
    'is unavailable for %s %s, and is not made',
    async (...argv) => {
      const cwd = temporaryDirectory();
      const { code, out, err } = await runCli([...argv, '--data-dir', 'nowhere'], { cwd });
      expect({ code, out }).toEqual({ code: 6, out: '' });
      expect(err).toMatch(/^error: .*nowhere/);
      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it.each([
    [0, 'create -f -'],
    [0, 'apply -f -'],
    [0, 'import -f -'],
    [3, 'patch persons ann -p {}'],
    [3, 'label persons ann a=b'],
    [3, 'delete persons ann'],
  ])('is not made by a dry run, which exits with %i: %s', async (code, line) => {
    const cwd = temporaryDirectory();
    const argv = [...line.split(' '), '--dry-run', '--data-dir', 'nowhere', '--plugins', plugins];
    expect(await runCli(argv, { cwd, stdin: manifest('ann') })).toMatchObject({ code });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('is unavailable for labels that are only listed', async () => {
    const cwd = temporaryDirectory();
    const argv = ['label', 'persons', 'ann', '--list', '--data-dir', 'nowhere', '--plugins', plugins];
    expect(await runCli(argv, { cwd })).toMatchObject({ code: 6, out: '' });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('is made by the first write', async () => {
    const cwd = temporaryDirectory();
    const argv = ['apply', '-f', '-', '--data-dir', 'new', '--plugins', plugins];
    expect(await runCli(argv, { cwd, stdin: manifest('ann') })).toMatchObject({ code: 0 });
    expect(existsSync(path.join(cwd, 'new'))).toBe(true);
  });
});
