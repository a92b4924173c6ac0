import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../helpers/cli.js';
import { PROGRAM } from '../../helpers/daemon.js';
import { PERSON_REF } from '../../helpers/http.js';
import { PERSON_PLUGIN, usePersonDaemon, type Door } from '../../helpers/person-daemon.js';
import { temporaryDirectory } from '../../helpers/store.js';
import { manifest, person } from '../../suites/cli-fixtures.js';

const { url, dataDir, others, flagsOf } = usePersonDaemon();

describe('waiting as a separate process', () => {
  it.each<Door>(['store', 'http'])('neither ends too early nor stays, door %s', async (door) => {
    await others().create(PERSON_REF, person('ann'));
    const argv = ['wait', 'persons', 'ann', '--for=delete', '--timeout', '120s', ...flagsOf(door)];
    const child = spawn(process.execPath, [PROGRAM, ...argv], { stdio: 'ignore' });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    expect(await Promise.race([ended, sleep(5_000, 'waits')])).toBe('waits');
    await others().delete(PERSON_REF, 'ann');
    expect(await ended).toBe(0);
  });
});

describe('output that cannot be written', () => {
  it.skipIf(!existsSync('/dev/full'))('is a failure with a message of one line', async () => {
    await others().create(PERSON_REF, person('ann'));
    for (const line of ['get persons -o json', 'get persons', 'export --all', 'delete persons ann']) {
      const full = openSync('/dev/full', 'w');
      const argv = [PROGRAM, ...line.split(' '), ...flagsOf('store')];
      const { status, stderr } = spawnSync(process.execPath, argv, {
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      });
      closeSync(full);
      expect({ line, status }).toEqual({ line, status: 1 });
      expect(stderr, line).toMatch(/^error: cannot write the output: ENOSPC.*\n$/m);
      expect(stderr, line).not.toMatch(/^ +at /m);
    }
  });
});

describe.each<Door>(['store', 'http'])('completing a line, door %s', (door) => {
  async function candidates(...words: readonly string[]): Promise<string[]> {
    const [last = '', ...before] = [...words].reverse();
    const argv = ['__complete', ...flagsOf(door), ...before.reverse(), last];
    const { code, out, err } = await runCli(argv, { cwd: dataDir() });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return out
      .split('\n')
      .flatMap((line) => line.split('\t')[0] ?? [])
      .filter((text) => text !== '');
  }

  beforeEach(async () => {
    for (const name of ['ann', 'anton', 'bob']) await others().create(PERSON_REF, person(name));
  });

  it.each([
    [['lab'], ['label']],
    [['get', 'per'], ['persons']],
    [
      ['get', 'persons', 'an'],
      ['ann', 'anton'],
    ],
    [
      ['get', 'persons', 'ann', ''],
      ['anton', 'bob'],
    ],
    [
      ['get', 'pe/an'],
      ['pe/ann', 'pe/anton'],
    ],
    [['edit', 'person', 'b'], ['bob']],
    [
      ['patch', 'persons', 'bob', '--type', ''],
      ['merge', 'json'],
    ],
    [['patch', 'persons', 'bob', '--type=m'], ['--type=merge']],
    [['get', 'persons', '--no-h'], ['--no-headers']],
    [['wait', '--time'], ['--timeout']],
    [['plugin', 'en'], ['enable']],
    [['plugin', 'enable', ''], ['person']],
    [['explain', 'per'], ['persons']],
    [['completion', 'z'], ['zsh']],
    [['apply', '-f', ''], []],
    [['get', 'nothing', ''], []],
  ])('%j goes on with %j', async (words, expected) => {
    expect(await candidates(...words)).toEqual(expected);
  });
});

describe('asking what would happen where there is no store', () => {
  it.each([
    [['diff', '-f', '-'], 10],
    [['apply', '-f', '-', '--dry-run'], 0],
    [['create', '-f', '-', '--dry-run=server'], 0],
    [['validate', '-f', '-'], 0],
  ])('%j answers as an empty store would, and makes none', async (argv, code) => {
    const cwd = temporaryDirectory();
    const flags = ['--data-dir', 'none', '--plugins', PERSON_PLUGIN];
    const ended = await runCli([...argv, ...flags], { cwd, stdin: manifest('ann') });
    expect(ended).toMatchObject({ code, err: '' });
    expect(ended.out).toContain('persons/ann');
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('completion in a shell', () => {
  it('says nothing when the store or the server does not answer', async () => {
    for (const where of [
      ['--server', 'http://127.0.0.1:1'],
      ['--data-dir', '/nowhere'],
      ['--server', 'x', '--data-dir', 'y'],
    ])
      expect(await runCli(['__complete', 'get', ...where, ''], { cwd: dataDir() })).toEqual({
        code: 0,
        out: '',
        err: '',
      });
  });

  it('works in bash, where "=" and ":" divide words', async () => {
    for (const name of ['ann', 'anton', 'bob']) await others().create(PERSON_REF, person(name));
    const words = ['http', ':', '//127.0.0.1', ':', new URL(url()).port];
    const script = `
      xsvc() { ${process.execPath} ${PROGRAM} "$@"; }
      source <(xsvc completion bash)
      try() { COMP_WORDS=(xsvc "$@"); COMP_CWORD=$#; _xsvc xsvc; echo "\${COMPREPLY[*]}"; }
      try --server ${words.map((word) => `'${word}'`).join(' ')} get persons an
      try --server '=' ${words.map((word) => `'${word}'`).join(' ')} get per
      try get persons --output '=' y
      try diff
    `;
    const { stdout, stderr, status } = spawnSync('bash', ['-c', script], {
      encoding: 'utf8',
      cwd: dataDir(),
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(stdout).toBe('ann anton\npersons\nyaml\ndiff\n');
  });

  it.each(['zsh', 'fish'])('is a script that %s can read', async (shell) => {
    const { out } = await runCli(['completion', shell], { cwd: dataDir() });
    expect(out).toContain('__complete');
    const file = path.join(temporaryDirectory(), 'completion');
    writeFileSync(file, out);
    // Only where the shell is installed.
    const { error, status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    if (error === undefined) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
