import type { IndexDeclaration, ValueType, Resource } from '../model/resource.js';
import { isTextIndex } from '../query/fields.js';
import { getListParameter, LIST_PARAMETERS, type ListParameter } from '../query/list-parameters.js';

/** The limit of examples for each parameter; its description has all fields. */
const EXAMPLES_MAX = 5;

const NAME = 'metadata.name';
const LABELS = 'metadata.labels';

const SAMPLES: Readonly<Record<ValueType, string>> = {
  string: 'text',
  boolean: 'true',
  integer: '30',
  long: '9007199254740993',
  number: '1.5',
  instant: '2026-01-31T08:00:00Z',
};

/** The first example: pages that try operations out fill it in. */
const NO_SELECTOR = { none: { summary: 'All objects', value: '' } } as const;

const EXAMPLES: Readonly<Record<string, object>> = {
  // Pages that try operations out fill it in: all objects of a large model would be too many for the page.
  size: { example: 20 },
  labelSelector: {
    examples: {
      ...NO_SELECTOR,
      equal: { summary: 'The label has the value', value: 'example.com/team=red' },
      absent: { summary: 'The label is absent', value: '!example.com/team' },
    },
  },
  filter: {
    examples: {
      ...NO_SELECTOR,
      recent: {
        summary: 'Created within an hour',
        value: 'metadata.creationTimestamp > now - duration("1h")',
      },
      labels: {
        summary: 'By a label or its absence',
        value: 'metadata.labels["example.com/team"] == "red" || !("example.com/team" in metadata.labels)',
      },
    },
  },
};

const COMMON = LIST_PARAMETERS.filter(
  ({ name }) => name !== 'sort' && name !== 'fieldSelector' && name !== 'search',
);
export type CommonListParameter = (typeof COMMON)[number]['name'];

/** List parameters that are equal for all models, by name. */
export const COMMON_PARAMETERS = Object.fromEntries(
  COMMON.map((parameter) => [parameter.name, describe(parameter)]),
);

/** Names of those that are described after page and size and the fields of a model. */
export const LATER_PARAMETERS = COMMON.map(({ name }) => name).filter(
  (name) => name !== 'page' && name !== 'size',
);

function describe({ name, type, description, min = 0, max }: ListParameter): object {
  const schema =
    type === 'integer' ? { type, format: 'int32', minimum: min, maximum: max } : { type: 'string' };
  return { name, in: 'query', description, schema, ...EXAMPLES[name] };
}

/** The list parameters that differ between models, because they name the model's fields. */
export function fieldParameters(resource: Resource): object[] {
  const sorted = declaredFields(resource).filter(({ sparse }) => !sparse);
  return [...searchParameter(resource), sortParameter(sorted), selectorParameter(resource)];
}

function declaredFields({ indexes }: Resource): readonly IndexDeclaration[] {
  return indexes.filter((index) => index.name !== LABELS && !isTextIndex(index));
}

/** Described for models with a text index only. */
function searchParameter({ indexes }: Resource): object[] {
  if (!indexes.some(isTextIndex)) return [];
  return [{ ...describe(getListParameter('search')), examples: SEARCH_EXAMPLES }];
}

const SEARCH_EXAMPLES = {
  ...NO_SELECTOR,
  words: { summary: 'All of the words', value: 'disk full ' },
  phrase: { summary: 'Words side by side, and one that is not there', value: '"read only" -test' },
};

function sortParameter(fields: readonly IndexDeclaration[]): object {
  const names = [NAME, ...fields.map(({ name }) => name)];
  const samples = own(fields).map(
    ({ name, order }) =>
      [name, { summary: `By ${name}`, value: [`${name},${order.toLowerCase()}`] }] as const,
  );
  return {
    name: 'sort',
    in: 'query',
    description: `${getListParameter('sort').description} Sortable fields: ${inCode(names)}.`,
    schema: { type: 'array', items: { type: 'string' } },
    style: 'form',
    explode: true,
    examples: { none: { summary: 'By name', value: [] }, ...Object.fromEntries(samples) },
  };
}

/** The parameter that selects by the fields of a model. */
export function selectorParameter(resource: Resource): object {
  const fields = declaredFields(resource);
  const names = [NAME, ...fields.map(({ name }) => name)];
  const samples = own(fields).map(({ name, keyType, ignoreCase }) => {
    const summary = `By ${name}, of the type ${keyType}${ignoreCase === true ? ', in any case' : ''}`;
    return [name, { summary, value: `${name}=${keyType === 'text' ? '' : SAMPLES[keyType]}` }] as const;
  });
  return {
    name: 'fieldSelector',
    in: 'query',
    description: `${getListParameter('fieldSelector').description} Selectable fields: ${inCode(names)}.`,
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
