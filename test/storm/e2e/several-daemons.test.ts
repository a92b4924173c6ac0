import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { ownerName } from '../../../src/lib/process-identity.js';
import { byProcess, Lease } from '../../../src/store/lease.js';
import { openLmdb } from '../../../src/store/lmdb/engine.js';
import { killDaemons, runProgram, type DaemonProcess } from '../../helpers/daemon.js';
import { countSent, leaderOf, MAILS, msUntil, postOffice, send, type Post } from '../../helpers/mailer.js';
import { removeDirectories } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const namesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

async function expectSound(post: Post, ...daemons: readonly DaemonProcess[]): Promise<void> {
  for (const daemon of daemons) expect(await daemon.stop()).toMatchObject({ code: 0 });
  expect(await runProgram(['check', '--data-dir', post.dataDir])).toMatchObject({ code: 0 });
}

it('of two daemons on a directory one runs the controllers, and both serve the same', async () => {
  const post = postOffice();
  const [a, b] = [await post.start(), await post.start()];
  await send(a, namesOf('a', 100));
  await send(b, namesOf('b', 100));
  await msUntil('all are sent', async () => (await countSent(a)) === 200 && (await countSent(b)) === 200);
  await sleep(500);
  expect(post.sent()).toHaveLength(200);
  expect(new Set(post.sent().map(({ name }) => name)).size).toBe(200);
  expect(new Set(post.sent().map(({ pid, token }) => `${pid} ${token}`))).toEqual(new Set([`${a.pid} 1`]));

  const [ofA, ofB] = [await leaderOf(a), await leaderOf(b)];
  expect(ofA).toMatchObject({ token: 1, isSelf: true });
  expect(ofB).toEqual({ ...ofA, isSelf: false });
  expect(ofA.holder.split('/')[1]).toBe(String(a.pid));
  expect((await a.get('/readyz?verbose')).text).toContain('[+]leader ok: this process leads, token 1\n');
  expect((await b.get('/readyz?verbose')).text).toMatch(
    new RegExp(`\\[\\+\\]leader ok: process ${a.pid} on .* leads, token 1\\n`),
  );
  expect((await a.get('/metrics')).text).toMatch(/^xsvc_leader 1$/m);
  expect((await b.get('/metrics')).text).toMatch(/^xsvc_leader 0$/m);
  expect((await b.get('/metrics')).text).toMatch(/^xsvc_leader_token 1$/m);
  expect(a.output.stderr).toContain('this process leads');
  expect(b.output.stderr).not.toContain('this process leads');
  const shown = await runProgram(['controllers', '--server', b.url]);
  expect(shown.stdout).toMatch(/^mailer-mail-reconciler +mails +standby /m);
  expect(shown.stderr).toMatch(
    new RegExp(`^another daemon of the store runs them: process ${a.pid} on .*, token 1$`, 'm'),
  );
  const json = JSON.parse(
    (await runProgram(['controllers', '-o', 'json', '--server', a.url])).stdout,
  ) as object;
  expect(json).toMatchObject({ leader: { holder: ofA.holder, token: 1, isSelf: true } });

  // A watch on one sees the writes of the other, and a read follows a write at once.
  const events = fetch(`${b.url}${MAILS}?watch=true&resourceVersion=0`, {
    signal: AbortSignal.timeout(10_000),
  });
  await send(a, ['seen']);
  expect((await b.get(`${MAILS}/seen`)).status).toBe(200);
  const reader = (await events).body?.getReader();
  let text = '';
  while (!text.includes('"seen"')) {
    const part: { readonly value?: unknown } | undefined = await reader?.read();
    if (!(part?.value instanceof Uint8Array)) throw new Error('the watch has ended');
    text += new TextDecoder().decode(part.value);
  }
  await reader?.cancel();
  await expectSound(post, b, a);
});

