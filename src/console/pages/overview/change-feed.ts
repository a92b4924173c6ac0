import { readChanges, readLastChanges, type Change } from '../../api/changes.js';
import { untilOnline } from '../../api/connection.js';
import { ApiError, Unreachable } from '../../api/errors.js';
import { getPath, type ModelRef } from '../../api/models.js';
import { pause } from '../../lib/coalesce.js';
import { Store } from '../../lib/store.js';

/** The number of latest revisions in the range. */
export const WINDOW = 500;

/** The latest changes. */
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
/** The limit of parallel requests: other requests need connections, too. */
const AT_ONCE = 3;

/**
 * Follows the last changes of all models. One request returns the changed models; each of them is read from its last position, so
 * that nothing is missed.
 */
export class ChangeFeed {
  readonly recent = new Store<RecentChanges>(NOTHING);
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
    const head = await this.#findChanged(models, signal);
    const after = Math.max(1, head - WINDOW);
    const isUnread = (model: ModelRef): boolean => (this.#unread.get(getPath(model)) ?? 0) > after;
    const asked = models.filter(isUnread);
    const quiet = models.filter((model) => !isUnread(model)).map(getPath);
    if (asked.length > 0 || head > this.recent.get().head || quiet.some((path) => !this.#isReported(path)))
      this.#add({ after, head, changes: [], reported: quiet });
    const take = async (): Promise<void> => {
      for (let model = asked.shift(); model !== undefined && !signal.aborted; model = asked.shift()) {
        const changes = await this.#changesOf(model, { after, head }, signal);
        if (changes !== undefined) this.#add({ after, head, changes, reported: [getPath(model)] });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, take));
    if (!signal.aborted && !this.recent.get().isWhole)
      this.recent.set({ ...this.recent.get(), isWhole: true });
  }

  /** @returns the last revision of the store */
  async #findChanged(models: readonly ModelRef[], signal: AbortSignal): Promise<number> {
    // A new model needs its earlier changes as well.
    const isKnown = models.every(
      (model) => this.#isReported(getPath(model)) || this.#unread.has(getPath(model)),
    );
    const { head, models: changed } = await readLastChanges(isKnown ? this.#lookedAt : 0, signal);
    // Another store has replaced the former one.
    if (head < this.#lookedAt) {
      this.#forget();
      return this.#findChanged(models, signal);
    }
    this.#lookedAt = head;
    for (const [path, revision] of changed)
      if (revision > (this.#positions.get(path) ?? 0)) this.#unread.set(path, revision);
    return head;
  }

  #isReported(path: string): boolean {
    return this.recent.get().reported.has(path);
  }

  #forget(): void {
    this.#positions.clear();
    this.#unread.clear();
    this.#lookedAt = 0;
    this.recent.set(NOTHING);
  }

  /** Undefined when they cannot be read; this is tried again. */
  async #changesOf(
    model: ModelRef,
    { after, head }: Pick<RecentChanges, 'after' | 'head'>,
    signal: AbortSignal,
  ): Promise<readonly Change[] | undefined> {
    const path = getPath(model);
    const from = Math.max(after, this.#positions.get(path) ?? 0);
    const until = this.#unread.get(path) ?? head;
    try {
      const changes = await readChanges(model, { after: from, until }, signal);
      this.#moveTo(path, changes.at(-1)?.revision ?? from);
      return changes;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The log does not go back so far.
      if (error.code === 410) this.#moveTo(path, until);
      return undefined;
    }
  }

  #moveTo(path: string, revision: number): void {
    this.#positions.set(path, revision);
    if ((this.#unread.get(path) ?? 0) <= revision) this.#unread.delete(path);
  }

  #add({ after, head, changes, reported }: Added): void {
    const known = this.recent.get();
    const all = [...known.changes, ...changes].filter(({ revision }) => revision > after);
    this.recent.set({
      ...known,
      after,
      head: Math.max(head, changes.at(-1)?.revision ?? 0),
      changes: changes.length === 0 ? all : all.sort((a, b) => a.revision - b.revision),
      reported: new Set([...known.reported, ...reported]),
    });
  }
}

interface Added extends Pick<RecentChanges, 'after' | 'head' | 'changes'> {
  /** Paths of the models of these changes, including models without any. */
  readonly reported: readonly string[];
}
