import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../src/errors.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { WriteResult } from '../../src/service/verbs.js';
import { type History, type Question, type Read, seen, type Write } from './history.js';
import { answerList, listOptions } from './lists.js';
import { MODELS } from './models.js';
import { ConnectionLost, type Server, type World } from './world.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
export const LEVELS = 4;

/** True for an error after which the same request may succeed. */
export function mayRetry(error: unknown): boolean {
  return (
    error instanceof ConnectionLost || (error instanceof ServiceError && error.code === 'ServiceUnavailable')
  );
}

/** A client that writes and reads, and repeats its requests as a client would. */
export class Client {
  #ops = 0;

  constructor(
    private readonly world: World,
    private readonly history: History,
    private readonly name: string,
  ) {}

  async run(requests: number): Promise<void> {
    const { random } = this.world;
    for (let i = 0; i < requests; i++) {
      await sleep(random.next() ** 3 * 60);
      await this.untilAnswered(random.pick([this.#write, this.#write, this.#get, this.#list]));
    }
  }

  async untilAnswered(request: (this: Client, server: Server) => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await request.call(this, await this.world.anyServer());
        return;
      } catch (error) {
        if (!mayRetry(error)) throw error;
        await sleep(20);
      }
    }
  }

  async #write(server: Server): Promise<void> {
    const { random } = this.world;
    const [model, name] = [random.pick(MODELS), random.pick(NAMES)];
    const spec = { level: random.below(LEVELS), owner: random.pick(['x', 'y']) };
    const verb = random.pick(['create', 'create', 'update', 'patch', 'patch', 'delete'] as const);
    if (verb === 'create') await this.create(server, { model, name, ...spec });
    else if (verb === 'delete')
      await this.#send({ model, name, verb }, server, ({ service }) => service.delete(model, name));
    else if (verb === 'patch') {
      const level = random.chance(0.5) ? { level: spec.level } : {};
      await this.#send({ model, name, verb }, server, ({ service }, op) =>
        service.patch(model, name, { spec: { ...level, op } }, 'merge'),
      );
    } else await this.#update(server, { model, name, ...spec });
  }

  async create(
    server: Server,
    {
      model,
      name,
      ...spec
    }: Pick<Write, 'model' | 'name'> & { readonly level: number; readonly owner: string },
  ): Promise<void> {
    await this.#send({ model, name, verb: 'create' }, server, ({ service }, op) =>
      service.create(model, { metadata: { name }, spec: { ...spec, op } }),
    );
  }

  async #update(
    server: Server,
    {
      model,
      name,
      ...spec
    }: Pick<Write, 'model' | 'name'> & { readonly level: number; readonly owner: string },
  ): Promise<void> {
    const object = await this.#find(server, model, name);
    if (object === undefined) return;
    const basedOn = Number(object.metadata.resourceVersion);
    await this.#send({ model, name, verb: 'update', basedOn }, server, ({ service }, op) =>
      service.update(model, name, { ...object, spec: { ...spec, op } }),
    );
  }

  async #send(
    given: Omit<Write, 'op' | 'floor' | 'outcome'>,
    server: Server,
    send: (server: Server, op: string) => Promise<WriteResult>,
  ): Promise<void> {
    const op = `${this.name}.${++this.#ops}`;
    const write: Write = { ...given, op, floor: this.history.floor };
    this.history.writes.push(write);
    try {
      const label = `${given.verb} ${given.model.kind} ${given.name} (${op})`;
      const { object } = await this.world.call(server, label, (to) => send(to, op));
      write.outcome = { revision: Number(object.metadata.resourceVersion) };
      this.history.see(write.outcome.revision);
    } catch (error) {
      if (error instanceof ServiceError) write.outcome = { refused: error.code };
      if (mayRetry(error)) throw error;
      const isExpected =
        error instanceof ServiceError && ['AlreadyExists', 'NotFound', 'Conflict'].includes(error.code);
      if (!isExpected) throw error;
    }
  }

  async #find(server: Server, model: Question['model'], name: string): Promise<ExtensionObject | undefined> {
    const end = this.history.begin();
    const object = await this.world
      .call(server, `get ${model.kind} ${name}`, ({ service }) => service.get(model, name))
      .catch((error: unknown) => {
        if (error instanceof ServiceError && error.code === 'NotFound') return undefined;
        throw error;
      });
    const revision = Number(object?.metadata.resourceVersion ?? 0);
    this.history.gets.push({ model, name, ...end(), revision });
    this.history.see(revision);
    return object;
  }

  async #get(server: Server): Promise<void> {
    const { random } = this.world;
    await this.#find(server, random.pick(MODELS), random.pick(NAMES));
  }

  async #list(server: Server): Promise<void> {
    const { random } = this.world;
    await this.list(server, {
      model: random.pick(MODELS),
      level: random.below(LEVELS),
      ...(random.chance(0.5) && { sort: 'level' }),
      ...(random.chance(0.7) && { page: 1 + random.below(2), size: 2 }),
    });
  }

  async list(server: Server, question: Question): Promise<Read> {
    const end = this.history.begin();
    const label = `list ${question.model.kind} ${JSON.stringify(listOptions(question))}`;
    const list = await this.world.call(server, label, (to) => answerList(to, question));
    const revision = Number(list.metadata.resourceVersion);
    const read = { question, ...end(), revision, total: list.total, items: list.items.map(seen) };
    this.history.reads.push(read);
    this.history.see(revision);
    return read;
  }
}
