import { afterEach, expect } from 'vitest';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import { Models } from '../../src/service/models.js';
import { Service, type ServiceOptions } from '../../src/service/service.js';
import type { WatchEvent } from '../../src/service/verbs.js';
import { openLmdb } from '../../src/engines/lmdb/engine.js';
import { ModelLifecycle } from '../../src/lifecycle/model-lifecycle.js';
import type { Store } from '../../src/store/store.js';
import type { ChangeBatch } from '../../src/store/log/change.js';
import type { Subscription } from '../../src/watch/subscription.js';
import { disagreements, removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { byColor, Thing, THING } from '../store/helpers.js';

/** One of several programs on the same directory. */
export interface Program {
  readonly store: Store;
  readonly service: Service;
  /** Serves things with these indexes. */
  serve(declare?: DeclareIndexes): Promise<void>;
  close(): Promise<void>;
}

export interface Programs {
  readonly directory: string;
  /** Starts a program, by default with things. */
  start(options?: { readonly watch?: ServiceOptions['watch']; readonly bare?: boolean }): Promise<Program>;
}

/** Programs on one store. After each test it must be sound, and nobody may be left watching. */
export function usePrograms(): Programs {
  const running = new Set<Program>();
  const state = { directory: temporaryDirectory() };
  afterEach(async () => {
    const found: string[] = [];
    const left: number[] = [];
    for (const { store, service } of running) {
      found.push(...(await disagreements(store)));
      left.push(service.hub.subscribers);
    }
    for (const program of running) await program.close();
    removeDirectories();
    state.directory = temporaryDirectory();
    expect(found).toEqual([]);
    expect(left.every((count) => count === 0)).toBe(true);
  });
  return {
    get directory() {
      return state.directory;
    },
    async start({ watch, bare = false } = {}) {
      const engine = await openLmdb(state.directory);
      const lifecycle = await ModelLifecycle.open(engine, {
        now: Date.now,
        owner: 'test',
        isAlive: () => true,
      });
      const { store } = lifecycle;
      const models = new Models(lifecycle);
      const service = new Service({ store, models, ...(watch === undefined ? {} : { watch }) });
      const program: Program = {
        store,
        service,
        async serve(declare = byColor) {
          await models.open(new SchemeRegistry().register(Thing, 'test', declare));
        },
        async close() {
          if (running.delete(program)) await service.close();
        },
      };
      running.add(program);
      if (bare) models.openStored();
      else await program.serve();
      return program;
    },
  };
}

export function subscribe({ store, service }: Program, after: number, signal?: AbortSignal): Subscription {
  const table = store.findTable(THING);
  if (table === undefined) throw new Error('things are not known');
  return service.hub.subscribe(table, { after, signal });
}

/** A change as text: its revision, type, and the object's name and colours before and after. */
export function textsOf({ changes }: ChangeBatch): string[] {
  return changes.map((change) => {
    const before = change.previousObject();
    const after = change.type === 'DELETED' ? undefined : change.object();
    return `${change.revision} ${change.type} ${change.name} ${colorOf(before)}>${colorOf(after)}`;
  });
}

function colorOf(object: { spec?: unknown } | undefined): string {
  return (object?.spec as Thing['spec'] | undefined)?.color ?? '-';
}

/** The batches up to a revision; the subscription is left open. */
export async function takeUntil(subscription: Subscription, revision: number): Promise<ChangeBatch[]> {
  const batches: ChangeBatch[] = [];
  while (subscription.position < revision) {
    const taken = await subscription.next();
    if (taken === 'ended') throw new Error('the subscription ended');
    if (taken !== 'woken') batches.push(taken);
  }
  return batches;
}

export async function headOf({ store }: Program): Promise<number> {
  const view = store.read();
  try {
    return await view.revision();
  } finally {
    view.close();
  }
}

export function eventText(event: WatchEvent): string {
  const name = event.type === 'BOOKMARK' ? '-' : event.object.metadata.name;
  return `${event.type} ${name} ${event.object.metadata.resourceVersion}`;
}
