import { ServiceError } from '../../src/errors.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { ListOptions } from '../../src/query/list-options.js';
import { type Answer, type Get, type History, type Question, type Read, seen, type Walk } from './history.js';
import { type AnsweredList, answerList, listOptions } from './lists.js';
import type { Server, World } from './world.js';

/** Undefined for an error of a code. */
async function unless<T>(codes: readonly string[], read: Promise<T>): Promise<T | undefined> {
  return read.catch((error: unknown) => {
    if (error instanceof ServiceError && codes.includes(error.code)) return undefined;
    throw error;
  });
}

/** Reads an object; undefined when it does not exist. */
export async function findObject(
  world: World,
  history: History,
  server: Server,
  { model, name }: Pick<Get, 'model' | 'name'>,
): Promise<ExtensionObject | undefined> {
  const end = history.begin();
  const read = world.call(server, `get ${model.kind} ${name}`, ({ service }) => service.get(model, name));
  const object = await unless(['NotFound'], read);
  const revision = Number(object?.metadata.resourceVersion ?? 0);
  history.gets.push({ model, name, ...end(), revision });
  history.see(revision);
  return object;
}

/** The reads of a client. */
export class Reader {
  constructor(
    private readonly world: World,
    private readonly history: History,
  ) {}

  async list(server: Server, question: Question): Promise<Read> {
    const options = { page: 1, size: 50, ...listOptions(question) };
    const answer = await this.#answer(server, question, options);
    const read = { question, ...answer };
    this.history.reads.push(read);
    return read;
  }

  /** Reads a list in parts. Each part is requested again until it is answered. */
  async walk(walk: Walk, request: (read: (server: Server) => Promise<void>) => Promise<void>): Promise<void> {
    const options = { ...listOptions(walk.question), limit: walk.limit };
    let next: string | undefined;
    do
      await request(async (server) => {
        const at = next === undefined ? {} : { continue: next };
        const answer = await this.#answer(server, walk.question, { ...options, ...at });
        walk.parts.push(answer);
        next = answer.next;
      });
    while (next !== undefined);
    this.history.walks.push(walk);
  }

  async #answer(
    server: Server,
    { model }: Question,
    options: ListOptions,
  ): Promise<Answer & { readonly next: string | undefined }> {
    const end = this.history.begin();
    const label = `list ${model.kind} ${JSON.stringify(options, withoutTokens)}`;
    const list: AnsweredList = await this.world.call(server, label, (to) => answerList(to, model, options));
    const revision = Number(list.metadata.resourceVersion);
    this.history.see(revision);
    const { total, items } = list;
    return { ...end(), revision, total, items: items.map(seen), next: list.metadata.continue };
  }

  /** Reads an object as it was at a revision that a client has seen. */
  async past(server: Server, { model, name }: Pick<Get, 'model' | 'name'>): Promise<void> {
    const { world, history } = this;
    if (history.floor === 0) return;
    const at = 1 + world.random.below(history.floor);
    const read = world.call(server, `get ${model.kind} ${name} at ${at}`, ({ service }) =>
      unless(['NotFound'], service.getAt(model, name, String(at))).then((object) => ({ object })),
    );
    // A revision that this process cannot see yet is refused.
    const found = await unless(['Expired', 'BadRequest'], read);
    if (found === undefined) return;
    const revision = Number(found.object?.metadata.resourceVersion ?? 0);
    history.pastGets.push({ model, name, at, revision });
  }
}

/** A continue token differs each time that a seed is run: it is signed with a random secret. */
function withoutTokens(key: string, value: unknown): unknown {
  return key === 'continue' ? 'a token' : value;
}
