import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { openRemote } from '../../../src/client/http-verbs.js';
import { ServiceError } from '../../../src/errors.js';
import type { BatchItem } from '../../../src/service/verbs.js';
import { killDaemons, runProgram, type DaemonProcess } from '../../helpers/daemon.js';
import { leaderOf, MAIL, msUntil, postOffice, type Post } from '../../helpers/mailer.js';
import { startPostgres, usePostgres } from '../../helpers/postgres.js';
import { Random, seedOfRun } from '../../helpers/seed.js';
import { removeDirectories } from '../../helpers/store.js';

usePostgres();
afterEach(killDaemons);
afterAll(removeDirectories);

/** Number of mails; set higher by hand. */
const MAILS = Number(process.env['STORM_OBJECTS'] ?? 1_500);
const BATCH = 100;
const KILLS = Math.max(6, MAILS / 500);
const KILL_EVERY_MS = 3_000;
/** Mails that are changed between two kills. */
const CHANGED = 200;
/** Of the plugin's controller: so many may be under way when their process is killed. */
const WORKERS = 4;
const SETTLED_MS = 300_000;

interface Mail {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: { readonly generation: number };
}

type StartOne = (post: Post, index: number) => Promise<DaemonProcess>;

/** Three daemons, one of which is killed and replaced again and again. */
class Daemons {
  constructor(
    private readonly post: Post,
    private readonly startOne: StartOne,
    private readonly running: DaemonProcess[],
  ) {}

  static async start(post: Post, startOne: StartOne): Promise<Daemons> {
    const running: DaemonProcess[] = [];
    for (const index of [0, 1, 2]) running.push(await startOne(post, index));
    return new Daemons(post, startOne, running);
  }

  async kill(index: number): Promise<void> {
    this.running[index]?.signal('SIGKILL');
    await this.running[index]?.exited;
    this.running[index] = await this.startOne(this.post, index);
  }

  /** Which one leads; the first while none does. */
  async leader(): Promise<number> {
    const leaders = await Promise.all(this.running.map(leaderOf));
    return Math.max(
      0,
      leaders.findIndex(({ isSelf }) => isSelf),
    );
  }

  /** Has one of them write; when it is killed meanwhile, another one is asked the same. */
  async write(items: readonly BatchItem[]): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt += 1) {
      const daemon = this.running[attempt % this.running.length];
      try {
        await openRemote(daemon?.url ?? '').batch(items);
        return;
      } catch (error) {
        // The daemon had stored it before it was killed.
        if (error instanceof ServiceError && error.code === 'AlreadyExists') return;
        await sleep(100);
      }
    }
    throw new Error('no daemon takes a write');
  }

  async mails(): Promise<Mail[]> {
    const mails: Mail[] = [];
    const [first] = this.running;
    for await (const object of openRemote(first?.url ?? '').listAll(MAIL))
      mails.push(object as unknown as Mail);
    return mails;
  }

  async expectSound(): Promise<void> {
    for (const { url } of this.running)
      expect(await runProgram(['check', '--server', url])).toMatchObject({ code: 0, stdout: '' });
  }
}

function created(from: number): readonly BatchItem[] {
  return Array.from({ length: BATCH }, (_, i) => ({
    verb: 'create',
    resource: MAIL,
    object: { metadata: { name: `mail-${from + i}` }, spec: { text: 'first' } },
  }));
}

function changed(random: Random, round: number): readonly BatchItem[] {
  const names = new Set(Array.from({ length: CHANGED }, () => `mail-${random.below(MAILS)}`));
  return [...names].map((name) => ({
    verb: 'patch',
    resource: MAIL,
    name,
    patch: { spec: { text: `change ${round}` } },
    type: 'merge',
  }));
}

/** Each generation of a mail is sent once by a leader, and by a later one only if the one before was killed at it. */
function expectSentOnce(post: Post, mails: readonly Mail[]): void {
  const sent = post.sent();
  const tokens = new Map<string, number[]>();
  for (const { name, generation, token } of sent) {
    const key = `${name} ${generation}`;
    tokens.set(key, [...(tokens.get(key) ?? []), token]);
  }
  const unsent = mails.filter(({ metadata }) => !tokens.has(`${metadata.name} ${metadata.generation}`));
  expect(unsent).toEqual([]);
  const twiceByOne = [...tokens].filter(([, of]) => new Set(of).size < of.length);
  expect(twiceByOne).toEqual([]);
  const order = sent.map(({ token }) => token);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  const leaders = new Set(order).size;
  expect(leaders).toBeGreaterThan(1);
  const again = sent.length - tokens.size;
  expect(again).toBeLessThanOrEqual(WORKERS * (leaders - 1));
  console.log(`${mails.length} mails, ${tokens.size} sent in ${leaders} terms, ${again} of them once more`);
}

const seed = seedOfRun();
const STORES: readonly (readonly [string, () => Promise<StartOne>])[] = [
  ['in one directory', () => Promise.resolve((post) => post.start())],
  [
    'in PostgreSQL',
    async () => {
      const { url } = await startPostgres();
      const flags = ['--store', url, '--lease-duration', '2s'];
      return (post, index) => post.startApart(`daemon-${index}`, flags);
    },
  ],
];

it.each(STORES)(
  `over three daemons on a store %s, one of which is killed every 3 s, a controller does all once (seed ${seed})`,
  async (_, prepare) => {
    const random = new Random(seed);
    const post = postOffice();
    const daemons = await Daemons.start(post, await prepare());
    const killed = { times: 0 };
    const writing = (async () => {
      for (let from = 0; from < MAILS; from += BATCH) await daemons.write(created(from));
      for (let round = 0; killed.times < KILLS; round += 1) {
        await daemons.write(changed(random, round));
        await sleep(1_000);
      }
    })();
    const killing = (async () => {
      for (; killed.times < KILLS; killed.times += 1) {
        await sleep(KILL_EVERY_MS);
        await daemons.kill(killed.times % 2 === 0 ? await daemons.leader() : random.below(3));
      }
    })();
    await Promise.all([writing, killing]);
    let mails = await daemons.mails();
    const isSettled = async (): Promise<boolean> => {
      mails = await daemons.mails();
      return mails.every(({ metadata, status }) => status?.generation === metadata.generation);
    };
    await msUntil('every status is right', isSettled, SETTLED_MS);
    expect(mails).toHaveLength(MAILS);
    expectSentOnce(post, mails);
    await daemons.expectSound();
  },
);
