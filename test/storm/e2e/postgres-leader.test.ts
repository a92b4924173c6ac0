import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { clockOff, killDaemons } from '../../helpers/daemon.js';
import { countSent, leaderOf, MAILS, msUntil, postOffice, send } from '../../helpers/mailer.js';
import { type PostgresServer, startPostgres, usePostgres } from '../../helpers/postgres.js';
import { removeDirectories } from '../../helpers/store.js';
import { openStream } from '../../helpers/watching.js';

usePostgres();
afterEach(killDaemons);
afterAll(removeDirectories);

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});

/** Not so short that a busy machine would end a term. */
const LEASE_MS = 15_000;
/** That one is over is seen by the clock of another process, which may be busy. */
const LEASES_MS_MAX = 5 * LEASE_MS;
const LEASE = ['--lease-duration', `${LEASE_MS}ms`];

function flagsFor(schema: string): readonly string[] {
  return ['--store', `${server.url}?schema=${schema}`, ...LEASE];
}

const namesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

it('of daemons apart one leads; when it is killed another takes over after the lease', async () => {
  const post = postOffice();
  const flags = flagsFor('killed');
  const a = await post.startApart('a', flags);
  const b = await post.startApart('b', flags);
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
  expect(ms).toBeLessThan(LEASES_MS_MAX);
  await msUntil('all are sent', async () => (await countSent(b)) === 120);
  expect(post.sent()).toHaveLength(120);
});

it('a leader that stands still loses its lease, and its later writes are refused', async () => {
  const post = postOffice();
  const flags = flagsFor('stopped');
  const a = await post.startApart('a', flags);
  const b = await post.startApart('b', flags);
  await send(a, ['late'], { gate: post.gate });
  await msUntil('it is under way', async () => post.sent().length === 1);
  a.signal('SIGSTOP');
  await msUntil('the other leads', async () => (await leaderOf(b)).isSelf);
  await msUntil('the other sends it', async () => post.sent().length === 2);
  a.signal('SIGCONT');
  post.openGate();
  await msUntil('it is sent', async () => (await countSent(b)) === 1);
  await msUntil('it is noticed', async () => !(await leaderOf(a)).isSelf);
  await msUntil('its write is refused', () =>
    Promise.resolve(
      a.output.stderr.includes('late is not marked as sent: this process is no longer the leader'),
    ),
  );
  expect(post.sent().map(({ token }) => token)).toEqual([1, 2]);
  expect(a.output.stderr).toContain('no longer the leader');
});

it('clocks that are hours apart change nothing of who leads, and of what is seen', async () => {
  const post = postOffice();
  const flags = flagsFor('clocks');
  const ahead = await post.startApart('a', flags, { wrapper: clockOff(6) });
  const behind = await post.startApart('b', flags, { wrapper: clockOff(-6) });
  const watch = await openStream(`${behind.url}${MAILS}?watch=true`);
  await send(behind, namesOf('b', 20));
  await send(ahead, namesOf('a', 20));
  await msUntil('all are sent', async () => (await countSent(behind)) === 40);
  expect(post.sent().map(({ pid, token }) => `${pid} ${token}`)).toEqual(Array(40).fill(`${ahead.pid} 1`));
  const madeAt = async (name: string): Promise<number> =>
    Date.parse(String((await behind.get(`${MAILS}/${name}`)).json().metadata['creationTimestamp']));
  expect((await madeAt('a-1')) - (await madeAt('b-1'))).toBeGreaterThan(11 * 3_600_000);
  // None of the two takes the lease from the other, for longer than it lasts.
  await sleep(1.5 * LEASE_MS);
  expect(await leaderOf(behind)).toMatchObject({ token: 1, isSelf: false });
  ahead.signal('SIGKILL');
  await ahead.exited;
  const ms = await msUntil('the other leads', async () => (await leaderOf(behind)).isSelf);
  expect(ms).toBeLessThan(LEASES_MS_MAX);
  await send(behind, namesOf('c', 20));
  await msUntil('all are sent', async () => (await countSent(behind)) === 60);
  expect(post.sent()).toHaveLength(60);
  const created = (): number => watch.events().filter(({ type }) => type === 'ADDED').length;
  await expect.poll(created).toBe(60);
  watch.destroy();
});
