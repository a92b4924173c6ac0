import { afterAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import type { JsonObject, ObjectDraft } from '../../src/model/object.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import { Random, seedOfRun } from '../helpers/seed.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';
import {
  introduced,
  randomRuled,
  RULE_PAIRS,
  RULED_PROPERTIES,
  validationsOf,
  type RuledSpec,
  type RulePair,
} from './rule-pairs.js';

const seed = seedOfRun();
afterAll(removeDirectories);

function modelWith(rules: readonly RulePair[], isOpen: boolean): ModelClass {
  const spec = {
    type: 'object',
    properties: RULED_PROPERTIES,
    ...(isOpen ? {} : { 'x-kubernetes-validations': validationsOf(rules) }),
  };
  class Thing extends AbstractExtension {
    static readonly schema = { type: 'object', properties: { spec, status: { type: 'object' } } };
  }
  GVK(THING)(Thing);
  return Thing;
}

const THING = {
  group: 'rules.example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  singular: 'thing',
};
const NAMES = ['one', 'two', 'three', 'four'];

describe(`rules under random writes (SEED=${seed})`, () => {
  it(
    'never let a write store a violation that it introduced, and refuse no other',
    { timeout: 120_000 },
    async () => {
      const random = new Random(seed);
      let refused = 0;
      let pardoned = 0;
      for (let round = 0; round < 12; round++) {
        const rules = RULE_PAIRS.filter(() => random.chance(0.5));
        const directory = temporaryDirectory();
        const before = await openTestService(directory);
        await before.register(modelWith(rules, true));
        for (const name of NAMES.slice(0, 3))
          await before.service.create(THING, { metadata: { name }, spec: randomRuled(random) });
        await before.close();
        const t = await openTestService(directory);
        await t.register(modelWith(rules, false));
        const stored = new Map<string, RuledSpec>();
        for (const { metadata, spec } of (await t.service.list(THING)).items)
          stored.set(metadata.name, spec as RuledSpec);
        for (let writes = 0; writes < 60; writes++) {
          const name = random.pick(NAMES);
          const old = stored.get(name);
          const next = random.chance(0.3) ? { ...old } : randomRuled(random);
          if (random.chance(0.5)) Object.assign(next, { [random.pick(['a', 'b'])]: random.below(5) });
          const bad = introduced(rules, next, old);
          const context = JSON.stringify({ rules: rules.map(({ rule }) => rule), name, old, next });
          try {
            const { warnings } = await write(t, random, name, next, old !== undefined);
            expect(bad, context).toEqual([]);
            pardoned += warnings.length;
            stored.set(name, next);
          } catch (error) {
            if (!(error instanceof ServiceError) || error.code !== 'Invalid') throw error;
            refused++;
            const reported = (error.details.causes ?? []).map(({ message }) => message);
            expect(bad, `${context} ${reported.join('; ')}`).not.toEqual([]);
            // A rule that cannot be evaluated has another message, and only when there is no other violation.
            for (const message of reported)
              expect(
                bad.some(
                  (rule) => message.includes(JSON.stringify(rule).slice(1, -1)) || message.includes(rule),
                ),
                `${context} ${message}`,
              ).toBe(true);
          }
          const now = (await t.service.list(THING)).items.map(({ metadata, spec }) => [metadata.name, spec]);
          expect(new Map(now as [string, RuledSpec][])).toEqual(stored);
        }
        expect(await t.check()).toEqual([]);
        await t.close();
      }
      expect(refused).toBeGreaterThan(100);
      expect(pardoned).toBeGreaterThan(10);
    },
  );
});

/** Through one of the ways that lead to a stored object. */
async function write(
  { service }: TestService,
  random: Random,
  name: string,
  spec: RuledSpec,
  isThere: boolean,
): Promise<{ readonly warnings: readonly string[] }> {
  const object = { metadata: { name }, spec } as unknown as ObjectDraft;
  const way = random.below(3);
  if (!isThere) {
    if (way === 0) return service.create(THING, object);
    const { items } = await service.batch([{ verb: 'create', resource: THING, object }]);
    return items[0] ?? { warnings: [] };
  }
  if (way === 0) return service.update(THING, name, object);
  const patch = [{ op: 'add', path: '/spec', value: spec as unknown as JsonObject }];
  if (way === 1) return service.patch(THING, name, patch, 'json');
  const { items } = await service.batch([{ verb: 'update', resource: THING, name, object }]);
  return items[0] ?? { warnings: [] };
}
