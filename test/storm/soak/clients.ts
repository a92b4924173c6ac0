import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../helpers/seed.js';
import { ask, type Answer, type Question } from './ask.js';
import type { Item, Outcome } from './history.js';
import {
  BATCHES,
  bodyOf,
  type Content,
  deletionOf,
  type Kind,
  patchOf,
  pathOf,
  revisionOf,
  SHELF_SELECTORS,
  type StoredList,
  type StoredObject,
} from './models.js';
import { randomOf, type World } from './world.js';

/** Few: clients shall meet at the same objects. */
export const ENTRIES = 40;
export const ACCOUNTS = 6;
export const SHELVES = ['north', 'south', 'east'];
const PAUSE_MS = 40;

/** State of one client. */
export interface Client {
  readonly world: World;
  readonly name: string;
  readonly random: Random;
  /** A mark that no other write has. */
  mark(): string;
}

export function clientOf(world: World, name: string): Client {
  let marks = 0;
  return {
    world,
    name,
    random: randomOf(world, name),
    mark: () => `${name}-${(marks += 1)}`,
  };
}

/** Does something again and again until the run is over. */
export async function keep(client: Client, act: (client: Client) => Promise<void>): Promise<void> {
  while (client.world.phase !== 'over') {
    await act(client);
    await sleep(client.random.below(PAUSE_MS));
  }
}

/** Asks any daemon. Some requests have a connection of their own, so that each worker gets some. */
function askAny({ world, random }: Client, question: Omit<Question, 'port'>): Promise<Answer> {
  const headers = { ...question.headers, ...(random.chance(0.3) && { Connection: 'close' }) };
  return ask(world, { ...question, port: random.pick(world.ports), headers });
}

function contentOf(client: Client): Content {
  return { mark: client.mark(), shelf: client.random.pick(SHELVES) };
}

/** Gets an object, and keeps what was seen. */
export async function look(client: Client, kind: Kind, name: string): Promise<StoredObject | undefined> {
  const answer = await askAny(client, { path: pathOf(kind, name) });
  const object = answer.status === 200 ? (answer.body as StoredObject) : undefined;
  const { began, ended } = answer;
  const seen = object === undefined ? {} : { revision: revisionOf(object) };
  if (answer.status === 200 || answer.status === 404)
    client.world.history.get({ client: client.name, kind, name, began, ended, ...seen });
  return object;
}

interface Writing extends Omit<Question, 'port'> {
  readonly verb: string;
  readonly items: readonly Item[];
}

/** Sends a write, and keeps what became of it. */
export async function change(client: Client, { verb, items, ...question }: Writing): Promise<Outcome> {
  const { began, ended, answer, outcome, body } = await askAny(client, question);
  const revision = outcome === 'done' ? { revision: revisionOf(body as StoredObject) } : {};
  const call = { client: client.name, verb, items, isAtomic: true, began, ended, answer, outcome };
  client.world.history.write({ ...call, ...revision });
  return outcome;
}

const EDITS: readonly ((client: Client, name: string) => Promise<void>)[] = [
  async function create(client, name) {
    const content = contentOf(client);
    const items: Item[] = [{ kind: 'Entry', name, mark: content.mark }];
    const body = bodyOf('Entry', name, content);
    await change(client, { verb: 'create', method: 'POST', path: pathOf('Entry'), body, items });
  },
  async function update(client, name) {
    const found = await look(client, 'Entry', name);
    if (found === undefined) return;
    const [base, content] = [revisionOf(found), contentOf(client)];
    const items: Item[] = [{ kind: 'Entry', name, mark: content.mark, base }];
    const body = bodyOf('Entry', name, content, base);
    await change(client, { verb: 'update', method: 'PUT', path: pathOf('Entry', name), body, items });
  },
  async function patch(client, name) {
    const content = contentOf(client);
    const items: Item[] = [{ kind: 'Entry', name, mark: content.mark }];
    const question = { method: 'PATCH', path: pathOf('Entry', name), body: patchOf(content) } as const;
    await change(client, { verb: 'patch', ...question, items });
  },
  async function remove(client, name) {
    const question = { method: 'DELETE', path: pathOf('Entry', name) } as const;
    await change(client, { verb: 'delete', ...question, items: [{ kind: 'Entry', name }] });
  },
];

/** Creates, updates, patches and deletes entries. */
export async function edit(client: Client): Promise<void> {
  await client.random.pick(EDITS)(client, `e${client.random.below(ENTRIES)}`);
}

/** Moves an amount from an account to a vault, with a receipt that is made or taken away, in one batch. */
export async function transfer(client: Client): Promise<void> {
  const { random } = client;
  const [from, to] = [`a${random.below(ACCOUNTS)}`, `a${random.below(ACCOUNTS)}`];
  const receipt = `r${random.below(ENTRIES)}`;
  const account = await look(client, 'Account', from);
  const vault = await look(client, 'Vault', to);
  if (account === undefined || vault === undefined) return;
  const hasReceipt = (await look(client, 'Entry', receipt)) !== undefined;
  const amount = 1 + random.below(100);
  const moved = (kind: Kind, { metadata, spec }: StoredObject, by: number) => {
    const content = { ...contentOf(client), amount: (spec.amount ?? 0) + by };
    const [{ name }, base] = [metadata, revisionOf({ metadata })];
    const item: Item = { kind, name, mark: content.mark, base };
    return { item, sent: { verb: 'update', name, object: bodyOf(kind, name, content, base) } };
  };
  const content = contentOf(client);
  const last = hasReceipt
    ? { item: { kind: 'Entry', name: receipt } as const, sent: deletionOf('Entry', receipt) }
    : {
        item: { kind: 'Entry', name: receipt, mark: content.mark } as const,
        sent: { verb: 'create', object: bodyOf('Entry', receipt, content) },
      };
  const parts = [moved('Account', account, -amount), moved('Vault', vault, amount), last];
  await change(client, {
    verb: 'batch',
    method: 'POST',
    path: BATCHES,
    body: { items: parts.map(({ sent }) => sent) },
    items: parts.map(({ item }) => item),
  });
}

/** Reads one object, or a list in one of several ways. */
export async function read(client: Client): Promise<void> {
  const { random } = client;
  const kind = random.pick(['Entry', 'Entry', 'Account', 'Vault'] as const);
  if (random.chance(0.5)) {
    await look(client, kind, kind === 'Entry' ? `e${random.below(ENTRIES)}` : `a${random.below(ACCOUNTS)}`);
    return;
  }
  const shelf = random.chance(0.7) ? random.pick(SHELVES) : undefined;
  const by = random.pick(Object.values(SHELF_SELECTORS));
  const order = random.chance(0.5) ? 'sort=spec.mark' : '';
  const answer = await askAny(client, {
    path: `${pathOf(kind)}?size=0&${shelf === undefined ? '' : by(shelf)}&${order}`,
  });
  keepList(client, kind, answer, shelf);
}

/** Keeps what a list showed; an error shows nothing. */
export function keepList(client: Client, kind: Kind, { body, ...answer }: Answer, shelf?: string): void {
  if (answer.status !== 200) return;
  const list = body as StoredList;
  const shown = Object.fromEntries(list.items.map((object) => [object.metadata.name, revisionOf(object)]));
  const { began, ended } = answer;
  const call = { client: client.name, kind, began, ended, revision: revisionOf(list), shown };
  client.world.history.list({ ...call, ...(shelf !== undefined && { shelf }) });
}
