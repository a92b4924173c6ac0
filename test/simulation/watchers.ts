import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../src/errors.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { WatchEvent, WatchOptions } from '../../src/service/verbs.js';
import type { Client } from './clients.js';
import { type History, type Known, type Question, type Seen, seen, type Segment } from './history.js';
import { listOptions } from './lists.js';
import { MODELS } from './models.js';
import { mayRetry, type Server, type World } from './world.js';
import { LEVELS } from './writes.js';

/** The name of the object that is created last in each model: watches end there. */
export const MARKER = 'marker';

/** Follows a model from its present objects on, as a client that keeps a copy does. */
export class Watcher {
  readonly #question: Question;
  #segment: Segment | undefined;
  #isOver = false;

  constructor(
    private readonly world: World,
    private readonly history: History,
    private readonly client: Client,
  ) {
    this.#question = { model: world.random.pick(MODELS), level: world.random.below(LEVELS) };
  }

  async run(): Promise<void> {
    const { random, focus } = this.world;
    await sleep(random.next() * 500);
    const restMs = random.pick(focus.restsMs);
    while (!this.#isOver) {
      const server = await this.world.anyServer();
      try {
        if (this.#segment !== undefined || random.chance(0.4)) await this.#watch(server);
        else await this.#list(server);
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'Expired') this.#segment = undefined;
        else if (!mayRetry(error)) throw error;
      }
      await sleep(restMs);
    }
  }

  async #list(server: Server): Promise<void> {
    const { revision, items } = await this.client.list(server, this.#question);
    this.#begin(revision, items);
  }

  #begin(after: number, items: readonly Seen[]): void {
    this.#segment = { question: this.#question, after, events: [], until: after };
    this.#isOver = items.some(({ name }) => name === MARKER);
    this.history.segments.push(this.#segment);
  }

  /** Watches until the last event, or for a while. Without a copy, the present objects come first. */
  async #watch(server: Server): Promise<void> {
    const { world } = this;
    const { model } = this.#question;
    // From revision 0 on, the present objects come first too.
    if (this.#segment?.until === 0) this.#segment = undefined;
    const stop = new AbortController();
    const end = (): void => void server.process.later(0.1, 'ends a watch', () => stop.abort());
    const timer = setTimeout(end, world.random.pick([50, 500, 5_000]));
    const options: WatchOptions = {
      ...listOptions(this.#question),
      ...(this.#segment === undefined
        ? { sendInitialEvents: true }
        : { resourceVersion: String(this.#segment.until) }),
      bookmarks: world.random.chance(0.5),
      signal: stop.signal,
    };
    const pauseMs = world.random.pick([0, 0, 5, 40]);
    const receiver = this.#receiver();
    const label = `watch ${model.kind} ${options.resourceVersion ?? 'from the present objects on'}`;
    try {
      await world.open(server, label, async ({ service }) => {
        for await (const event of service.watch(model, options)) {
          world.send(() => {
            receiver(event);
            if (this.#isOver) end();
          });
          if (world.random.chance(0.3) && pauseMs > 0) await sleep(pauseMs);
        }
      });
    } finally {
      clearTimeout(timer);
    }
  }

  #receiver(): (event: WatchEvent) => void {
    const end = this.history.begin();
    const present: Seen[] = [];
    return ({ type, object }) => {
      const revision = Number(object.metadata.resourceVersion);
      if (this.#segment === undefined) {
        if (type === 'BOOKMARK') this.#present(revision, present, end());
        else present.push(seen(object));
        return;
      }
      this.#segment.until = Math.max(this.#segment.until, revision);
      if (type === 'BOOKMARK') return;
      this.#segment.events.push({ type, ...seen(object) });
      this.#isOver ||= isMarker(object);
    };
  }

  /** All present objects were received. */
  #present(revision: number, present: readonly Seen[], known: Known): void {
    const items = [...present].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.history.reads.push({ question: this.#question, ...known, revision, total: items.length, items });
    this.history.see(revision);
    this.#begin(revision, items);
  }
}

function isMarker({ metadata }: ExtensionObject): boolean {
  return metadata.name === MARKER;
}
