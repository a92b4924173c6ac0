import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit.js';
import { SETTING_NAMES } from '../../../src/config.js';
import { HTTP_STATUS, ERROR_CODES } from '../../../src/errors.js';
import { putFiles, runCli, withoutVolatile } from '../../helpers/cli.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import {
  filesOf,
  headingsOf,
  isAsShown,
  linksOf,
  readDocuments,
  recorded,
  shownCommands,
  shownFiles,
  type ShownDocument,
} from '../../helpers/documents.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const ROOT = new URL('../../..', import.meta.url).pathname;
const DOCUMENTS = readDocuments(ROOT);
const SHOWN_ADDRESS = '127.0.0.1:8090';
const SHOWN_DIRECTORY = '/srv/xsvc';
/** Printed after each command, so that it separates their outputs. */
const MARK = '--- end of a command ---';
const README_LINES_MAX = 200;

/** A service as documents show it, with the directory that their commands run in. */
interface Service {
  readonly daemon: DaemonProcess;
  readonly directory: string;
}

/** By the flags that documents name; documents that name the same share one. */
const services = new Map<string, Service>();
let programs = '';

beforeAll(async () => {
  programs = temporaryDirectory();
  const program = `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/bin/xsvc.js" "$@"\n`;
  writeFileSync(path.join(programs, 'xsvc'), program, { mode: 0o755 });
  const flags = new Set(DOCUMENTS.flatMap(({ text }) => shownCommands(text)).map((shown) => shown.flags));
  await Promise.all([...flags].map(startService));
});

afterAll(async () => {
  await Promise.all([...services.values()].map(({ daemon }) => daemon.stop()));
  killDaemons();
  removeDirectories();
});

async function startService(flags: string): Promise<void> {
  const directory = temporaryDirectory();
  mkdirSync(path.join(directory, 'plugins'));
  symlinkSync(path.join(EXAMPLE_PLUGINS, 'person'), path.join(directory, 'plugins/person'));
  const files = filesOf(DOCUMENTS.flatMap(({ text }) => shownFiles(text)));
  await putFiles(directory, files);
  // Programs import the package.
  mkdirSync(path.join(directory, 'node_modules'));
  symlinkSync(ROOT, path.join(directory, 'node_modules/xsvc'));
  for (const name of ['vitest', '.bin'])
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(directory, 'node_modules', name));
  const daemon = await startDaemonProcess({
    dataDir: path.join(directory, '.xsvc'),
    plugins: [path.join(directory, 'plugins')],
    flags: flags
      .split(' ')
      .filter((flag) => flag !== '')
      .map((flag) => (flag.startsWith('./') ? path.join(directory, flag) : flag)),
  });
  const here = Object.entries(files).filter(([, text]) => text.includes(SHOWN_ADDRESS));
  const address = `127.0.0.1:${daemon.port}`;
  await putFiles(
    directory,
    Object.fromEntries(here.map(([file, text]) => [file, text.replaceAll(SHOWN_ADDRESS, address)])),
  );
  services.set(flags, { daemon, directory });
}

/** Runs commands in one shell, and gives the output of each, errors included. */
function runAll(commands: readonly string[], { daemon, directory }: Service): Promise<string[]> {
  const address = `127.0.0.1:${daemon.port}`;
  const script = commands.map((command) => `${command}\necho '${MARK}'\n`).join('');
  const bin = `${programs}:${process.env.PATH ?? ''}`;
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', [], { cwd: directory, env: { PATH: bin, NO_COLOR: '1' } });
    let text = '';
    shell.stdout.on('data', (part) => (text += String(part)));
    shell.on('error', reject);
    shell.on('close', () => {
      const shown = text.replaceAll(address, SHOWN_ADDRESS).replaceAll(directory, SHOWN_DIRECTORY);
      resolve(shown.split(`${MARK}\n`).slice(0, -1));
    });
    shell.stdin.end(`exec 2>&1\n${script.replaceAll(SHOWN_ADDRESS, address)}`);
  });
}

/** The output of all commands of a document, in its order. Those of one service share a shell. */
async function outputsOf({ text }: ShownDocument): Promise<string[]> {
  const shown = shownCommands(text);
  const outputs: string[] = [];
  for (const [flags, service] of services) {
    const here = shown.flatMap((command, at) => (command.flags === flags ? [{ ...command, at }] : []));
    const printed =
      here.length === 0
        ? []
        : await runAll(
            here.map(({ command }) => command),
            service,
          );
    expect(printed, 'a command ended the shell').toHaveLength(here.length);
    for (const [i, { at }] of here.entries()) outputs[at] = printed[i] ?? '';
  }
  return outputs;
}

function comparable(text: string): string {
  return withoutVolatile(text.replace(/\n?$/, '\n'))
    .replace(/^( *continue: ).*/gm, '$1TOKEN')
    .replace(/^token [0-9a-f]{20} /gm, 'token NAME ')
    .replace(/[\d.]+ [KM]iB, revision \d+/g, 'SIZE')
    .trimStart();
}

function textOf(file: string): string {
  return DOCUMENTS.find((document) => document.path === file)?.text ?? '';
}

