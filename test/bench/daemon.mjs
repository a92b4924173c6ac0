import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const BIN = new URL('../../bin/xsvc.js', import.meta.url).pathname;
export const PLUGINS = new URL('../../plugins', import.meta.url).pathname;

/**
 * Starts a server process on core 0 and waits for its first line.
 * @returns {Promise<{ url: string, pid: number, readyMs: number, rssBytes: () => number, stop: () => Promise<void> }>}
 */
export async function startProcess(args) {
  const began = performance.now();
  const child = spawn('taskset', ['-c', '0', process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(String(data)));
    child.once('exit', (code) => reject(new Error(`exited with ${code}`)));
  });
  const readyMs = performance.now() - began;
  const url = /http:\/\/\S+/.exec(line)[0];
  return {
    url,
    readyMs,
    pid: child.pid,
    rssBytes: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) * 1024,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.kill('SIGTERM');
      }),
  };
}

/** The daemon on a data directory, with the example plugins. */
export function startDaemon(dataDir, extra = []) {
  return startProcess([
    BIN,
    'serve',
    '--port',
    '0',
    '--data-dir',
    dataDir,
    '--plugins',
    PLUGINS,
    '--log-level',
    'warn',
    ...extra,
  ]);
}
