import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFiles } from '../helpers/cli.js';
import { killDaemons, PROGRAM, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

let daemon: DaemonProcess;
let directory = '';
/** The writing end of a pipe whose reader has closed it. */
let pipe: number;

beforeAll(async () => {
  directory = temporaryDirectory();
  await putFiles(directory, {
    'plugins/talker/plugin.yaml': `apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: talker }\nspec: { version: 1.0.0 }\n`,
    'plugins/talker/index.js': `import { BasePlugin } from 'xsvc';
export default class extends BasePlugin { start() { this.ctx.logger.info('began'); } }\n`,
  });
  const plugins = [path.join(directory, 'plugins')];
  daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins });
  const file = path.join(directory, 'pipe');
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  pipe = openSync(file, 'w');
  closeSync(reader);
});

afterAll(() => {
  closeSync(pipe);
  killDaemons();
  removeDirectories();
});

describe.each(['the store', 'the server'])('a command on %s whose reader is gone', (door) => {
  it.each([
    ['get plugins'],
    ['get plugins -w'],
    ['get plugins -o json'],
    ['get plugins -o yaml'],
    ['get plugins -o name'],
    ['get plugins -o jsonpath={.items[*].metadata.name}'],
    ['export plugins'],
    ['export plugins -o ndjson'],
    ['history plugins'],
    ['describe plugins talker'],
    ['api-resources'],
    ['explain plugins'],
    ...(door === 'the server' ? [['plugin logs talker'], ['plugin logs talker -f']] : []),
  ])('%s ends with 1, without a message', async (line) => {
    const where =
      door === 'the server' ? ['--server', daemon.url] : ['--data-dir', path.join(directory, 'data')];
    const child = spawn(process.execPath, [PROGRAM, ...line.split(' '), ...where], {
      stdio: ['ignore', pipe, 'pipe'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
    let err = '';
    child.stderr?.on('data', (part) => (err += String(part)));
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(timer);
    expect([code, err]).toEqual([1, '']);
  });
});
