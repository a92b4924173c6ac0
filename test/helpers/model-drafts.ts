import { isGroup, TYPES } from '../../src/console/pages/builder/draft/field-types.js';
import {
  FIELD_TYPES,
  NEW_MODEL,
  newField,
  NO_LIMITS,
  type FieldDraft,
  type ModelDraft,
  type ModelNames,
} from '../../src/console/pages/builder/draft/model-draft.js';
import { labelOf } from '../../src/console/pages/builder/draft/names.js';
import { limitWords } from '../../src/console/pages/builder/draft/field-schema.js';
import type { Random } from './seed.js';

export const DRAFT_NAMES: ModelNames = {
  kind: 'Thing',
  plural: 'things',
  singular: 'thing',
  group: 'random.example.com',
  version: 'v1',
};
const WORDS = [
  'Due date',
  'owner',
  'Größe',
  'x',
  'Preis in €',
  'metadata',
  'constructor',
  'spec',
  'toString',
];

/** Members that make a field of a random model differ from an empty one. */
function randomField(random: Random, base: string, position: number, depth: number): FieldDraft {
  const type = random.pick(FIELD_TYPES.filter((one) => depth > 0 || !isGroup(one)));
  const name = `f${position}${random.pick(['', 'Name', '_x', 'URL'])}`;
  const id = `${base}/${name}`;
  const traits = TYPES[type];
  const isMany = type === 'reference' && random.chance(0.5);
  const fields = isGroup(type) ? randomFields(random, id, depth - 1) : [];
  const [least, most, pattern] = limitWords(type, isMany);
  const choices = type === 'choice' ? ['a', 'b c', 'é'].slice(0, random.below(3) + 1) : [];
  return {
    ...newField(type, id),
    name,
    label: random.chance(0.5) ? random.pick(WORDS) : labelOf(name),
    isRequired: random.chance(0.3),
    description: random.chance(0.3) ? 'A text: "quoted", 日本' : '',
    preset: traits.hasPreset === true && random.chance(0.3) ? presetOf(type, choices) : '',
    choices,
    ...(type === 'reference' && {
      target: {
        group: DRAFT_NAMES.group,
        kind: 'Thing',
        onDelete: random.pick(['restrict', 'cascade'] as const),
      },
    }),
    isMany,
    fields,
    limits: {
      least: least !== undefined && random.chance(0.3) ? '1' : NO_LIMITS.least,
      most: most !== undefined && random.chance(0.3) ? '9' : NO_LIMITS.most,
      pattern: pattern !== undefined && random.chance(0.2) ? '^[^\\s]*$' : NO_LIMITS.pattern,
    },
  };
}

function presetOf(type: FieldDraft['type'], choices: readonly string[]): string {
  const presets: Partial<Record<FieldDraft['type'], string>> = {
    number: '2.5',
    integer: '3',
    boolean: 'false',
    date: '2026-11-27',
    dateTime: '2026-11-27T08:00:00Z',
    choice: choices[0] ?? '',
    email: 'a@b.org',
    url: 'x:y',
    image: 'https://a.org/b.png',
    color: '#a0b1c2',
  };
  return presets[type] ?? 'some';
}

function randomFields(random: Random, base: string, depth: number): readonly FieldDraft[] {
  return Array.from({ length: random.below(4) + 1 }, (_, i) => randomField(random, base, i, depth));
}

/** Sets switches, where a field may have them. */
function withSwitches(random: Random, fields: readonly FieldDraft[]): readonly FieldDraft[] {
  return fields.map((field) => {
    const { index, column, isText } = TYPES[field.type as (typeof FIELD_TYPES)[number]];
    const isUnique = index !== undefined && random.chance(0.2);
    return {
      ...field,
      isIndexed: isUnique || (index !== undefined && random.chance(0.3)),
      isUnique,
      isSearched: isText === true && random.chance(0.3),
      isColumn: column !== undefined && random.chance(0.4),
      fields: field.type === 'group' ? withSwitches(random, field.fields) : field.fields,
    };
  });
}

/** A draft of a new model, valid for the service, as it is read again after it was stored. */
export function randomDraft(random: Random): ModelDraft {
  const fields = withSwitches(random, randomFields(random, '', 2));
  const at = fields.findIndex(({ type }) => TYPES[type as (typeof FIELD_TYPES)[number]].isText === true);
  const hasTitle = random.chance(0.5);
  return {
    ...NEW_MODEL,
    title: random.pick(['Thing', 'Das Ding', '🦊 Fuchs']),
    names: DRAFT_NAMES,
    icon: random.pick(['', 'tags']),
    heading: random.pick(['', 'Shop']),
    fields: fields.map((field, i) => ({ ...field, isTitle: hasTitle && i === at })),
  };
}
