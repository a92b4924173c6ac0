import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../errors.js';
import { fullName, splitFullName } from '../../model/full-name.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { Verbs, WatchEvent } from '../../service/verbs.js';
import { shownName } from '../remote/namespaces.js';
import type { Awaited } from './condition.js';

export type End =
  | { readonly name: string; readonly outcome: 'met'; readonly object?: ExtensionObject }
  | { readonly name: string; readonly outcome: 'deleted' | 'missing'; readonly object?: undefined };

/** The limit of names in one request. */
const NAMES_CHUNK = 200;
/** Pause before an interrupted watch starts again. */
const PAUSE_MS = 250;

/**
 * Waits for objects of one model. Each end is reported once, as it occurs; when the signal aborts it stops, and the rest in
 * `pending` was not met. An interrupted watch starts again.
 */
export class Waiter {
  readonly #pending: Set<string>;
  /** The last known uid of each awaited object. */
  readonly #uids = new Map<string, string>();

  constructor(
    private readonly verbs: Verbs,
    private readonly resource: Resource,
    private readonly awaited: Awaited,
    /** Full names, all in one namespace. */
    names: readonly string[],
  ) {
    this.#pending = new Set(names);
  }

  /** Names whose wait has not ended. */
  get pending(): readonly string[] {
    return [...this.#pending];
  }

  /** @param once only checks, and does not wait */
  async *run(signal: AbortSignal, once: boolean): AsyncGenerator<End> {
    while (this.#pending.size > 0 && !signal.aborted) {
      const revision = yield* this.#look();
      if (once) return;
      try {
        yield* this.#follow(revision, signal);
      } catch (error) {
        if (!hasCode(error, 'Expired')) throw error;
      }
      if (this.#pending.size > 0) await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Decides on the objects as they are now. Returns the revision to watch from. */
  async *#look(): AsyncGenerator<End, string> {
    let revision: string | undefined;
    const names = this.pending;
    const inNamespace = this.#namespace();
    for (let at = 0; at < names.length; at += NAMES_CHUNK) {
      const chunk = names.slice(at, at + NAMES_CHUNK);
      const fieldSelector = `metadata.name=(${chunk.map(shownName).join(',')})`;
      const { items, metadata } = await this.verbs.list(this.resource, { ...inNamespace, fieldSelector });
      // Changes after the first part was read are received again; deciding twice on a state does no harm.
      revision ??= metadata.resourceVersion;
      const found = new Map(items.map((object) => [fullName(this.resource, object.metadata), object]));
      for (const name of chunk) yield* this.#decide(name, found.get(name), false);
    }
    return revision ?? '0';
  }

  #namespace(): { readonly namespace?: string } {
    const { namespace } = splitFullName(this.pending[0] ?? '');
    return namespace === undefined ? {} : { namespace };
  }

  async *#follow(revision: string, signal: AbortSignal): AsyncGenerator<End> {
    if (this.#pending.size === 0) return;
    const stop = new AbortController();
    const [only, ...more] = this.pending;
    const about = only !== undefined && more.length === 0 ? { name: only } : this.#namespace();
    // An empty store has no revision to continue from, and no objects: all later ones are new.
    const from = revision === '0' ? {} : { resourceVersion: revision };
    const ends = AbortSignal.any([signal, stop.signal]);
    for await (const event of this.verbs.watch(this.resource, { ...about, ...from, signal: ends })) {
      yield* this.#decideOn(event);
      if (this.#pending.size === 0) stop.abort();
    }
  }

  *#decideOn(event: WatchEvent): Generator<End> {
    if (event.type === 'BOOKMARK') return;
    const name = fullName(this.resource, event.object.metadata);
    yield* this.#decide(name, event.type === 'DELETED' ? undefined : event.object, true);
  }

  *#decide(name: string, object: ExtensionObject | undefined, isChange: boolean): Generator<End> {
    if (!this.#pending.has(name)) return;
    const end = this.#endOf(name, object, isChange);
    if (end === undefined) return;
    this.#pending.delete(name);
    yield end;
  }

  #endOf(name: string, object: ExtensionObject | undefined, isChange: boolean): End | undefined {
    const { kind } = this.awaited;
    const before = this.#uids.get(name);
    if (object !== undefined) this.#uids.set(name, object.metadata.uid);
    if (kind === 'create') return object === undefined ? undefined : { name, outcome: 'met', object };
    if (kind === 'delete') {
      // Another object of the same name means that the first is gone.
      const isGone = object === undefined || (before !== undefined && before !== object.metadata.uid);
      return isGone ? { name, outcome: 'met' } : undefined;
    }
    if (object === undefined)
      return { name, outcome: isChange || before !== undefined ? 'deleted' : 'missing' };
    return this.awaited.kind === 'state' && this.awaited.isMet(object)
      ? { name, outcome: 'met', object }
      : undefined;
  }
}
