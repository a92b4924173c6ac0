import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, expect, it } from 'vitest';
import { ownerName } from '../../../src/lib/process/process-identity.js';
import type { Engine } from '../../../src/store/engine.js';
import { leaseKey } from '../../../src/store/index/keys.js';
import { byProcess, Lease, type LeaseRecord, type Liveness } from '../../../src/cluster/lease.js';
import { openLmdb } from '../../../src/engines/lmdb/engine.js';
import { killDaemons, runProgram, type DaemonProcess } from '../../helpers/daemon.js';
import {
  CONTROLLERS,
  countSent,
  leaderOf,
  MAILS,
  msUntil,
  postOffice,
  send,
  type Post,
} from '../../helpers/mailer.js';
import { removeDirectories } from '../../helpers/store.js';

/** Interval at which a daemon checks that the leader still runs, and the size of the log. */
const LOOK_MS = 1_000;

afterEach(killDaemons);
afterAll(removeDirectories);

const namesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

/** One more process that wants to lead: this one. */
function heirOf(engine: Engine, liveness: Liveness): Lease {
  return new Lease({
    engine,
    name: 'leader',
    holder: ownerName(),
    liveness,
    onBegin: () => undefined,
    onEnd: () => undefined,
    onProblem: (error) => {
      throw error;
    },
  });
}

/** True when the mailer runs in this daemon and is idle. */
async function isIdle(daemon: DaemonProcess): Promise<boolean> {
  const { items } = (await daemon.get(CONTROLLERS)).json() as unknown as {
    readonly items: readonly {
      readonly metadata: { readonly name: string };
      readonly status: { readonly phase: string; readonly queueDepth: number; readonly inWork: object[] };
    }[];
  };
  const status = items.find(({ metadata }) => metadata.name === 'mailer-mail-reconciler')?.status;
  return status?.phase === 'running' && status.queueDepth === 0 && status.inWork.length === 0;
}

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
  // Changes are followed in order: what those before it led to is known when this one is sent.
  await send(b, ['last']);
  await msUntil('the last is sent', async () => (await countSent(a)) === 201 && (await countSent(b)) === 201);
  await msUntil('nothing is left to do', () => isIdle(a));
  expect(post.sent()).toHaveLength(201);
  expect(new Set(post.sent().map(({ name }) => name)).size).toBe(201);
  expect(new Set(post.sent().map(({ pid, token }) => `${pid} ${token}`))).toEqual(new Set([`${a.pid} 1`]));

  const [ofA, ofB] = [await leaderOf(a), await leaderOf(b)];
  expect(ofA).toMatchObject({ token: 1, isSelf: true });
  expect(ofB).toEqual({ ...ofA, isSelf: false });
  expect(ofA.holder.split('/')[1]).toBe(String(a.pid));
  expect((await a.get('/readyz?verbose')).text).toContain(
    '[+]leader ok: this process is the leader, token 1\n',
  );
  expect((await b.get('/readyz?verbose')).text).toMatch(
    new RegExp(`\\[\\+\\]leader ok: process ${a.pid} on .* is the leader, token 1\\n`),
  );
  expect((await a.get('/metrics')).text).toMatch(/^xsvc_leader 1$/m);
  expect((await b.get('/metrics')).text).toMatch(/^xsvc_leader 0$/m);
  expect((await b.get('/metrics')).text).toMatch(/^xsvc_leader_token 1$/m);
  expect(a.output.stderr).toContain('this process is now the leader');
  expect(b.output.stderr).not.toContain('this process is now the leader');
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
    signal: AbortSignal.timeout(60_000),
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

it('a leader that is killed has a successor soon, which sees that it is dead, and finishes the work', async () => {
  const post = postOffice();
  const [a, b] = [await post.start(), await post.start()];
  const engine = await openLmdb(post.dataDir);
  await send(b, namesOf('mail', 200), { slow: 20 });
  await msUntil('some are sent', async () => post.sent().length > 40);
  a.signal('SIGKILL');
  await a.exited;
  let isAsked = false;
  const ms = await msUntil('the other leads', async () => {
    const stored = String(await engine.get(leaseKey('leader')));
    isAsked ||= (JSON.parse(stored) as LeaseRecord).isAsked === true;
    return (await leaderOf(b)).isSelf;
  });
  expect(ms).toBeLessThan(10 * LOOK_MS);
  // A holder whose process cannot be seen is asked for a sign of life, and has four seconds to give it.
  expect(isAsked).toBe(false);
  await engine.close();
  expect((await leaderOf(b)).token).toBe(2);
  await msUntil('all are sent', async () => (await countSent(b)) === 200);
  const twice = post.sent().length - new Set(post.sent().map(({ name }) => name)).size;
  // Those under way when it was killed, one of each worker.
  expect(twice).toBeLessThanOrEqual(4);
  await expectSound(post, b);
});

