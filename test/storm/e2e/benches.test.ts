import { execFile } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const ROOT = new URL('../../../', import.meta.url).pathname;

afterAll(removeDirectories);

/** Runs a benchmark with few objects. @returns the cells of its rows, without the head; it leaves no directory behind */
async function rowsOf(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<readonly (readonly string[])[]> {
  const temporary = temporaryDirectory();
  // As root PostgreSQL runs as another user, who must get there.
  chmodSync(temporary, 0o711);
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env, TMPDIR: temporary },
  });
  expect(readdirSync(temporary)).toEqual([]);
  const lines = stdout.trimEnd().split('\n');
  const head = lines.findIndex((line) => line.trimStart().startsWith('unit '));
  return lines.slice(head + 1).map((line) => line.split(/ {2,}/));
}

it('peers prints a number in each row, with the client of this program and with wrk', async () => {
  const peers = ['test/bench/peers.mjs', '1'];
  const rows = await rowsOf(peers, { OBJECTS: '2000', SECONDS: '0.2' });
  expect(rows.map(([title = '']) => title.replace(/\d+/g, '#'))).toEqual([
    'an object in all files (PostgreSQL: table and indexes)',
    'start to first answer (PostgreSQL runs already)',
    'an idle watcher, without its socket (node:http: its socket)',
    'RSS after a start',
    ...['', ', without mapped files'].map((more) => `RSS after # different lists${more}`),
    'GET by name, # connections',
    'page of #, selected and sorted, with total, any of #, # connections',
    'the same, any of #',
    'the same, any of #, among # patches/s of the sorted field',
    'whole list of #',
    ...Array.from({ length: 4 }, () => 'durable merge patches, connections: #'),
    'events to # watchers, one patch after the other',
    'the same, from the request of a patch to an event, p#',
    'events to # watchers, a burst of # patches',
    'durable creates, # connections',
  ]);
  for (const [title = '', , value] of rows) expect(Number(value), title).toBeGreaterThan(0);
  const some = await rowsOf([...peers, 'get,page any', 'patch at 64'], { OBJECTS: '2000', SECONDS: '1' });
  expect(some).toHaveLength(3);
  // Of the service, of PostgreSQL and their ratio.
  for (const [title, , ...values] of some)
    for (const value of values.slice(0, 3)) expect(Number(value), title).toBeGreaterThan(0);
});

it('compare prints a number of each build in each row', async () => {
  const env = { OBJECTS: '2000', ROUNDS: '1', WARM_UPS: '0' };
  const rows = await rowsOf(['test/bench/compare.mjs', '.', '.', '1'], env);
  expect(rows.map(([name]) => name)).toEqual([
    'bytes',
    'import',
    'cold get',
    'cold apply',
    'start',
    'get',
    'page',
    'page any',
    'page under writes',
    'create at 64',
    ...[1, 8, 32, 64].map((connections) => `patch at ${connections}`),
    'list',
    'watch',
  ]);
  for (const [name, , ...values] of rows)
    for (const value of values.slice(0, 3)) expect(Number(value), name).toBeGreaterThan(0);
});

it('peers and compare name their rows when one is asked for that they do not have', async () => {
  for (const args of [
    ['peers.mjs', '1', 'nothing'],
    ['compare.mjs', '.', '.', '1', 'get,nothing'],
  ]) {
    const run = rowsOf([`test/bench/${args[0]}`, ...args.slice(1)], { OBJECTS: '10' });
    await expect(run).rejects.toThrow(/there is no row nothing: the rows are .*get, page/);
  }
});
