import { NO_SELECTOR } from './common.js';
import type { IndexDeclaration, KeyType, Resource } from '../model/resource.js';

/** The limit of examples for each parameter; its description has all fields. */
const EXAMPLES_MAX = 5;

const NAME = 'metadata.name';
const LABELS = 'metadata.labels';

const SAMPLES: Readonly<Record<KeyType, string>> = {
  string: 'text',
  boolean: 'true',
  integer: '30',
  long: '9007199254740993',
  number: '1.5',
  instant: '2026-01-31T08:00:00Z',
};

/** The list parameters that differ between models, because they name the model's fields. */
export function fieldParameters(resource: Resource): object[] {
  const declared = resource.indexes.filter(({ name }) => name !== LABELS);
  return [sortParameter(declared.filter(({ sparse }) => !sparse)), selectorParameter(declared)];
}

function sortParameter(fields: readonly IndexDeclaration[]): object {
  const names = [NAME, ...fields.map(({ name }) => name)];
  const samples = own(fields).map(
    ({ name, order }) =>
      [name, { summary: `By ${name}`, value: [`${name},${order.toLowerCase()}`] }] as const,
  );
  return {
    name: 'sort',
    in: 'query',
    description: `Order as \`<field>[,asc|desc]\`; repeatable. Sortable fields: ${inCode(names)}.`,
    schema: { type: 'array', items: { type: 'string' } },
    style: 'form',
    explode: true,
    examples: { none: { summary: 'By name', value: [] }, ...Object.fromEntries(samples) },
  };
}

function selectorParameter(fields: readonly IndexDeclaration[]): object {
  const names = [NAME, ...fields.map(({ name }) => name)];
  const samples = own(fields).map(({ name, keyType }) => {
    const summary = `By ${name}, of the type ${keyType}`;
    return [name, { summary, value: `${name}=${SAMPLES[keyType]}` }] as const;
  });
  return {
    name: 'fieldSelector',
    in: 'query',
    description:
      'Requirements on indexed fields, separated by commas; all must hold: `f=v`, `f!=v`, `f in (a,b)`, ' +
      '`f notin (a,b)`, `f>v`, `f>=v`, `f<v`, `f<=v`, `f` (has a value), `!f` (has none). ' +
      `Selectable fields: ${inCode(names)}.`,
    schema: { type: 'string' },
    examples: {
      ...NO_SELECTOR,
      name: { summary: 'By name', value: `${NAME}=text` },
      ...Object.fromEntries(samples),
    },
  };
}

/** Selects the model's own fields: they are better examples than the common ones. */
function own(fields: readonly IndexDeclaration[]): readonly IndexDeclaration[] {
  const declared = fields.filter(({ name }) => !name.startsWith('metadata.'));
  return declared.filter(({ name }) => /^[A-Za-z0-9._-]+$/.test(name)).slice(0, EXAMPLES_MAX);
}

function inCode(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
