import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Requests per second that a server answers, measured by wrk (Debian package `wrk`) from core 1.
 * @param {string} lua what each request is; a GET of the URL when it is absent
 */
export function requestsPerSecond(url, { connections, seconds, lua }) {
  const directory = mkdtempSync(path.join(tmpdir(), 'xsvc-bench-'));
  const args = ['-c', '1', 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`];
  if (lua !== undefined) {
    const file = path.join(directory, 'request.lua');
    writeFileSync(file, lua);
    args.push('-s', file);
  }
  const output = execFileSync('taskset', [...args, url], { encoding: 'utf8' });
  rmSync(directory, { recursive: true });
  if (/Non-2xx/.test(output)) throw new Error(`not all answers were good:\n${output}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)[1]);
}
