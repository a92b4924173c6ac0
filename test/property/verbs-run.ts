import { expect } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import type { ExtensionObject, ObjectDraft } from '../../src/model/object.js';
import type { WriteResult } from '../../src/service/verbs.js';
import { PERSON, registerModels } from '../helpers/models.js';
import { Random } from '../helpers/seed.js';
import { openTestService, type TestService } from '../helpers/store.js';
import { Reference, type Change, type Kept, type Outcome } from './reference.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const NICKS = ['n0', 'n1', 'n2', 'n3', 'n4'];
const FINALIZERS = ['x.example/a', 'x.example/b'];

/** Random verbs on the service and on the reference: answers, then all that is stored, also after a restart. */
export async function checkVerbs(seed: number, steps: number): Promise<void> {
  const random = new Random(seed);
  const reference = new Reference();
  const first = await openTestService();
  await registerModels(first);
  for (let i = 0; i < steps; i++) await step(first, reference, random, `SEED=${seed}, step ${i}`);
  await compareAll(first, reference, `SEED=${seed}`);
  await first.close();
  const second = await openTestService(first.directory);
  await registerModels(second);
  await compareAll(second, reference, `SEED=${seed}, reopened`);
  await second.close();
}

function randomChange(random: Random): Change {
  return {
    spec: {
      ...(random.chance(0.5) ? { nick: random.pick(NICKS) } : {}),
      ...(random.chance(0.5) ? { age: random.below(3) } : {}),
    },
    status: random.chance(0.3) ? random.below(3) : undefined,
    finalizers: random.chance(0.6)
      ? []
      : [...new Set(random.many(1, 2, () => random.pick(FINALIZERS)))].sort(),
    lock: random.chance(0.3) ? random.below(4) : undefined,
  };
}

function bodyOf({ spec, status, finalizers, lock }: Change): ObjectDraft {
  return {
    metadata: { finalizers: [...finalizers], ...(lock === undefined ? {} : { version: lock }) },
    spec: { ...spec },
    ...(status === undefined ? {} : { status: { seen: status } }),
  };
}

async function step(t: TestService, reference: Reference, random: Random, where: string): Promise<void> {
  const name = random.pick(NAMES);
  const change = randomChange(random);
  const body = bodyOf(change);
  const verb = random.pick([
    'create',
    'create',
    'update',
    'update',
    'update',
    'delete',
    'status',
    'dry',
    'batch',
  ]);
  const run = async (): Promise<[Promise<WriteResult>, Outcome]> => {
    switch (verb) {
      case 'create':
        return [
          t.service.create(PERSON, { ...body, metadata: { ...body.metadata, name } }),
          reference.create(name, change),
        ];
      case 'update':
        return [t.service.update(PERSON, name, body), reference.update(name, change)];
      case 'delete':
        return [t.service.delete(PERSON, name), reference.delete(name)];
      case 'status':
        return [
          t.service.update(PERSON, name, { status: { seen: change.status ?? 0 } }, {}, 'status'),
          reference.setStatus(name, change.status ?? 0),
        ];
      case 'batch':
        return [
          first(t.service.batch([{ verb: 'update', resource: PERSON, name, object: body }])),
          reference.update(name, change),
        ];
      default:
        await t.service.delete(PERSON, name, { dryRun: true }).catch(() => undefined);
        await t.service.update(PERSON, name, body, { dryRun: true }).catch(() => undefined);
        return [t.service.update(PERSON, name, body), reference.update(name, change)];
    }
  };
  const [answer, expected] = await run();
  const found = await answer.then(({ object }) => keptOf(object), codeOf);
  expect(found, `${where}: ${verb} ${name} ${JSON.stringify(change)}`).toEqual(
    typeof expected === 'string' ? expected : plain(expected),
  );
}

async function first(batch: Promise<{ readonly items: readonly WriteResult[] }>): Promise<WriteResult> {
  const [item] = (await batch).items;
  if (item === undefined) throw new Error('the batch answered nothing');
  return item;
}

function codeOf(error: unknown): string {
  if (error instanceof ServiceError) return error.code;
  throw error;
}

function plain({ spec, ...rest }: Kept): Kept {
  return { ...rest, spec: { ...spec }, finalizers: [...rest.finalizers] };
}

function keptOf({ metadata, spec, status }: ExtensionObject): Kept {
  const { nick, age } = spec as Kept['spec'];
  return {
    spec: { ...(nick === undefined ? {} : { nick }), ...(age === undefined ? {} : { age }) },
    status: (status as { seen: number } | undefined)?.seen,
    finalizers: metadata.finalizers ?? [],
    version: metadata.version,
    generation: metadata.generation,
    deleting: metadata.deletionTimestamp !== undefined,
  };
}

async function compareAll(t: TestService, { objects }: Reference, where: string): Promise<void> {
  const { items } = await t.service.list(PERSON);
  const found = Object.fromEntries(items.map((item) => [item.metadata.name, keptOf(item)]));
  expect(found, where).toEqual(
    Object.fromEntries([...objects].map(([name, object]) => [name, plain(object)])),
  );
  for (const nick of NICKS) {
    const holders = [...objects].filter(([, { spec }]) => spec.nick === nick).map(([name]) => name);
    expect(await t.service.listNames(PERSON, { fieldSelector: `spec.nick=${nick}` }), where).toEqual(holders);
  }
  expect(await t.check(), where).toEqual([]);
}
