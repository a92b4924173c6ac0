import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Requests per second that a server answers, measured by wrk (Debian package `wrk`) from core 1.
 * @param {string} lua what each request is; a GET of the URL when it is absent
 */
export async function requestsPerSecond(url, load) {
  return (await runWrk(url, load)).rate;
}

/** @returns {Promise<{ rate: number, count: number }>} requests per second, and how many they were */
export async function runWrk(url, { connections, seconds, lua }) {
  const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
  const args = ['-c', '1', 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`];
  if (lua !== undefined) {
    const file = path.join(directory, 'request.lua');
    writeFileSync(file, lua);
    args.push('-s', file);
  }
  const { stdout } = await run('taskset', [...args, url]);
  rmSync(directory, { recursive: true });
  if (/Non-2xx/.test(stdout)) throw new Error(`not all answers were good:\n${stdout}`);
  const find = (pattern) => Number(pattern.exec(stdout)[1]);
  return { rate: find(/Requests\/sec:\s+([\d.]+)/), count: find(/(\d+) requests in/) };
}
