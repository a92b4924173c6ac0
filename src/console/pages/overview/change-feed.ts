import { readChanges, readLastChanges, type Change } from '../../api/changes.js';
import { untilOnline } from '../../api/connection.js';
import { ApiError, Unreachable } from '../../api/errors.js';
import { getPath, type ModelRef } from '../../api/models.js';
import { coalesce, pause } from '../../lib/coalesce.js';
import { Store } from '../../lib/store.js';

/** The number of latest revisions in the range. */
const WINDOW = 500;

export interface RecentChanges {
  /** The range begins after it. */
  readonly after: number;
  /** The range ends with it. */
  readonly head: number;
  /** In order of revisions. */
  readonly changes: readonly Change[];
  /** Paths of the models whose changes are known. */
  readonly reported: ReadonlySet<string>;
  /** True when those of all models were known once. */
  readonly isWhole: boolean;
}

const NOTHING: RecentChanges = { after: 0, head: 0, changes: [], reported: new Set(), isWhole: false };

const AGAIN_MS = 2_000;
/** The changes of many models arrive one model at a time; the cards of all models are drawn again only so often. */
const SHOWN_MS = 250;
/** The limit of parallel requests: other requests need connections, too. */
const AT_ONCE = 3;

/**
 * Follows the last changes of all models. One request returns the changed models; each of them is read from its last position, so
 * that nothing is missed.
 */
export class ChangeFeed {
  readonly recent = new Store<RecentChanges>(NOTHING);
  /** The state to show next. */
  #latest = NOTHING;
  readonly #show = coalesce(() => {
    this.recent.set(this.#latest);
    return Promise.resolve();
  }, SHOWN_MS);
  /** The position for the next read of each model, by its path. */
  readonly #positions = new Map<string, number>();
  /** The revisions of unread changes, by the paths of their models. */
  readonly #unread = new Map<string, number>();
  /** The revision of the store at the last request. */
  #lookedAt = 0;

  /** Runs until the signal is aborted. @param models returns the current models */
  async follow(models: () => readonly ModelRef[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#look(models(), signal);
      } catch (error) {
        if (error instanceof Unreachable) await untilOnline(signal);
      }
      await pause(AGAIN_MS, signal);
    }
  }

  async #look(models: readonly ModelRef[], signal: AbortSignal): Promise<void> {
    const head = await this.#findChanged(models.map(getPath), signal);
    const after = Math.max(1, head - WINDOW);
    const isUnread = (model: ModelRef): boolean => (this.#unread.get(getPath(model)) ?? 0) > after;
    const asked = models.filter(isUnread);
    const quiet = models.filter((model) => !isUnread(model)).map(getPath);
    const known = this.#latest;
    if (asked.length > 0 || head > known.head || quiet.some((path) => !known.reported.has(path)))
      this.#add({ after, head }, [], quiet);
    const take = async (): Promise<void> => {
      for (let model = asked.shift(); model !== undefined && !signal.aborted; model = asked.shift())
        await this.#read(model, { after, head }, signal);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, take));
    if (!signal.aborted && !this.#latest.isWhole) this.#set({ ...this.#latest, isWhole: true });
  }

  /** @returns the last revision of the store */
  async #findChanged(paths: readonly string[], signal: AbortSignal): Promise<number> {
    // A new model needs its earlier changes as well.
    const { reported } = this.#latest;
    const isKnown = paths.every((path) => reported.has(path) || this.#unread.has(path));
    const { head, models } = await readLastChanges(isKnown ? this.#lookedAt : 0, signal);
    // Another store has replaced the former one.
    if (head < this.#lookedAt) {
      this.#positions.clear();
      this.#unread.clear();
      this.#lookedAt = 0;
      this.#set(NOTHING);
      return this.#findChanged(paths, signal);
    }
    this.#lookedAt = head;
    for (const [path, revision] of models)
      if (revision > (this.#positions.get(path) ?? 0)) this.#unread.set(path, revision);
    return head;
  }

  /** Reads the changes of a model. Those that cannot be read are tried again. */
  async #read(model: ModelRef, range: Range, signal: AbortSignal): Promise<void> {
    const path = getPath(model);
    const after = Math.max(range.after, this.#positions.get(path) ?? 0);
    const until = this.#unread.get(path) ?? range.head;
    try {
      const changes = await readChanges(model, { after, until }, signal);
      this.#moveTo(path, changes.at(-1)?.revision ?? after);
      this.#add(range, changes, [path]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The log does not go back so far.
      if (error.code === 410) this.#moveTo(path, until);
    }
  }

  #moveTo(path: string, revision: number): void {
    this.#positions.set(path, revision);
    if ((this.#unread.get(path) ?? 0) <= revision) this.#unread.delete(path);
  }

  #set(next: RecentChanges): void {
    this.#latest = next;
    this.#show();
  }

  /** @param reported paths of the models of these changes, including models without any */
  #add({ after, head }: Range, changes: readonly Change[], reported: readonly string[]): void {
    const known = this.#latest;
    const all = [...known.changes, ...changes].filter(({ revision }) => revision > after);
    this.#set({
      ...known,
      after,
      head: Math.max(head, changes.at(-1)?.revision ?? 0),
      changes: all.sort((a, b) => a.revision - b.revision),
      reported: new Set([...known.reported, ...reported]),
    });
  }
}

type Range = Pick<RecentChanges, 'after' | 'head'>;
