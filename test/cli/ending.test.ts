import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { putFiles } from '../helpers/cli.js';
import { PROGRAM } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

/** Exit code, signal, and standard output. */
type Ending = readonly [code: number | null, signal: string | null, printed: string];

async function endOf(args: readonly string[]): Promise<Ending> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (part) => (printed += String(part)));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return [code, signal, printed];
}

describe('a service that is asked to end', () => {
  it.each([
    ['while its program loads', "process.kill(process.pid, 'SIGTERM');", ''],
    ['when its program has begun', '', "process.kill(process.pid, 'SIGTERM');"],
  ])('%s is left to the program', async (_when, atLoad, atStart) => {
    const directory = temporaryDirectory();
    const program = path.join(directory, 'bin', 'xsvc.js');
    await putFiles(directory, {
      'package.json': '{ "type": "module" }',
      'bin/xsvc.js': await readFile(PROGRAM, 'utf8'),
      'dist/bundle/load.cjs': `${atLoad}
        exports.load = () => ({
          async main() {
            const asked = new Promise((resolve) => process.once('SIGTERM', resolve));
            ${atStart}
            setTimeout(() => process.exit(1), 20_000);
            await asked;
            console.log('in order');
            process.exit(7);
          },
        });`,
    });
    expect(await endOf([program, 'serve'])).toEqual([7, null, 'in order\n']);
  });
});

it.skipIf(process.platform === 'win32')(
  'a service that npm start runs ends when npm start is ended',
  async () => {
    const directory = temporaryDirectory();
    const script = `${JSON.stringify(process.execPath)} ${JSON.stringify(PROGRAM)} serve --port 0`;
    await putFiles(directory, { 'package.json': JSON.stringify({ scripts: { start: script } }) });
    const npm = spawn('npm', ['start'], { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    npm.stderr.on('data', (part) => (printed += String(part)));
    const listens = new Promise<void>((resolve) => {
      npm.stdout.on('data', (part) => {
        printed += String(part);
        if (printed.includes('listening on')) resolve();
      });
    });
    await listens;
    npm.kill('SIGTERM');
    // The service has the other end of the pipe: it closes when the service has ended.
    await once(npm.stdout, 'close');
    expect(printed).toContain('stopping');
  },
  60_000,
);

it('a program with a thread that will not end ends by a signal, when all is written', async () => {
  const url = (file: string): string => JSON.stringify(new URL(`../../dist/${file}`, import.meta.url).href);
  const script = `
    const { noteStuckThread } = await import(${url('lib/process/stuck-thread.js')});
    const { main } = await import(${url('cli/main.js')});
    noteStuckThread();
    process.argv = ['node', 'xsvc', 'version'];
    await main();`;
  const [code, signal, printed] = await endOf(['--input-type=module', '-e', script]);
  expect([code, signal]).toEqual([null, 'SIGTERM']);
  expect(printed).toContain('xsvc');
});
