import { afterAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import type { BatchItem } from '../../src/service/verbs.js';
import type { ChangeBatch } from '../../src/store/log/change.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import { removeDirectories } from '../helpers/store.js';
import { THING, thing } from '../store/helpers.js';
import { headOf, subscribe, takeUntil, textsOf, usePrograms, type Program } from './helpers.js';

afterAll(removeDirectories);
const programs = usePrograms();
const seed = seedOfRun();

/** Answers to the writers: every change they made, as revision and name. */
type Answers = { readonly revision: number; readonly name: string; readonly deleted: boolean }[];

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const COLORS = ['red', 'blue', 'green'];

/** Writes single objects and batches at random, and notes what became of it. */
async function write(program: Program, random: Random, writes: number, answers: Answers): Promise<void> {
  for (let done = 0; done < writes; done++) {
    const items = random.many(1, 3, (): BatchItem => {
      const name = random.pick(NAMES);
      const color = random.pick(COLORS);
      const verb = random.pick(['create', 'patch', 'delete'] as const);
      if (verb === 'create') return { verb, resource: THING, object: thing(name, { color }) };
      if (verb === 'delete') return { verb, resource: THING, name };
      return { verb, resource: THING, name, patch: { spec: { color } }, type: 'merge' };
    });
    try {
      const { items: results } = await program.service.batch(items);
      for (const [i, { object, changed }] of results.entries()) {
        if (!changed) continue;
        const { name, resourceVersion } = object.metadata;
        answers.push({ revision: Number(resourceVersion), name, deleted: items[i]?.verb === 'delete' });
      }
    } catch (error) {
      if (!(error instanceof ServiceError) || !['NotFound', 'AlreadyExists'].includes(error.code))
        throw error;
    }
  }
}

/** Two programs write at once while work is done. */
async function underWrites(
  writes: number,
  work: (watcher: Program, done: Promise<unknown>) => Promise<void>,
): Promise<Answers> {
  const watcher = await programs.start();
  const other = await programs.start();
  const answers: Answers = [];
  const done = Promise.all([
    write(watcher, new Random(seed), writes, answers),
    write(other, new Random(seed + 1), writes, answers),
  ]);
  await work(watcher, done);
  await done;
  return answers.sort((a, b) => a.revision - b.revision);
}

const changesOf = (batches: readonly ChangeBatch[]) =>
  batches.flatMap(({ changes }) =>
    changes.map(({ type, revision, name }) => ({ revision, name, deleted: type === 'DELETED' })),
  );

describe(`a watch, with two programs writing (seed ${seed})`, () => {
  it('is ordered, complete and sends nothing twice: exactly the answers to the writers', async () => {
    let reported: ChangeBatch[] = [];
    const answers = await underWrites(60, async (watcher, done) => {
      const subscription = subscribe(watcher, 0);
      const first = await takeUntil(subscription, 5);
      await done;
      reported = [...first, ...(await takeUntil(subscription, await headOf(watcher)))];
      subscription.close();
    });
    expect(changesOf(reported)).toEqual(answers);
    const revisions = reported.map(({ revision }) => revision);
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
  });

  it('sends each change under a separate revision, ascending', async () => {
    await underWrites(40, async (watcher, done) => {
      const subscription = subscribe(watcher, 0);
      // Whatever the seed: one commit with several changes, of names that nobody else writes.
      await watcher.service.batch(
        ['x', 'y'].map((name) => ({ verb: 'create', resource: THING, object: thing(name) })),
      );
      await done;
      const reported = await takeUntil(subscription, await headOf(watcher));
      subscription.close();
      const revisions = reported.flatMap(({ changes }) => changes.map(({ revision }) => revision));
      expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
      expect(revisions).toHaveLength(await headOf(watcher));
    });
  });

  it('can be resumed from every revision that the log keeps', async () => {
    await underWrites(40, async (watcher, done) => {
      await done;
      const head = await headOf(watcher);
      const whole = subscribe(watcher, 0);
      const all = (await takeUntil(whole, head)).flatMap(textsOf);
      whole.close();
      for (let after = 0; after <= head; after++) {
        const subscription = subscribe(watcher, after);
        const rest = (await takeUntil(subscription, head)).flatMap(textsOf);
        subscription.close();
        expect(rest).toEqual(all.filter((text) => Number(text.split(' ')[0]) > after));
      }
    });
  });

  it('tells of each object a chain of states, in which each begins where the one before ended', async () => {
    let reported: ChangeBatch[] = [];
    await underWrites(60, async (watcher, done) => {
      const subscription = subscribe(watcher, 0);
      await done;
      reported = await takeUntil(subscription, await headOf(watcher));
      subscription.close();
    });
    const states = new Map<string, string | undefined>();
    for (const change of reported.flatMap(({ changes }) => changes)) {
      const before = change.previousObject();
      expect(JSON.stringify(before)).toBe(states.get(change.name));
      states.set(change.name, change.type === 'DELETED' ? undefined : JSON.stringify(change.object()));
    }
  });

  it('has bookmarks that are never ahead of events, and that move when others are busy', async () => {
    const events: { readonly bookmark: boolean; readonly revision: number }[] = [];
    const quiet = await programs.start({ watch: { bookmarkMs: 1 } });
    await quiet.service.create(THING, thing('start'));
    const ending = new AbortController();
    const watching = (async () => {
      const options = { bookmarks: true, resourceVersion: '1', signal: ending.signal, name: 'a' };
      for await (const { type, object } of quiet.service.watch(THING, options)) {
        events.push({ bookmark: type === 'BOOKMARK', revision: Number(object.metadata.resourceVersion) });
      }
    })();
    let head = 0;
    await underWrites(60, async (watcher, done) => {
      await done;
      head = await headOf(watcher);
    });
    await expect.poll(() => events.at(-1)?.revision).toBe(head);
    ending.abort();
    await watching;
    expect(events.some(({ bookmark }) => bookmark)).toBe(true);
    for (const [i, { revision }] of events.entries()) {
      const before = events[i - 1];
      if (before?.bookmark === true) expect(revision).toBeGreaterThan(before.revision);
      else if (before !== undefined) expect(revision).toBeGreaterThanOrEqual(before.revision);
    }
  });

  it('that begins with the objects there are leaves no gap to what changes meanwhile', async () => {
    await underWrites(60, async (watcher, done) => {
      const known = new Map<string, string>();
      const ending = new AbortController();
      const options = { sendInitialEvents: true, signal: ending.signal };
      const watching = (async () => {
        for await (const { type, object } of watcher.service.watch(THING, options)) {
          if (type === 'BOOKMARK') continue;
          const { name, resourceVersion } = object.metadata;
          if (type === 'DELETED') known.delete(name);
          else known.set(name, resourceVersion);
        }
      })();
      await done;
      const { items } = await watcher.service.list(THING);
      const stored = Object.fromEntries(
        items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
      );
      await expect.poll(() => Object.fromEntries(known)).toEqual(stored);
      ending.abort();
      await watching;
    });
  });
});