describe('the documents', () => {
  const withCommands = DOCUMENTS.filter(({ text }) => shownCommands(text).length > 0);

  // Up to thirty processes each, one after the other.
  it.each(withCommands)('show commands that do what they say: $path', async (document) => {
    const outputs = await outputsOf(document);
    if (process.env.RECORD === '1') {
      writeFileSync(path.join(ROOT, document.path), recorded(document.text, outputs, comparable));
      return;
    }
    for (const [i, { command, output }] of shownCommands(document.text).entries()) {
      const [was, said] = [comparable(outputs[i] ?? ''), comparable(output)];
      if (!isAsShown(was, said)) expect(was, command).toBe(said);
    }
  });

  it('would be found out if they showed something else', () => {
    expect(isAsShown('a\nb\nc\n', 'a\n...\nc\n')).toBe(true);
    expect(isAsShown('a\nc\n', 'a\n...\nc\n')).toBe(true);
    expect(isAsShown('a\nb\nc\n', 'a\nc\n')).toBe(false);
    expect(isAsShown('a.c\n', 'abc\n')).toBe(false);
    expect(isAsShown('a\nb\n', 'a\n')).toBe(false);
    const block = '```console\n$ a <<END\n> b\n> END\nc\n$ d\nsame\n```';
    expect(recorded(block, ['x\n', 'same\n'], (output) => output)).toBe(block.replace('c\n', 'x\n'));
    const text =
      '```console\n$ a <<END\n> b\n> END\nc\n```\n<!-- serve: --auth token -->\n```console\n$ d\n```\n';
    expect(shownCommands(text)).toEqual([
      { command: 'a <<END\nb\nEND', output: 'c\n', flags: '' },
      { command: 'd', output: '', flags: '--auth token' },
    ]);
    const files = shownFiles('<!-- add: a.js -->\n\n```js\n2\n```\n\n<!-- file: a.js -->\n\n```js\n1\n```\n');
    expect(filesOf(files)).toEqual({ 'a.js': '1\n2\n' });
  });

  it('show plugins that start', async () => {
    const plain = services.get('');
    const { items } = (await plain?.daemon.get('/apis/plugin.platform.run/v1alpha1/plugins'))?.json() ?? {};
    const phases = items?.map(({ metadata, status }) => [metadata.name, (status as { phase: string }).phase]);
    expect(phases).toEqual([
      ['booking', 'STARTED'],
      ['desk', 'STARTED'],
      ['note', 'STARTED'],
      ['person', 'STARTED'],
      ['press', 'STARTED'],
      ['runbooks', 'STARTED'],
      ['task', 'STARTED'],
      ['topic', 'STARTED'],
      ['tracker', 'STARTED'],
    ]);
  });

  it('link to files and headings that are there', () => {
    const more = ['CONTRIBUTING.md', 'SECURITY.md', 'UPGRADING.md'].map((file) => ({
      path: file,
      text: readFileSync(path.join(ROOT, file), 'utf8'),
    }));
    const faults = [...DOCUMENTS, ...more].flatMap((document) =>
      linksOf(document)
        .filter(({ path: file, heading }) => {
          const target = path.join(ROOT, file);
          if (!existsSync(target)) return true;
          return heading !== '' && !headingsOf(readFileSync(target, 'utf8')).includes(heading);
        })
        .map((link) => `${document.path}: ${link.path}#${link.heading}`),
    );
    expect(faults).toEqual([]);
  });

  it('are all listed in the index', () => {
    const index = DOCUMENTS.filter(({ path: file }) => file === 'docs/README.md').flatMap(linksOf);
    const listed = new Set(index.map((link) => link.path));
    const pages = DOCUMENTS.map((document) => document.path).filter((file) => file !== 'docs/README.md');
    expect(pages.filter((file) => !listed.has(file))).toEqual([]);
  });

  it('lead each of four kinds of readers through at most five pages', () => {
    const [, ...entrances] = textOf('docs/README.md').split(/^### /m);
    const pages = entrances.map((text) => text.match(/^\d\. \[/gm)?.length ?? 0);
    expect(pages).toHaveLength(4);
    expect(pages.filter((count) => count < 3 || count > 5)).toEqual([]);
  });

  it('show a picture of the console that is compared with it', () => {
    const golden = readFileSync(path.join(ROOT, 'test/gate/pictures/golden/list.png'));
    expect(golden.equals(readFileSync(path.join(ROOT, 'docs/console.png')))).toBe(true);
  });

  it('begin with a README that is read in ten minutes', () => {
    expect(textOf('README.md').split('\n').length - 1).toBeLessThanOrEqual(README_LINES_MAX);
  });

  it.each(ERROR_CODES)('state status and exit code of %s', (code) => {
    const row = new RegExp(`^\\| \`${code}\` +\\| ${HTTP_STATUS[code]} +\\| ${EXIT_CODES[code]} +\\|`, 'm');
    expect(textOf('docs/reference/errors.md')).toMatch(row);
  });

  it.each(SETTING_NAMES)('name the setting %s', (name) => {
    expect(textOf('docs/reference/configuration.md')).toContain(`\`${name}\``);
  });

  it('name every command', async () => {
    const help = (await runCli(['--help'], { cwd: '/' })).out;
    const commands = help.slice(help.indexOf('Read objects:'), help.indexOf('Exit codes:'));
    const names = [...commands.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(20);
    const missing = names.filter(
      (name) =>
        name !== 'help' &&
        !new RegExp(`^\\|.*\`(?:[^\`]*\\W)?${name}\\b`, 'm').test(textOf('docs/reference/cli.md')),
    );
    expect(missing).toEqual([]);
  });
});
