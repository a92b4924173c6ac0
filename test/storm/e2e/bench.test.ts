import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { runCli } from '../../helpers/cli.js';
import { PROGRAM, runProgram } from '../../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterAll(removeDirectories);

interface Report {
  readonly durationMs: number;
  readonly figures: readonly {
    what: string;
    value: number;
    unit: string;
    objective: object;
    cpuMicros?: number;
    met: boolean;
  }[];
}

it('bench measures a separate service, prints which goals are met, and leaves nothing behind', async () => {
  const temporary = temporaryDirectory();
  const { code, stdout } = await runProgram(['bench', '--duration', '1s', '-o', 'json'], {
    wrapper: ['env', `TMPDIR=${temporary}`],
  });
  const { durationMs, figures } = JSON.parse(stdout) as Report;
  expect(durationMs).toBe(1_000);
  expect(figures.map(({ what }) => what.replace(/\d+/g, '#'))).toEqual([
    'import of # objects, the whole command',
    'size of the store',
    'time until serve is ready, compared with `node -e #`',
    'memory of an idle watcher',
    'GET by name, # connections, compared with plain node:http',
    'page of # by an indexed field, any of #, compared with plain node:http',
    'page of #, any of #, while # patches a second change the sorted field',
    'durable creates, # connections',
    ...Array.from({ length: 4 }, () => 'durable patches of one field, connections: #'),
    'time from the request of a write until a watcher receives it, p#',
    'time from the request of a write until # watchers receive it, p#',
    'events to # watchers, a burst of # patches',
    'memory of the service at the end',
  ]);
  for (const { what, value, cpuMicros } of figures) {
    expect(value, what).toBeGreaterThan(0);
    if (!/^(size|memory) of/.test(what)) expect(cpuMicros, what).toBeGreaterThan(0);
  }
  expect(code).toBe(figures.every(({ met }) => met) ? 0 : 1);
  expect(readdirSync(temporary)).toEqual([]);
});

/** Processes with a text among their arguments. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

it.each(['importing', 'durable creates'])(
  'bench that is interrupted leaves no process and no directory behind: %s',
  async (step) => {
    const temporary = temporaryDirectory();
    const bench = spawn(process.execPath, [PROGRAM, 'bench', '--duration', '1s'], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    bench.stderr.on('data', (part) => (said += String(part)));
    await expect.poll(() => said, { timeout: 300_000 }).toContain(step);
    await expect.poll(() => processesWith(temporary)).not.toEqual([]);
    bench.kill('SIGINT');
    const [code] = (await once(bench, 'close')) as [number];
    expect([code, said.trim().split('\n').at(-1)]).toEqual([
      1,
      'error: interrupted: the service was stopped, and its directory removed',
    ]);
    expect(readdirSync(temporary)).toEqual([]);
    await expect.poll(() => processesWith(temporary)).toEqual([]);
  },
);

it('bench says what is wrong with its flags', async () => {
  const said = async (line: string): Promise<string> => {
    const { code, err } = await runCli(line.split(' '), { cwd: '/' });
    expect(code).toBe(2);
    return err;
  };
  expect(await said('bench --duration soon')).toMatch('--duration');
  expect(await said('bench --duration 5ms')).toMatch('at least 100ms');
  expect(await said('bench --server http://127.0.0.1:1')).toMatch('takes no --server');
});