it('a leader that is killed has a successor within 5 s, which finishes the work', async () => {
  const post = postOffice();
  const [a, b] = [await post.start(), await post.start()];
  await send(b, namesOf('mail', 200), 20);
  await msUntil('some are sent', async () => post.sent().length > 40);
  a.signal('SIGKILL');
  await a.exited;
  const ms = await msUntil('the other leads', async () => (await leaderOf(b)).isSelf);
  expect(ms).toBeLessThan(5_000);
  expect((await leaderOf(b)).token).toBe(2);
  await msUntil('all are sent', async () => (await countSent(b)) === 200);
  const twice = post.sent().length - new Set(post.sent().map(({ name }) => name)).size;
  // Those under way when it was killed, one of each worker.
  expect(twice).toBeLessThanOrEqual(4);
  await expectSound(post, b);
});

it('a leader that ends in order hands over at once', async () => {
  const post = postOffice();
  const [a, b] = [await post.start(), await post.start()];
  await send(b, namesOf('mail', 100), 10);
  const stopped = a.stop();
  await stopped;
  const ms = await msUntil('the other leads', async () => (await leaderOf(b)).isSelf);
  expect(ms).toBeLessThan(500);
  await msUntil('all are sent', async () => (await countSent(b)) === 100);
  expect(new Set(post.sent().map(({ name }) => name)).size).toBe(post.sent().length);
  await expectSound(post, b);
});

it('what a leader writes late is refused when another one has taken over', async () => {
  const post = postOffice();
  const a = await post.start();
  await send(a, ['late'], 3_000);
  await msUntil('it is under way', async () => post.sent().length === 1);
  const engine = await openLmdb(post.dataDir);
  const thief = new Lease({
    engine,
    name: 'leader',
    holder: ownerName(),
    // Whoever holds it is taken for dead.
    liveness: byProcess(() => 'dead'),
    onBegin: () => undefined,
    onEnd: () => undefined,
    onProblem: (error) => {
      throw error;
    },
  });
  await thief.start();
  expect(thief.term?.token).toBe(2);
  await msUntil('it is noticed', async () => !(await leaderOf(a)).isSelf, 5_000);
  await sleep(3_000);
  expect(await countSent(a)).toBe(0);
  expect(a.output.stderr).toContain('this process no longer leads');
  await thief.stop();
  await engine.close();
  await msUntil('it leads again', async () => (await leaderOf(a)).isSelf, 5_000);
  await msUntil('it is sent', async () => (await countSent(a)) === 1);
  expect(post.sent().map(({ token }) => token)).toEqual([1, 3]);
  await expectSound(post, a);
});

it('a plugin that is switched off or on at one daemon is so at the other', async () => {
  const post = postOffice();
  const [a, b] = [await post.start(), await post.start()];
  const plugin = '/apis/plugin.platform.run/v1alpha1/plugins/mailer';
  const switchTo = async (enabled: boolean): Promise<void> => {
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const body = JSON.stringify({ spec: { enabled } });
    const answer = await fetch(`${b.url}${plugin}`, { method: 'PATCH', headers, body });
    expect(answer.status).toBe(200);
  };
  await switchTo(false);
  for (const daemon of [a, b])
    await msUntil('it is off', async () => (await daemon.get(MAILS)).status === 404, 10_000);
  await switchTo(true);
  for (const daemon of [a, b])
    await msUntil('it is on', async () => (await daemon.get(MAILS)).status === 200, 10_000);
  await send(b, ['one']);
  await msUntil('it is sent', async () => (await countSent(b)) === 1);
  expect(post.sent()).toHaveLength(1);
  await expectSound(post, a, b);
});

it('the leader trims the log that another daemon fills', async () => {
  const post = postOffice();
  const bounded = [
    '--log-retention-count',
    '0',
    '--log-retention-age',
    '0',
    '--log-retention-bytes',
    '16KiB',
  ];
  const [a, b] = [await post.start(...bounded), await post.start(...bounded)];
  await sleep(1_000);
  await send(b, namesOf('mail', 300));
  const logBytes = async (): Promise<number> =>
    Number(/^xsvc_log_bytes (\d+)$/m.exec((await b.get('/metrics')).text)?.[1]);
  await msUntil('all are sent', async () => (await countSent(b)) === 300);
  expect(await msUntil('it is trimmed', async () => (await logBytes()) <= 16_384, 10_000)).toBeLessThan(
    5_000,
  );
  await expectSound(post, a, b);
});
