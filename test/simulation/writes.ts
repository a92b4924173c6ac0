import { ServiceError } from '../../src/errors.js';
import type { OwnerReference } from '../../src/model/object.js';
import { PROPAGATION_POLICIES } from '../../src/model/owner-references.js';
import type { BatchItem, ResourceRef, WriteResult } from '../../src/service/verbs.js';
import type { Service } from '../../src/service/service.js';
import type { History, Write } from './history.js';
import { hasReferences, MODELS, REFERENCES } from './models.js';
import { findObject } from './reads.js';
import { mayRetry, type Server, type World } from './world.js';

export const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
export const LEVELS = 4;
const SLOTS = ['s', 't', 'u'];
const REFUSALS: readonly string[] = ['AlreadyExists', 'NotFound', 'Conflict', 'Invalid'];

/** One write before it is sent: its item for an op, and the revision that it is based on. */
interface Planned {
  readonly name: string;
  readonly item: (op: string) => BatchItem;
  readonly basedOn?: number;
}

/** The writes of a client. */
export class Writer {
  readonly #names: readonly string[];
  #ops = 0;

  constructor(
    private readonly world: World,
    private readonly history: History,
    private readonly name: string,
  ) {
    this.#names = NAMES.slice(0, world.focus.names);
  }

  /** Sends a write of one object, or of several in one commit. */
  async write(server: Server): Promise<void> {
    const { random } = this.world;
    const planned = new Map<string, Planned>();
    for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left--) {
      const [model, name] = [random.pick(MODELS), random.pick(this.#names)];
      const one = await this.#plan(server, model, name);
      if (one !== undefined) planned.set(`${model.kind}/${name}`, one);
    }
    if (planned.size > 0) await this.send(server, [...planned.values()]);
  }

  async #plan(server: Server, resource: ResourceRef, name: string): Promise<Planned | undefined> {
    const { random, focus } = this.world;
    const spec = this.#spec(resource);
    const verb = random.pick(focus.verbs);
    switch (verb) {
      case 'create': {
        const owners = hasReferences(resource) && random.chance(0.3) ? await this.#owners(server) : [];
        return planCreate(resource, name, spec, owners);
      }
      case 'delete': {
        const propagation = random.chance(0.6) && { propagationPolicy: random.pick(PROPAGATION_POLICIES) };
        return { name, item: () => ({ resource, verb, name, ...propagation }) };
      }
      case 'patch': {
        const members = Object.entries(spec).filter(() => random.chance(0.5));
        const item = (op: string): BatchItem => {
          const patch = { spec: { ...Object.fromEntries(members), op } };
          return { resource, verb, name, patch, type: 'merge' };
        };
        return { name, item };
      }
      case 'update': {
        const object = await findObject(this.world, this.history, server, { model: resource, name });
        if (object === undefined) return undefined;
        const item = (op: string): BatchItem => {
          return { resource, verb, name, object: { ...object, spec: { ...spec, op } } };
        };
        return { name, item, basedOn: Number(object.metadata.resourceVersion) };
      }
    }
  }

  /** A note that exists now, if there is one of a name. */
  async #owners(server: Server): Promise<readonly OwnerReference[]> {
    const { world, history } = this;
    const asked = { model: MODELS[0], name: world.random.pick(this.#names) };
    const note = await findObject(world, history, server, asked);
    if (note === undefined) return [];
    const { apiVersion, kind, metadata } = note;
    return [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
  }

  #spec(model: ResourceRef): Readonly<Record<string, unknown>> {
    const { random } = this.world;
    const sometimes = (field: string, values: readonly string[]): [string, string][] =>
      random.chance(0.4) ? [[field, random.pick(values)]] : [];
    return {
      level: random.below(LEVELS),
      owner: random.pick(['x', 'y']),
      ...(hasReferences(model)
        ? Object.fromEntries(REFERENCES.flatMap((field) => sometimes(field, NAMES)))
        : Object.fromEntries(sometimes('slot', SLOTS))),
    };
  }

  async send(server: Server, planned: readonly Planned[]): Promise<void> {
    const { world, history } = this;
    const items = planned.map((one) => ({ ...one, op: `${this.name}.${++this.#ops}` }));
    const batch = items.map(({ item, op }) => item(op));
    const writes = items.map(({ name, op, basedOn }, i): Write => {
      const { resource: model, verb } = batch[i] as BatchItem;
      return { model, name, verb, op, basedOn, floor: history.floor };
    });
    history.writes.push(writes);
    const label = writes
      .map(({ verb, model, name, op }) => `${verb} ${model.kind} ${name} (${op})`)
      .join(', ');
    try {
      const results = await world.call(server, label, ({ service }) => sendBatch(service, batch));
      for (const [i, { object, changed }] of results.entries()) {
        const revision = Number(object.metadata.resourceVersion);
        (writes[i] as Write).outcome = { revision, changed };
        history.see(revision);
      }
    } catch (error) {
      if (error instanceof ServiceError && error.code !== 'OutcomeUnknown')
        for (const write of writes) write.outcome = { refused: error.code };
      const isRefused = error instanceof ServiceError && REFUSALS.includes(error.code);
      if (mayRetry(error) || !isRefused) throw error;
    }
  }
}

export function planCreate(
  resource: ResourceRef,
  name: string,
  spec: object,
  ownerReferences: readonly OwnerReference[] = [],
): Planned {
  const item = (op: string): BatchItem => {
    const object = { metadata: { name, ownerReferences }, spec: { ...spec, op } };
    return { resource, verb: 'create', object };
  };
  return { name, item };
}

async function sendBatch(service: Service, items: readonly BatchItem[]): Promise<readonly WriteResult[]> {
  const [item, ...others] = items;
  if (item === undefined || others.length > 0) return (await service.batch(items)).items;
  const { resource, verb } = item;
  switch (verb) {
    case 'create':
      return [await service.create(resource, item.object)];
    case 'update':
      return [await service.update(resource, item.name, item.object)];
    case 'patch':
      return [await service.patch(resource, item.name, item.patch, item.type)];
    case 'delete':
      return [await service.delete(resource, item.name, item)];
  }
}