it('a leader that ends in order releases its lease, and notifies the next one', async () => {
  const post = postOffice();
  const a = await post.start();
  const engine = await openLmdb(post.dataDir);
  // It takes nobody for dead, and looks only when others have written.
  const heir = heirOf(engine, { ...byProcess(() => 'alive'), tickMs: 2 ** 31 - 1 });
  await heir.start();
  expect(heir.term).toBeUndefined();
  expect(await a.stop()).toMatchObject({ code: 0 });
  await msUntil('it leads', () => Promise.resolve(heir.term?.token === 2));
  await heir.stop();
  await engine.close();
});

it('a leader that ends in order hands over its work, and nothing is done twice', async () => {
  const post = postOffice();
  const [a, b] = [await post.start(), await post.start()];
  await send(b, namesOf('mail', 100), { slow: 10 });
  expect(await a.stop()).toMatchObject({ code: 0 });
  await msUntil('the other leads', async () => (await leaderOf(b)).isSelf);
  await msUntil('all are sent', async () => (await countSent(b)) === 100);
  expect(new Set(post.sent().map(({ name }) => name)).size).toBe(post.sent().length);
  await expectSound(post, b);
});

it('a late write of a leader is refused when another one has taken over', async () => {
  const post = postOffice();
  const a = await post.start();
  await send(a, ['late'], { gate: post.gate });
  await msUntil('it is under way', async () => post.sent().length === 1);
  const engine = await openLmdb(post.dataDir);
  // The thief treats any holder as dead.
  const thief = heirOf(
    engine,
    byProcess(() => 'dead'),
  );
  await thief.start();
  expect(thief.term?.token).toBe(2);
  await msUntil('it is noticed', async () => !(await leaderOf(a)).isSelf);
  post.openGate();
  await msUntil('it is refused', () =>
    Promise.resolve(
      a.output.stderr.includes('late is not marked as sent: this process is no longer the leader'),
    ),
  );
  expect(await countSent(a)).toBe(0);
  expect(a.output.stderr).toContain('this process is no longer the leader');
  await thief.stop();
  await engine.close();
  await msUntil('it leads again', async () => (await leaderOf(a)).isSelf);
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
    await msUntil('it is off', async () => (await daemon.get(MAILS)).status === 404);
  await switchTo(true);
  for (const daemon of [a, b])
    await msUntil('it is on', async () => (await daemon.get(MAILS)).status === 200);
  await send(b, ['one']);
  await msUntil('it is sent', async () => (await countSent(b)) === 1);
  expect(post.sent()).toHaveLength(1);
  await expectSound(post, a, b);
});

async function annotate(daemon: DaemonProcess, name: string, note: string): Promise<void> {
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  const body = { metadata: { annotations: { note } } };
  expect((await daemon.send('PATCH', `${MAILS}/${name}`, { headers, body })).status).toBe(200);
}

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
  expect((await leaderOf(a)).isSelf).toBe(true);
  await send(b, namesOf('mail', 300));
  const logBytes = async (): Promise<number> =>
    Number(/^xsvc_log_bytes (\d+)$/m.exec((await b.get('/metrics')).text)?.[1]);
  await msUntil('all are sent', async () => (await countSent(b)) === 300);
  await msUntil('it is trimmed', async () => (await logBytes()) <= 16_384);

  const isForgotten = async (revision: string): Promise<boolean> =>
    (await b.get(`${MAILS}?watch=true&resourceVersion=${revision}&timeoutSeconds=1`)).status === 410;
  // The leader writes nothing itself meanwhile, so it has to look. All else that trims comes every 30 s: what comes
  // at its time in one round does not in the next.
  let ms = Infinity;
  for (let round = 0; round < 3; round++) {
    const { resourceVersion } = (await b.get(`${MAILS}?size=1`)).json().metadata;
    const began = performance.now();
    // The log keeps the previous state, so the second write passes the limit; letters that repeat would be compressed.
    for (let i = 0; i < 2; i++) await annotate(b, 'mail-0', randomBytes(15_000).toString('base64'));
    await msUntil('they are forgotten', () => isForgotten(String(resourceVersion)));
    ms = performance.now() - began;
  }
  expect(ms).toBeLessThan(20 * LOOK_MS);
  await expectSound(post, a, b);
});
