import { DELETE_POLICIES } from '../../src/model/references/reference.js';
import type { Random } from '../helpers/seed.js';

/** Of the models that refer to each other. */
export const REFERENCE_GROUP = 'random.example.com';
export const REFERENCE_KINDS = ['One', 'Two', 'Three'] as const;
/** Of their objects: few, so that they meet. */
export const REFERENCE_NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

export interface RandomField {
  readonly name: string;
  readonly isList: boolean;
  readonly to: string;
  readonly onDelete: string;
}

/** Fields that refer to any of the models by any policy. */
export function randomFields(random: Random): readonly RandomField[] {
  return random
    .many(1, 3, () => 0)
    .map((_, i) => {
      const [to, onDelete] = [random.pick(REFERENCE_KINDS), random.pick(DELETE_POLICIES)];
      return { name: `f${i}`, isList: random.chance(0.4), to, onDelete };
    });
}

/** Fields that refer, as a schema has them. */
export function referenceProperties(fields: readonly RandomField[]): object {
  return Object.fromEntries(
    fields.map(({ name, isList, to, onDelete }) => [
      name,
      {
        ...(isList ? { type: 'array', items: { type: 'string' } } : { type: 'string' }),
        'x-xsvc-reference': { group: REFERENCE_GROUP, kind: to, onDelete },
      },
    ]),
  );
}

/** Values of some of the fields, each a name that is there or is not. */
export function randomReferences(random: Random, fields: readonly RandomField[]): object {
  const spec: Record<string, unknown> = {};
  for (const { name, isList } of fields) {
    if (random.chance(0.5)) continue;
    spec[name] = isList
      ? random.many(0, 3, () => random.pick(REFERENCE_NAMES))
      : random.pick(REFERENCE_NAMES);
  }
  return spec;
}
