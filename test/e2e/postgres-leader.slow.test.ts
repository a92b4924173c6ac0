import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { killDaemons, type DaemonProcess } from '../helpers/daemon.js';
import { countSent, leaderOf, msUntil, postOffice, send } from '../helpers/mailer.js';
import { type PostgresServer, startPostgres, usePostgres } from '../helpers/postgres.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { removeDirectories } from '../helpers/store.js';

usePostgres();
afterEach(killDaemons);
afterAll(removeDirectories);

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});

/** Short, so that the test need not wait. */
const LEASE = ['--lease-duration', '2s'];

function flagsFor(schema: string): readonly string[] {
  return ['--store', `${server.url}?schema=${schema}`, ...LEASE];
}

const namesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

it('of daemons apart one leads; when it is killed another takes over within the lease', async () => {
  const post = postOffice();
  const flags = flagsFor('killed');
  const a = await post.startApart('a', ...flags);
  const b = await post.startApart('b', ...flags);
  await send(a, namesOf('a', 50));
  await send(b, namesOf('b', 50));
  await msUntil('all are sent', async () => (await countSent(b)) === 100);
  expect(new Set(post.sent().map(({ pid }) => pid))).toEqual(new Set([a.pid]));
  expect(post.sent()).toHaveLength(100);
  expect(await leaderOf(a)).toMatchObject({ token: 1, isSelf: true });
  expect(await leaderOf(b)).toMatchObject({ token: 1, isSelf: false });

  a.signal('SIGKILL');
  await a.exited;
  await send(b, namesOf('c', 20));
  const ms = await msUntil('the other leads', async () => (await leaderOf(b)).isSelf);
  expect(ms).toBeLessThan(5_000);
  await msUntil('all are sent', async () => (await countSent(b)) === 120);
  expect(post.sent()).toHaveLength(120);
});

it('a leader that stands still loses its lease, and what it writes afterwards is refused', async () => {
  const post = postOffice();
  const flags = flagsFor('stopped');
  const a = await post.startApart('a', ...flags);
  const b = await post.startApart('b', ...flags);
  await send(a, ['late'], 5_000);
  await msUntil('it is under way', async () => post.sent().length === 1);
  a.signal('SIGSTOP');
  await msUntil('the other leads', async () => (await leaderOf(b)).isSelf);
  await msUntil('the other sends it', async () => post.sent().length === 2);
  a.signal('SIGCONT');
  await msUntil('it is sent', async () => (await countSent(b)) === 1);
  await msUntil('it is noticed', async () => !(await leaderOf(a)).isSelf);
  await sleep(1_000);
  expect(post.sent().map(({ token }) => token)).toEqual([1, 2]);
  expect(a.output.stderr).toContain('no longer leads');
});

const seed = seedOfRun();
it(`over three daemons that are killed again and again each mail is sent (seed ${seed})`, async () => {
  const random = new Random(seed);
  const post = postOffice();
  const flags = flagsFor('storm');
  const daemons: DaemonProcess[] = [];
  for (const name of ['a', 'b', 'c']) daemons.push(await post.startApart(name, ...flags));
  const MAILS = 400;
  let sent = 0;
  for (let round = 0; round < 4; round += 1) {
    const writing = send(daemons[round % 3] as DaemonProcess, namesOf(`r${round}`, MAILS / 4));
    await writing;
    sent += MAILS / 4;
    await sleep(500 + random.below(1_000));
    const victim = random.below(3);
    daemons[victim]?.signal('SIGKILL');
    await daemons[victim]?.exited;
    daemons[victim] = await post.startApart('abc'.charAt(victim), ...flags);
  }
  const [asked] = daemons;
  if (asked === undefined) throw new Error('no daemon');
  await msUntil('all are sent', async () => (await countSent(asked)) === sent, 60_000);
  const bySent = new Map<string, number>();
  for (const { name } of post.sent()) bySent.set(name, (bySent.get(name) ?? 0) + 1);
  expect(bySent.size).toBe(sent);
  // Only what was under way when its process was killed is sent once more by the next one.
  const twice = [...bySent.values()].filter((times) => times > 1).length;
  expect(twice).toBeLessThanOrEqual(4 * 4);
});
