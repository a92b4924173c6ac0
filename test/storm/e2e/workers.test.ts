import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { FIXTURE_PLUGINS, killDaemons, runProgram, type DaemonProcess } from '../../helpers/daemon.js';
import {
  CONTROLLERS,
  countSent,
  type Leader,
  leaderOf,
  MAILS,
  msUntil,
  postOffice,
  send,
} from '../../helpers/mailer.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

/** The processes that a process has started and that run. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

async function metric(daemon: DaemonProcess, series: string): Promise<number> {
  const { text } = await daemon.get('/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}

/** Each request has a separate connection, so that requests go to all workers. */
const get = (daemon: DaemonProcess, target: string): Promise<Response> =>
  fetch(`${daemon.url}${target}`, { headers: { Connection: 'close' } });

/** True when a worker leads with this token; connections to a killed worker are cut. */
async function leads(daemon: DaemonProcess, token: number): Promise<boolean> {
  try {
    const answer = await get(daemon, CONTROLLERS);
    const { leader } = (await answer.json()) as { readonly leader: Leader };
    return leader.isSelf && leader.token === token;
  } catch {
    return false;
  }
}

it('workers answer as one: writes, watches, controllers, metrics; and all of them end', async () => {
  const post = postOffice();
  const daemon = await post.start('--workers', '2');
  expect(daemon.output.stdout).toBe(`xsvc listening on ${daemon.url}\n`);
  expect(childrenOf(daemon.pid)).toHaveLength(2);
  const stopWatching = new AbortController();
  const seen = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const { signal } = stopWatching;
      const watch = await fetch(`${daemon.url}${MAILS}?watch=true`, { signal });
      const reported = { text: '' };
      const read = async (): Promise<void> => {
        const reader = watch.body?.getReader();
        for (;;) {
          const part: { readonly value?: unknown } | undefined = await reader?.read();
          if (!(part?.value instanceof Uint8Array)) return;
          reported.text += new TextDecoder().decode(part.value);
        }
      };
      read().catch(() => undefined);
      return reported;
    }),
  );
  const names = Array.from({ length: 60 }, (_, i) => `mail-${i}`);
  await send(daemon, names);
  // Whichever worker is asked has it at once.
  for (const name of names) {
    await send(daemon, [`${name}-more`]);
    expect((await get(daemon, `${MAILS}/${name}-more`)).status).toBe(200);
    expect((await get(daemon, `${MAILS}?fieldSelector=metadata.name%3D${name}-more`)).status).toBe(200);
  }
  await msUntil('all are sent', async () => (await countSent(daemon)) === 120);
  await msUntil('all watches tell all', async () =>
    seen.every(({ text }) => names.every((name) => text.includes(`"${name}-more"`))),
  );
  stopWatching.abort();
  expect(new Set(post.sent().map(({ name }) => name)).size).toBe(120);
  expect(post.sent()).toHaveLength(120);

  for (let i = 0; i < 4; i++) {
    expect((await (await get(daemon, CONTROLLERS)).json()) as object).toMatchObject({
      leader: { token: 1, isSelf: true },
      items: [{ metadata: { name: 'mailer-mail-reconciler' }, status: { phase: 'running' } }, {}],
    });
  }
  const posts = 'xsvc_http_requests_total{method="POST"}';
  expect([await metric(daemon, posts), await metric(daemon, posts)]).toEqual([120, 120]);
  const recent = (await (await get(daemon, '/metrics/recent?since=0s')).json()) as {
    readonly samples: readonly { readonly requests: number }[];
  };
  expect(recent.samples).toHaveLength(1);
  expect(recent.samples[0]?.requests).toBeGreaterThan(120);
  expect(await metric(daemon, 'xsvc_leader')).toBe(1);
  expect(await metric(daemon, 'xsvc_objects{group="mailer.example.com",version="v1",kind="Mail"}')).toBe(120);

  const workers = childrenOf(daemon.pid);
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow();
  expect(daemon.output.stderr).toContain('"worker":2');
  expect(await runProgram(['check', '--data-dir', post.dataDir])).toMatchObject({ code: 0 });
});

it('a worker that is killed is replaced, also the one that leads, and also all of them', async () => {
  const post = postOffice();
  const daemon = await post.start('--workers', '2');
  for (let round = 0; round < 2; round++) {
    const leader = Number((await leaderOf(daemon)).holder.split('/')[1]);
    expect(childrenOf(daemon.pid)).toContain(leader);
    process.kill(leader, 'SIGKILL');
    const ms = await msUntil('another one leads', () => leads(daemon, round + 2));
    // It is looked for every second.
    expect(ms).toBeLessThan(10_000);
    await msUntil('it is replaced', () =>
      Promise.resolve((daemon.output.stderr.match(/is serving again/g) ?? []).length === round + 1),
    );
    await send(daemon, [`round-${round}`]);
    await msUntil('it is sent', async () => (await countSent(daemon)) === round + 1);
  }
  for (const pid of childrenOf(daemon.pid)) process.kill(pid, 'SIGKILL');
  const answers = (): Promise<boolean> =>
    get(daemon, '/readyz').then(
      ({ ok }) => ok,
      () => false,
    );
  await msUntil('they answer at the same address', answers);
  await msUntil('both do', () => Promise.resolve(childrenOf(daemon.pid).length === 2));
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
});

it('workers end when the process that started them is killed', async () => {
  const post = postOffice();
  const daemon = await post.start('--workers', '2');
  const workers = childrenOf(daemon.pid);
  daemon.signal('SIGKILL');
  await daemon.exited;
  const isGone = (pid: number): boolean => {
    try {
      return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return true;
    }
  };
  await msUntil('they have ended', () => Promise.resolve(workers.every(isGone)));
  const again = await post.start();
  expect((await leaderOf(again)).isSelf).toBe(true);
  expect(await again.stop()).toMatchObject({ code: 0 });
});

it('an error that prevents workers from starting is printed once, with its exit code', async () => {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const flags = ['serve', '--port', '0', '--data-dir', dataDir, '--workers'];
  for (const count of ['0', '-1', '1.5', 'two', ''])
    expect(await runProgram([...flags, count])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--workers must be an integer from 1 to 128') as string,
    });
  const broken = ['--strict', '--plugins', path.join(FIXTURE_PLUGINS, 'throwing-start')];
  const refused = await runProgram([...flags, '2', ...broken]);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr.match(/exiting because of --strict/g)).toHaveLength(1);
});
