import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit.js';
import { SETTING_NAMES } from '../../src/config.js';
import { ERROR_CODES } from '../../src/errors.js';
import { HTTP_STATUS } from '../../src/http/status.js';
import { putFiles, withoutVolatile } from '../helpers/cli.js';
import { EXAMPLE_PLUGINS, killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { isAsShown, recorded, shownCommands, shownFiles } from '../helpers/readme.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const README = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
const SHOWN_ADDRESS = '127.0.0.1:8090';
/** Printed after each command, so that the output of all can be told apart. */
const MARK = '--- end of a command ---';

let daemon: DaemonProcess;
let directory = '';

beforeAll(async () => {
  directory = temporaryDirectory();
  mkdirSync(path.join(directory, 'plugins'));
  symlinkSync(path.join(EXAMPLE_PLUGINS, 'person'), path.join(directory, 'plugins/person'));
  await putFiles(directory, shownFiles(README));
  mkdirSync(path.join(directory, 'bin'));
  const program = `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/bin/xsvc.js" "$@"\n`;
  writeFileSync(path.join(directory, 'bin/xsvc'), program, { mode: 0o755 });
  const plugins = [path.join(directory, 'plugins')];
  daemon = await startDaemonProcess({ dataDir: path.join(directory, '.xsvc'), plugins });
});

afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

/** Runs commands in one shell, and gives the output of each, errors included. */
function runAll(commands: readonly string[]): Promise<string[]> {
  const address = `127.0.0.1:${daemon.port}`;
  const script = commands.map((command) => `${command}\necho '${MARK}'\n`).join('');
  const bin = `${path.join(directory, 'bin')}:${process.env.PATH ?? ''}`;
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', [], { cwd: directory, env: { PATH: bin } });
    let text = '';
    shell.stdout.on('data', (part) => (text += String(part)));
    shell.on('error', reject);
    shell.on('close', () => {
      resolve(text.replaceAll(address, SHOWN_ADDRESS).split(`${MARK}\n`).slice(0, -1));
    });
    shell.stdin.end(`exec 2>&1\n${script.replaceAll(SHOWN_ADDRESS, address)}`);
  });
}

function comparable(text: string): string {
  return withoutVolatile(text.replace(/\n?$/, '\n'))
    .replace(/^( *continue: ).*/gm, '$1TOKEN')
    .trimStart();
}

describe('the README', () => {
  // Some thirty processes, one after the other.
  it('shows commands that do what it says', { timeout: 120_000 }, async () => {
    const shown = shownCommands(README);
    expect(shown.length).toBeGreaterThan(15);
    const outputs = await runAll(shown.map(({ command }) => command));
    expect(outputs).toHaveLength(shown.length);
    if (process.env.RECORD === '1') {
      writeFileSync(path.join(ROOT, 'README.md'), recorded(README, outputs, comparable));
      return;
    }
    for (const [i, { command, output }] of shown.entries()) {
      const [was, said] = [comparable(outputs[i] ?? ''), comparable(output)];
      if (!isAsShown(was, said)) expect(was, command).toBe(said);
    }
  });

  it('would be found out if it showed something else', () => {
    expect(isAsShown('a\nb\nc\n', 'a\n...\nc\n')).toBe(true);
    expect(isAsShown('a\nc\n', 'a\n...\nc\n')).toBe(true);
    expect(isAsShown('a\nb\nc\n', 'a\nc\n')).toBe(false);
    expect(isAsShown('a.c\n', 'abc\n')).toBe(false);
    expect(isAsShown('a\nb\n', 'a\n')).toBe(false);
    const block = '```console\n$ a <<END\n> b\n> END\nc\n$ d\nsame\n```';
    expect(recorded(block, ['x\n', 'same\n'], (output) => output)).toBe(block.replace('c\n', 'x\n'));
    expect(shownCommands('```console\n$ a <<END\n> b\n> END\nc\n$ d\n```\n')).toEqual([
      { command: 'a <<END\nb\nEND', output: 'c\n' },
      { command: 'd', output: '' },
    ]);
  });

  it('shows plugins that start', async () => {
    const { items } = (await daemon.get('/apis/plugin.platform.run/v1alpha1/plugins')).json();
    const phases = items.map(({ metadata, status }) => [metadata.name, (status as { phase: string }).phase]);
    expect(phases).toEqual([
      ['note', 'STARTED'],
      ['person', 'STARTED'],
      ['task', 'STARTED'],
    ]);
  });

  it.each(ERROR_CODES)('states status and exit code of %s', (code) => {
    const row = new RegExp(`^\\| \`${code}\` +\\| ${HTTP_STATUS[code]} +\\| ${EXIT_CODES[code]} +\\|$`, 'm');
    expect(README).toMatch(row);
  });

  it.each(SETTING_NAMES)('names the setting %s', (name) => {
    expect(README).toContain(`\`${name}\``);
  });
});
