import { readdirSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { runCli } from '../helpers/cli.js';
import { runProgram } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterAll(removeDirectories);

interface Report {
  readonly durationMs: number;
  readonly figures: readonly { what: string; value: number; unit: string; objective: object; met: boolean }[];
}

it(
  'bench measures a service of its own, says what is met, and leaves nothing behind',
  { timeout: 180_000 },
  async () => {
    const temporary = temporaryDirectory();
    const { code, stdout } = await runProgram(['bench', '--duration', '300ms', '-o', 'json'], {
      wrapper: ['env', `TMPDIR=${temporary}`],
    });
    const { durationMs, figures } = JSON.parse(stdout) as Report;
    expect(durationMs).toBe(300);
    expect(figures.map(({ what }) => what.replace(/\d+/g, '#'))).toEqual([
      'import of # objects, the whole command',
      'size of the store',
      'serve is ready, beside `node -e #`',
      'GET by name, # connections, beside plain node:http',
      'page of # by an indexed field, any of #, beside plain node:http',
      'durable creates, # connections',
      'durable patches of one field, # connections',
      'a watcher hears of a write, from its request on, p#',
      'events to # watchers, a burst of # patches',
      'memory of the service after all that',
    ]);
    for (const { what, value } of figures) expect(value, what).toBeGreaterThan(0);
    expect(code).toBe(figures.every(({ met }) => met) ? 0 : 1);
    expect(readdirSync(temporary)).toEqual([]);
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
