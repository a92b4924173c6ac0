import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli, type CliResult } from '../helpers/cli.js';
import { killDaemons, PROGRAM, runProgram, startDaemonProcess } from '../helpers/daemon.js';
import { BEFORE, FIRST, putDesk, RENAMED, tickets } from '../helpers/desk.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const OBJECTS = 150;

/** A store of tickets of the first version, with its plugin. */
let template = '';
let cwd = '';
let flags: readonly string[] = [];

const run = (line: string, env: Readonly<Record<string, string>> = {}): Promise<CliResult> =>
  runCli([...line.split(' '), ...flags], { cwd, env });

function enter(directory: string): void {
  cwd = directory;
  flags = ['--data-dir', path.join(directory, '.xsvc')];
}

beforeAll(async () => {
  template = temporaryDirectory();
  enter(template);
  await putDesk(cwd, BEFORE);
  writeFileSync(path.join(cwd, 'tickets.ndjson'), `${tickets(OBJECTS, (i) => ({ subject: `s${i}` }))}\n`);
  expect((await run('import -f tickets.ndjson')).code).toBe(0);
});

beforeEach(() => {
  enter(temporaryDirectory());
  cpSync(template, cwd, { recursive: true });
});

afterAll(() => {
  killDaemons();
  removeDirectories();
});

/** A migration whose process ends while it writes: the check before it goes through all objects once. */
const ENDS = `{ id: '2026-11-title', up: (t) => {
  globalThis.calls = (globalThis.calls ?? 0) + 1;
  if (process.env.ENDS_MIGRATION && globalThis.calls > ${OBJECTS + 100}) process.reallyExit(9);
  return { ...t, spec: { ...t.spec, count: 1 } };
} }`;
const BY_TITLE = `specs.add(IndexSpecs.single('spec.title', 'string').indexFunc((t) => t.spec.title));`;
const BY_CHANNEL = `specs.add(IndexSpecs.single('spec.channel', 'string').indexFunc((t) => t.spec.channel));`;

async function interrupt(): Promise<void> {
  process.env.ENDS_MIGRATION = 'yes';
  try {
    const ended = await runProgram(['model', 'migrate', ...flags, '--plugins', path.join(cwd, 'plugins')]);
    expect(ended.code, ended.stderr).toBe(9);
  } finally {
    delete process.env.ENDS_MIGRATION;
  }
}

describe('after a migration whose process has ended', () => {
  const MESSAGE =
    'the migration "2026-11-title" of Ticket did not finish; run `xsvc model migrate Ticket`, or start the service\n';

  it('commands name it and the command to run, when its indexes are not built', async () => {
    const options = RENAMED.options.replace(/}$/, `, migrations: [${ENDS}] }`);
    await putDesk(cwd, { ...RENAMED, indexes: BY_TITLE, options });
    await interrupt();
    for (const line of ['get tickets', 'label ticket t-1 a=b', 'get tickets -o json'])
      expect(await run(line)).toEqual({ code: 6, out: '', err: `error: ${MESSAGE}` });
    expect(await run('model list')).toMatchObject({ code: 0, err: `warning: ${MESSAGE}` });
    const { items } = JSON.parse((await run('model list -o json')).out) as { items: { kind: string }[] };
    expect(items.find(({ kind }) => kind === 'Ticket')).toMatchObject({
      migrations: [],
      outstanding: ['2026-11-title'],
    });
    expect((await run('model migrate Ticket')).code).toBe(0);
    expect(await run('get ticket t-1 -o jsonpath={.spec.count}')).toEqual({ code: 0, out: '1', err: '' });
    expect((await run('model list')).err).toBe('');
  });

  it('reads that are possible warn that some objects have their old form', async () => {
    await putDesk(cwd, { ...BEFORE, options: `{ migrations: [${ENDS}] }` });
    await interrupt();
    const listed = await run('get tickets -o name');
    expect(listed).toMatchObject({ code: 0, err: `warning: ${MESSAGE}` });
    expect(listed.out.split('\n')).toHaveLength(OBJECTS + 1);
    expect(await run('get ticket t-1 -o name')).toMatchObject({ code: 0, err: `warning: ${MESSAGE}` });
    expect((await run('label ticket t-1 a=b')).err).toMatch(/xsvc model migrate Ticket/);
    expect((await run('model migrate')).code).toBe(0);
    expect(await run('get tickets -o name')).toMatchObject({ code: 0, err: '' });
  });
});

