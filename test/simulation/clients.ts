import { setTimeout as sleep } from 'node:timers/promises';
import { findObject, Reader } from './reads.js';
import type { History, Question, Read } from './history.js';
import { MODELS } from './models.js';
import { mayRetry, type Server, type World } from './world.js';
import { LEVELS, NAMES, planCreate, Writer } from './writes.js';

/** A client that writes and reads, and repeats its requests as a client would. */
export class Client {
  readonly #writer: Writer;
  readonly #reader: Reader;

  constructor(
    private readonly world: World,
    private readonly history: History,
    name: string,
  ) {
    this.#writer = new Writer(world, history, name);
    this.#reader = new Reader(world, history);
  }

  async run(requests: number): Promise<void> {
    const { random, focus } = this.world;
    const send = {
      write: () => this.untilAnswered((server) => this.#writer.write(server)),
      get: () => this.#get(),
      list: () => this.#list(),
    };
    const pauseMs = random.pick(focus.pausesMs);
    for (let i = 0; i < requests; i++) {
      await sleep(random.next() ** 3 * pauseMs);
      await send[random.pick(focus.requests)]();
    }
  }

  async untilAnswered(request: (server: Server) => Promise<unknown>): Promise<void> {
    const asked = this.world.scheduler.steps;
    for (;;) {
      try {
        await request(await this.world.anyServer());
        this.world.noteAnswered(asked);
        return;
      } catch (error) {
        if (!mayRetry(error)) throw error;
        await sleep(20);
      }
    }
  }

  async #get(): Promise<void> {
    const { random } = this.world;
    const asked = { model: random.pick(MODELS), name: random.pick(NAMES) };
    const isPast = random.chance(0.3);
    await this.untilAnswered((server) =>
      isPast ? this.#reader.past(server, asked) : findObject(this.world, this.history, server, asked),
    );
  }

  async #list(): Promise<void> {
    const { random, focus } = this.world;
    const question = {
      model: random.pick(MODELS),
      level: random.below(focus.levels),
      ...(random.chance(0.5) && { sort: 'level' as const }),
    };
    if (random.chance(0.3)) {
      const walk = { question, limit: 1 + random.below(3), parts: [] };
      return this.#reader.walk(walk, (read) => this.untilAnswered(read));
    }
    const page = random.chance(0.7) && { page: 1 + random.below(2), size: 2 };
    await this.untilAnswered((server) => this.list(server, { ...question, ...page }));
  }

  list(server: Server, question: Question): Promise<Read> {
    return this.#reader.list(server, question);
  }

  /** Creates an object of the highest level. */
  async create(model: Question['model'], name: string): Promise<void> {
    const planned = planCreate(model, name, { level: LEVELS, owner: 'x' });
    await this.untilAnswered((server) => this.#writer.send(server, [planned]));
  }
}
