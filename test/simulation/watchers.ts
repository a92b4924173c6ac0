import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../src/errors.js';
import { type Client, LEVELS, mayRetry } from './clients.js';
import { type History, type Question, seen, type Segment } from './history.js';
import { listOptions } from './lists.js';
import { MODELS } from './models.js';
import type { Server, World } from './world.js';

/** The name of the object that is created last in each model: watches end there. */
export const MARKER = 'marker';

/** Follows a model from a list on, as a client that keeps a copy does. */
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
    await sleep(this.world.random.next() * 500);
    while (!this.#isOver) {
      const server = await this.world.anyServer();
      try {
        await (this.#segment === undefined ? this.#begin(server) : this.#follow(server, this.#segment));
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'Expired') this.#segment = undefined;
        else if (!mayRetry(error)) throw error;
        await sleep(10);
      }
    }
  }

  async #begin(server: Server): Promise<void> {
    const { revision: after, items } = await this.client.list(server, this.#question);
    this.#segment = { question: this.#question, after, events: [], until: after };
    this.#isOver = items.some(({ name }) => name === MARKER);
    this.history.segments.push(this.#segment);
  }

  /** Watches until the last event, or for a while. */
  async #follow(server: Server, segment: Segment): Promise<void> {
    const { world } = this;
    const { model } = segment.question;
    const stop = new AbortController();
    const end = (): void => void server.process.later(0.1, 'ends a watch', () => stop.abort());
    const timer = setTimeout(end, world.random.pick([50, 500, 5_000]));
    const options = {
      ...listOptions(segment.question),
      resourceVersion: String(segment.until),
      bookmarks: world.random.chance(0.5),
      signal: stop.signal,
    };
    const pauseMs = world.random.pick([0, 0, 5, 40]);
    try {
      await world.call(server, `watch ${model.kind} ${options.resourceVersion}`, async ({ service }) => {
        for await (const { type, object } of service.watch(model, options)) {
          world.send(() => {
            const revision = Number(object.metadata.resourceVersion);
            segment.until = Math.max(segment.until, revision);
            if (type === 'BOOKMARK') return;
            segment.events.push({ type, ...seen(object) });
            if (object.metadata.name !== MARKER) return;
            this.#isOver = true;
            end();
          });
          if (world.random.chance(0.3) && pauseMs > 0) await sleep(pauseMs);
        }
      });
    } finally {
      clearTimeout(timer);
    }
  }
}
