import { describe, expect, it } from 'vitest';
import {
  afterApply,
  afterUpdate,
  type ManagerOfWrite,
} from '../../src/kubernetes/apply/managers/field-manager.js';
import { ApplyConflict, type OwnedVersions } from '../../src/kubernetes/apply/managers/managed.js';
import { NO_MANAGERS, writeEntries, type ManagedState } from '../../src/kubernetes/apply/managers/state.js';
import { difference, intersection } from '../../src/kubernetes/apply/paths/algebra.js';
import { objectType } from '../../src/kubernetes/apply/types/from-schema.js';
import { fieldsOf } from '../../src/kubernetes/apply/values/fields.js';
import type { JsonObject } from '../../src/model/object.js';
import { Random, seedOfRun } from '../helpers/seed.js';

const seed = seedOfRun();
const RUNS = 150;

const SPEC: JsonObject = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    list: { type: 'array', items: { type: 'string' } },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, a: { type: 'integer' }, b: { type: 'integer' } },
      },
    },
    texts: { type: 'object', additionalProperties: { type: 'string' } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const type = objectType({ type: 'object', properties: { spec: SPEC } }, { isOpen: false });
const versions: OwnedVersions = { convert: (object) => object, ownable: (fields) => fields };

interface State {
  readonly object: unknown;
  readonly managed: ManagedState;
}

const EMPTY: State = { object: { metadata: {} }, managed: NO_MANAGERS };

function senderOf(manager: string): ManagerOfWrite {
  return { manager, apiVersion: 'v1', subresource: '', now: '2026-01-01T00:00:00Z' };
}

function apply({ object, managed }: State, spec: JsonObject, manager: string, isForced = false): State {
  const change = {
    live: { value: object, type },
    applied: { value: { metadata: {}, spec }, type },
    isForced,
  };
  const applied = afterApply(managed, change, senderOf(manager), versions);
  return { object: applied.object?.value ?? object, managed: applied.state };
}

function update({ object, managed }: State, spec: JsonObject, manager: string): State {
  const after = { metadata: {}, spec };
  const change = { before: { value: object, type }, after: { value: after, type } };
  return { object: after, managed: afterUpdate(managed, change, senderOf(manager), versions) };
}

/** Values that no other manager has: its fields are not those of others, except whole lists. */
function specOf(random: Random, own: string, hasShared: boolean): JsonObject {
  const word = (): string => `${own}${random.below(3)}`;
  const words = (): string[] => [...new Set([word(), word()])];
  return {
    // An empty spec is owned as a whole only until somebody adds a member.
    texts: { [own]: 'x' },
    ...(hasShared && random.chance(0.5) && { text: word(), list: words() }),
    ...(random.chance(0.6) && { set: words() }),
    ...(random.chance(0.6) && {
      items: words().map((name) => ({ name, ...(random.chance(0.5) && { a: 1 }) })),
    }),
    ...(random.chance(0.6) && { texts: Object.fromEntries([own, ...words()].map((name) => [name, 'x'])) }),
    ...(random.chance(0.6) && { free: Object.fromEntries(words().map((name) => [name, { y: 1 }])) }),
  };
}

/** A state without the order of items and members. */
function normal({ object, managed }: State): string {
  return JSON.stringify([
    sorted(object),
    writeEntries(managed)
      ?.map((entry) => JSON.stringify(entry))
      .sort(),
  ]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(sorted(item))).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)]);
}

function orConflict(run: () => State, state: State): State {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApplyConflict) return state;
    throw error;
  }
}

describe(`managers of fields (SEED=${seed})`, () => {
  it('give the same object in any order, when they state different fields', () => {
    for (let run = 0; run < RUNS; run++) {
      const random = new Random(seed + run);
      const specs = ['a', 'b', 'c'].map((own) => [own, specOf(random, own, false)] as const);
      const inOrder = specs.reduce((state, [own, spec]) => apply(state, spec, own), EMPTY);
      const reversed = specs.toReversed().reduce((state, [own, spec]) => apply(state, spec, own), EMPTY);
      expect(normal(reversed), `run ${run}`).toBe(normal(inOrder));
    }
  });

  it('change nothing when they apply the same again', () => {
    for (let run = 0; run < RUNS; run++) {
      const random = new Random(seed + run);
      let state = EMPTY;
      for (let step = 0; step < 6; step++) {
        const [own, spec] = [random.pick(['a', 'b']), specOf(random, random.pick(['a', 'b']), true)];
        state = apply(state, spec, own, true);
        expect(apply(state, spec, own), `run ${run} step ${step}`).toEqual(state);
      }
    }
  });

  it('own only fields of the object, and share only what they stated alike', () => {
    for (let run = 0; run < RUNS; run++) {
      const random = new Random(seed + run);
      let state = EMPTY;
      for (let step = 0; step < 8; step++) {
        const before = state;
        const own = random.pick(['a', 'b', 'c']);
        const spec = specOf(random, random.pick(['a', 'b']), true);
        const isForced = random.chance(0.5);
        state = random.chance(0.3)
          ? update(state, spec, own)
          : orConflict(() => apply(before, spec, own, isForced), before);
        const all = fieldsOf({ value: state.object, type });
        for (const { fields } of state.managed.managers.values()) {
          const gone = [...difference(fields, all).paths()].filter((path) => path.length > 1);
          expect(
            gone.filter((path) => all.has(path)),
            `run ${run} step ${step}`,
          ).toEqual([]);
        }
      }
    }
  });

  it('lose no field that another manager applied and did not give up', () => {
    for (let run = 0; run < RUNS; run++) {
      const random = new Random(seed + run);
      const kept = specOf(random, 'k', true);
      let state = apply(EMPTY, kept, 'keeper');
      for (let step = 0; step < 6; step++) {
        const before = state;
        const spec = specOf(random, random.pick(['a', 'b', 'k']), true);
        state = orConflict(() => apply(before, spec, random.pick(['a', 'b'])), before);
        const stated = fieldsOf({ value: { spec: kept }, type });
        const found = fieldsOf({ value: state.object, type });
        expect(intersection(stated, found).equals(stated), `run ${run} step ${step}`).toBe(true);
      }
    }
  });
});
