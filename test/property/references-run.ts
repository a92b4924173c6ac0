import { expect } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import type { BatchItem, ResourceRef } from '../../src/service/verbs.js';
import { Random } from '../helpers/seed.js';
import { openTestService, type TestService } from '../helpers/store.js';
import {
  randomFields,
  randomReferences,
  REFERENCE_GROUP,
  REFERENCE_KINDS,
  REFERENCE_NAMES,
  referenceProperties,
  type RandomField,
} from './reference-fields.js';

export const HOLD = 'example.com/hold';

export interface RandomModel {
  readonly model: ModelClass;
  readonly ref: ResourceRef;
  readonly fields: readonly RandomField[];
}

/** Models that refer to each other and to themselves by all policies. */
export function randomModels(random: Random): readonly RandomModel[] {
  return REFERENCE_KINDS.map((kind) => {
    const fields = randomFields(random);
    class Model extends AbstractExtension {
      static readonly schema = {
        type: 'object',
        properties: { spec: { type: 'object', properties: referenceProperties(fields) } },
      };
    }
    const plural = `${kind.toLowerCase()}s`;
    GVK({ group: REFERENCE_GROUP, version: 'v1', kind, plural, singular: kind.toLowerCase() })(Model);
    return { model: Model, ref: { group: REFERENCE_GROUP, version: 'v1', kind, plural }, fields };
  });
}

export function randomItem(random: Random, models: readonly RandomModel[]): BatchItem {
  const { ref: resource, fields } = random.pick(models);
  const name = random.pick(REFERENCE_NAMES);
  const chosen = random.next();
  const finalizers = random.chance(0.2) ? [HOLD] : [];
  if (chosen < 0.45)
    return {
      verb: 'create',
      resource,
      object: { metadata: { name, finalizers }, spec: randomReferences(random, fields) },
    };
  if (chosen < 0.7) return { verb: 'delete', resource, name };
  const metadata = random.chance(0.5) ? { finalizers: [] } : {};
  const patch = random.chance(0.3)
    ? { metadata }
    : { metadata, spec: { ...nothing(fields), ...randomReferences(random, fields) } };
  return { verb: 'patch', resource, name, patch, type: 'merge' };
}

function nothing(fields: readonly RandomField[]): object {
  return Object.fromEntries(fields.map(({ name }) => [name, null]));
}

const REFUSED = ['NotFound', 'AlreadyExists', 'Conflict', 'Invalid'];

/**
 * Random writes through two services at once; there never is a name without a target, but in what is being deleted.
 * @param cascadeMax so many objects that go along are one commit; the rest follows
 */
export async function checkReferences(
  seed: number,
  rounds: number,
  cascadeMax: number,
): Promise<{ written: number; refused: number }> {
  const random = new Random(seed);
  const models = randomModels(random);
  const a = await openTestService(undefined, {}, { cascadeMax });
  for (const { model } of models) await a.register(model);
  const b = await openTestService(a.directory, {}, { cascadeMax });
  for (const { model } of models) await b.register(model);
  const done = { written: 0, refused: 0 };
  const run = async ({ service }: TestService, items: readonly BatchItem[]): Promise<void> => {
    try {
      await service.batch(items);
      done.written++;
    } catch (error) {
      if (!(error instanceof ServiceError) || !REFUSED.includes(error.code)) throw error;
      done.refused++;
    }
  };
  for (let round = 0; round < rounds; round++) {
    const work = [a, b, a, b].map((t) =>
      run(
        t,
        random.many(1, random.chance(0.3) ? 6 : 1, () => randomItem(random, models)),
      ),
    );
    await Promise.all(work);
    // All cascades must be finished before the check.
    for (const t of [a, b]) await t.service.finishCascades();
    expect(await dangling(a, models), `SEED=${seed}, round ${round}`).toEqual([]);
  }
  expect(await a.check()).toEqual([]);
  await b.close();
  await a.close();
  return done;
}

async function dangling({ service }: TestService, models: readonly RandomModel[]): Promise<string[]> {
  const all = new Map<string, Set<string>>();
  const objects = [];
  for (const { ref, fields } of models) {
    const { items } = await service.list(ref);
    all.set(ref.kind, new Set(items.map(({ metadata }) => metadata.name)));
    objects.push(...items.map((object) => ({ object, fields })));
  }
  return objects.flatMap(({ object: { kind, metadata, spec }, fields }) =>
    metadata.deletionTimestamp !== undefined
      ? []
      : fields.flatMap(({ name, to }) =>
          [(spec as Record<string, string | string[]>)[name] ?? []]
            .flat()
            .filter((value) => all.get(to)?.has(value) !== true)
            .map((value) => `${kind} ${metadata.name}: ${name} -> ${to} ${value}`),
        ),
  );
}
