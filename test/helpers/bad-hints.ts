/** A schema of objects with hints of the model and of the fields of its `spec`. */
export function hinted(model: unknown, fields: object = {}): object {
  const text = { type: 'string' };
  const price = { type: 'number', minimum: 0 };
  const tags = { type: 'array', items: text };
  const size = { type: 'object', properties: { unit: text } };
  return {
    type: 'object',
    ...(model !== undefined && { 'x-xsvc-console': model }),
    properties: {
      spec: {
        type: 'object',
        properties: {
          ...{ title: text, price, tags, size },
          labels: { type: 'object', additionalProperties: text },
          ...fields,
        },
      },
    },
  };
}

const field = (hints: unknown, schema: object = { type: 'string' }) =>
  hinted(undefined, { x: { ...schema, 'x-xsvc-console': hints } });

/** Hints that are accepted. */
export const GOOD_HINTS: readonly object[] = [
  hinted({ title: 'spec.title', icon: 'tags', group: 'Shop', columns: ['spec.price', 'metadata.name'] }),
  hinted({ title: 'spec.size.unit', columns: ['spec.labels.colour', 'spec.tags', 'spec.size'] }),
  hinted({}),
  hinted({
    titles: { de: 'Dinge', 'pt-BR': 'Coisas' },
    kinds: { de: 'Ding' },
    descriptions: { de: 'Was es gibt.' },
  }),
  field({ titles: { de: 'Preis' }, descriptions: { de: 'In Euro.' }, width: 'half' }),
  field({ hidden: true, width: 'half' }),
  ...['markdown', 'multiline', 'color', 'code', 'password', 'image'].map((widget) => field({ widget })),
  field({ widget: 'slider' }, { type: 'integer', minimum: 1, maximum: 9 }),
  field({ widget: 'code' }, { type: 'object', additionalProperties: { type: 'string' } }),
  hinted(undefined, {
    x: { type: 'array', items: { type: 'string', 'x-xsvc-console': { widget: 'image' } } },
  }),
];

interface BadHint {
  readonly name: string;
  readonly schema: object;
  /** The path of the schema and the member, with steps for fields. */
  readonly path: readonly string[];
  readonly member: string;
  readonly text: string;
}

const ofModel = (name: string, hints: unknown, member: string, text: string): BadHint => ({
  ...{ name, schema: hinted(hints), path: [], member, text },
});
const ofField = (name: string, hints: unknown, member: string, text: string, schema?: object): BadHint => ({
  ...{ name, schema: field(hints, schema), path: ['spec', 'x'], member, text },
});
const PATHS = 'a list of the paths of fields, such as ["spec.title"]';
const PATH = 'the path of a text field, such as "spec.title"';
const TEXTS = 'an object with a text for each language, such as {"de": "Produkte"}';
const INPUTS = 'markdown, multiline, color, code, password, image, slider';

/** Hints that are refused, with their messages. */
export const BAD_HINTS: readonly BadHint[] = [
  ofModel('no object', 'tags', '', 'must be an object, got "tags"'),
  ofModel('a list', [], '', 'must be an object, got []'),
  ofModel(
    'an unknown member',
    { colour: 'red' },
    '.colour',
    'is not a hint of a model; known hints: title, icon, group, columns, titles, kinds, descriptions',
  ),
  ofModel(
    'a hint of a field',
    { width: 'half' },
    '.width',
    'is not a hint of a model; known hints: title, icon, group, columns, titles, kinds, descriptions',
  ),
  ofModel('a title that is no text', { title: 3 }, '.title', `must be ${PATH}, got 3`),
  ofModel(
    'a title without a field',
    { title: 'spec.titel' },
    '.title',
    `names no field: "spec.titel"; it must be ${PATH}`,
  ),
  ofModel(
    'a title in a list',
    { title: 'spec.tags.0' },
    '.title',
    `names no field: "spec.tags.0"; it must be ${PATH}`,
  ),
  ofModel(
    'an inherited title',
    { title: 'constructor' },
    '.title',
    `names no field: "constructor"; it must be ${PATH}`,
  ),
  ofModel('an empty title', { title: '' }, '.title', `names no field: ""; it must be ${PATH}`),
  ofModel(
    'a title of a number',
    { title: 'spec.price' },
    '.title',
    'must name a text field, but spec.price is of type number',
  ),
  ofModel('an icon that is no text', { icon: 1 }, '.icon', 'must be a text that is not empty, got 1'),
  ofModel('an empty group', { group: ' ' }, '.group', 'must be a text that is not empty, got " "'),
  ofModel('columns as a text', { columns: 'spec.title' }, '.columns', `must be ${PATHS}, got "spec.title"`),
  ofModel(
    'a column that is no text',
    { columns: [{}] },
    '.columns',
    `must be ${PATHS}, got {} at position 1`,
  ),
  ofModel(
    'a column without a field',
    { columns: ['spec.title', 'spec.colour'] },
    '.columns',
    `names no field: "spec.colour"; it must be ${PATHS}`,
  ),
  ofModel(
    'a column twice',
    { columns: ['spec.title', 'spec.title'] },
    '.columns',
    'names a field twice: "spec.title"',
  ),
  ofModel('titles as a text', { titles: 'Dinge' }, '.titles', `must be ${TEXTS}, got "Dinge"`),
  ofModel('titles as a list', { titles: ['Dinge'] }, '.titles', `must be ${TEXTS}, got ["Dinge"]`),
  ofModel(
    'a title in an unknown form of a language',
    { titles: { de_DE: 'Dinge' } },
    '.titles',
    'has "de_DE", which is not a language tag such as "de" or "pt-BR"',
  ),
  ofModel(
    'a title in a language by its name',
    { titles: { german: 'Dinge' } },
    '.titles',
    'has "german", which is not a language tag such as "de" or "pt-BR"',
  ),
  ofModel(
    'an empty title in a language',
    { titles: { de: ' ' } },
    '.titles',
    'must have a text that is not empty for de, got " "',
  ),
  ofField(
    'a description in a language that is no text',
    { descriptions: { de: 3 } },
    '.descriptions',
    'must have a text that is not empty for de, got 3',
  ),
  ofField(
    'a hint of a model',
    { title: 'a' },
    '.title',
    'is not a hint of a field; known hints: hidden, widget, width, titles, descriptions',
  ),
  ofField('hidden as a text', { hidden: 'yes' }, '.hidden', 'must be true or false, got "yes"'),
  ofField('an unknown widget', { widget: 'wysiwyg' }, '.widget', `must be one of ${INPUTS}, got "wysiwyg"`),
  ofField('an unknown width', { width: 'third' }, '.width', 'must be one of half, full, got "third"'),
  ofField(
    'Markdown of a number',
    { widget: 'markdown' },
    '.widget',
    'markdown needs a field of type string; it is of type number',
    { type: 'number' },
  ),
  ofField(
    'a slider of a text',
    { widget: 'slider' },
    '.widget',
    'slider needs a field of type integer or number; it is of type string',
  ),
  ofField(
    'a slider without an end',
    { widget: 'slider' },
    '.widget',
    'slider needs a field with a minimum and a maximum',
    { type: 'integer', minimum: 0 },
  ),
];
