import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../helpers/seed.js';
import type { Change, Watched } from './history.js';
import { type Kind, pathOf, revisionOf, SHELF_SELECTORS, type StoredObject } from './models.js';
import { randomOf, type World } from './world.js';

const AGAIN_MS = 50;

export interface WatchGiven {
  readonly watch: string;
  readonly kind: Kind;
  readonly shelf?: string;
  /** It leaves after some events and comes back, also in the middle of a commit. */
  readonly isRestless?: boolean;
}

/** Follows the changes after a revision until the run is over, over all breaks. */
export class Watcher {
  readonly watched: Watched;
  readonly #random: Random;
  readonly #ending = new AbortController();

  constructor(
    private readonly world: World,
    private readonly given: WatchGiven,
    private position: number,
  ) {
    const { watch, kind, shelf } = given;
    this.watched = { watch, kind, ...(shelf !== undefined && { shelf }), changes: [] };
    world.history.watches.push(this.watched);
    this.#random = randomOf(world, watch);
  }

  async run(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      await this.#once().catch((error: unknown) => {
        // A connection that breaks is what the run is about.
        if (!(error instanceof TypeError) && !this.#ending.signal.aborted)
          this.world.history.fault(`watch "${this.watched.watch}": ${String(error)}`);
      });
      await sleep(AGAIN_MS);
    }
  }

  /** True when the last change of an object with the mark was received; for an entry, that of the controller. */
  hasSeen(mark: string): boolean {
    return this.watched.changes.some(
      (change) => change.mark === mark && (change.kind !== 'Entry' || change.reconciled === mark),
    );
  }

  end(): void {
    this.#ending.abort();
  }

  /** Reads one answer to its end. */
  async #once(): Promise<void> {
    const response = await fetch(this.#url(), { signal: this.#ending.signal });
    if (response.status === 503) return;
    if (response.status !== 200)
      throw new Error(`answered ${response.status} for revision ${this.position}: ${await response.text()}`);
    let left = this.given.isRestless === true ? 1 + this.#random.below(60) : Infinity;
    for await (const line of linesOf(response)) {
      this.#take(line);
      left -= 1;
      if (left === 0) return;
    }
  }

  #url(): string {
    const { kind, shelf } = this.given;
    const port = this.#random.pick(this.world.ports);
    const selector = shelf === undefined ? '' : `&${SHELF_SELECTORS.index(shelf)}`;
    return `http://127.0.0.1:${port}${pathOf(kind)}?watch=true&resourceVersion=${this.position}${selector}`;
  }

  #take(line: string): void {
    const { type, object } = JSON.parse(line) as { type: Change['type'] | 'ERROR'; object: StoredObject };
    if (type === 'ERROR') throw new Error(line);
    const { metadata, spec, status } = object;
    const { mark, shelf, amount = 0 } = spec;
    const revision = revisionOf(object);
    const reconciled = status?.mark === undefined ? {} : { reconciled: status.mark };
    const change = { kind: this.given.kind, revision, type, name: metadata.name, mark, shelf, amount };
    this.world.history.change(this.watched, { ...change, ...reconciled });
    this.position = revision;
  }
}

/** The lines of an answer that have come whole, without the empty ones. */
async function* linesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const part of body ?? []) {
    text += decoder.decode(part, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
}
