import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/program.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { testIo } from './helpers.js';

const started = vi.hoisted(() => vi.fn());
vi.mock('../../src/cli/serve/watchdog.js', () => ({ startWatchdog: started }));

afterAll(removeDirectories);

const WATCHDOG = JSON.stringify(new URL('../../dist/cli/serve/watchdog.js', import.meta.url).href);

/** A process whose event loop stands. */
const STANDING = `
  const { startWatchdog } = await import(${WATCHDOG});
  const start = { stop: new AbortController().signal, isOver: false };
  startWatchdog({ env: { XSVC_WATCHDOG_MS: '100' }, stderr: { isTTY: false } }, start, { worker: 2 });
  function spinForEver() {
    for (let i = 0; ; i++) JSON.parse('[1]');
  }
  setImmediate(spinForEver);`;

it('a process whose event loop stands ends with exit code 6, and says where it stood', async () => {
  const args = ['--input-type=module', '-e', STANDING];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  const output = { stderr: '' };
  child.stderr.on('data', (part) => (output.stderr += String(part)));
  expect(await once(child, 'close')).toEqual([6, null]);
  // Node.js says something of its debugger after it.
  const [line = ''] = output.stderr.split('\n');
  const { worker, msg, stack } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  expect([worker, msg]).toEqual([2, 'the process was unresponsive for 0.1s, so it exits']);
  expect(stack).toContain('spinForEver');
});

it('the wait for the thread alone keeps the process alive', async () => {
  const waiting = `
    const { startWatchdog } = await import(${WATCHDOG});
    const start = { stop: new AbortController().signal, isOver: false };
    await startWatchdog({ env: {}, stderr: { isTTY: false } }, start);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', waiting], { stdio: 'inherit' });
  expect(await once(child, 'close')).toEqual([0, null]);
});

it('a daemon is watched from its start', async () => {
  // The modules that follow take long to load.
  started.mockImplementation(() => {
    throw new Error('watched from here');
  });
  const cwd = temporaryDirectory();
  const io = testIo({ cwd });
  expect(await run(['serve', '--port', '0', '--data-dir', cwd], io)).toBe(1);
  expect(io.stderr.text).toContain('watched from here');
  expect(started.mock.calls).toEqual([[io, expect.objectContaining({ isOver: false }), undefined]]);
});