describe('XSVC_SERVER', () => {
  const env = { XSVC_SERVER: 'http://127.0.0.1:1' };

  it.each([
    ['model list', 0],
    ['model plan', 0],
    ['model migrate', 0],
    ['reindex', 0],
    ['restore nothing', 3],
    ['plugin uninstall nothing --keep', 3],
  ])('is named on stderr by a command that does not use it: %s', async (line, code) => {
    const answer = await runCli(line.split(' '), { cwd, env });
    expect(answer.code).toBe(code);
    const command = line.replace(/ (nothing|--keep)/g, '');
    expect(answer.err.split('\n')[0]).toBe(
      `XSVC_SERVER is not used: ${command} works on the store in ${path.join(cwd, '.xsvc')}`,
    );
  });

  it('is not named when a flag names the store, nor when it is empty', async () => {
    expect(await run('model list', env)).toMatchObject({ code: 0, err: '' });
    const empty = await runCli(['model', 'list'], { cwd, env: { XSVC_SERVER: '' } });
    expect(empty).toMatchObject({ code: 0, err: '' });
  });
});

describe('model list beside a daemon', () => {
  it('shows what the daemon declares, and not what the plugins here declare', async () => {
    const here = path.join(cwd, 'plugins');
    const spec = { ...FIRST, properties: { ...FIRST.properties, channel: { type: 'string', maxLength: 3 } } };
    await putDesk(cwd, { ...BEFORE, spec, indexes: BY_CHANNEL });
    const daemon = await startDaemonProcess({ dataDir: path.join(cwd, '.xsvc'), plugins: [here] });
    // Here, all tickets would be invalid.
    await putDesk(cwd, { ...RENAMED, options: 'undefined' });
    const row = /^desk\.example\.com +Ticket +v1alpha1 +v1alpha1=150 +desk +150 +0$/m;
    const listed = await run('model list');
    expect(listed.out).toMatch(row);
    expect(listed.err).toMatch(
      /^warning: process \d+ on \S+ serves Ticket with another declaration than the plugins here; its declaration is listed\n$/,
    );
    expect((await run(`model list --plugins ${temporaryDirectory()}`)).out).toMatch(row);
    await daemon.stop();
    expect((await run('model list')).out).toMatch(/Ticket +v1 +v1alpha1=150 +desk +150 +150$/m);
  });
});

describe('check --schema', () => {
  it('exits with 6 when objects could not be checked, and does not say that all are valid', async () => {
    const unloaded = `check --schema --plugins ${temporaryDirectory()}`;
    const { code, err } = await run(unloaded);
    expect(code).toBe(6);
    // The other models are those of the service.
    expect(err.replace(/\d+ objects of \d+ models/, 'all objects of all models')).toBe(
      'the store is consistent: all objects of all models\n' +
        'Ticket was not checked (150 objects): the plugin that declares it is not loaded\n' +
        'all objects of the checked models are valid; 1 model could not be checked\n',
    );
    expect((await run('check --plugins nowhere')).code).not.toBe(6);
  });

  it('exits with 0 when all objects were checked, and with 1 when one is invalid', async () => {
    expect(await run('check --schema')).toMatchObject({ code: 0 });
    expect((await run('check --schema')).err).toMatch(/^all objects are valid\n/m);
    await putDesk(cwd, { ...BEFORE, spec: { ...FIRST, required: ['subject', 'channel'] } });
    const invalid = await run('check --schema');
    expect([invalid.code, invalid.out.split('\n').length]).toEqual([1, OBJECTS + 1]);
    expect(invalid.err).toMatch(/^150 objects are invalid\n/m);
  });

  it('ignores a model without objects whose plugin is gone', async () => {
    expect((await run('delete tickets --all')).code).toBe(0);
    expect((await run(`check --schema --plugins ${temporaryDirectory()}`)).code).toBe(0);
  });
});

describe('completion in bash', () => {
  const complete = (setup: string, words: string): string => {
    const script = `
      shopt -s expand_aliases
      ${setup}
      source <(eval xsvc completion bash)
      COMP_WORDS=(xsvc ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _xsvc xsvc; echo "\${COMPREPLY[*]}"`;
    const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout.trim();
  };
  const BIN = path.dirname(PROGRAM);

  it.each([
    ['the directory of the program is in PATH', `export PATH="${BIN}:$PATH"`],
    ['the program is an alias', `alias xsvc="node ${PROGRAM}"`],
    ['the program is a function', `xsvc() { node ${PROGRAM} "$@"; }`],
  ])('works when %s', (_, setup) => {
    expect(complete(setup, 'get tick')).toBe('tickets');
    expect(complete(setup, 'get tickets t-14')).toBe(
      't-14 t-140 t-141 t-142 t-143 t-144 t-145 t-146 t-147 t-148 t-149',
    );
  });

  it('continues after a comma, where a command takes several resources', async () => {
    expect((await run('__complete get tickets,tick')).out).toBe('');
    const { out } = await runCli(['__complete', 'get', 'users,tick'], { cwd });
    expect(out).toMatch(/^users,tickets\t/);
    expect((await runCli(['__complete', 'describe', 'users,tick'], { cwd })).out).toBe('');
  });
});
