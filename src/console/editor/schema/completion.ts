import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { readNames, findTarget } from '../../api/names.js';
import { arrayAt, isObject, textAt, type JsonObject } from '../../lib/json.js';
import { ITEM, getMembers, schemasAt, type Member } from '../../lib/schema.js';
import { docElement, getDoc } from './field-doc.js';
import { namesBeside, placeAt, type Place } from './place.js';

/** Suggests names of fields and values from the schema. */
export function getCompletion(schema: () => JsonObject) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { state, pos, explicit } = context;
    const place = placeAt(state.doc, pos);
    if (place === undefined || (place.typed === '' && !explicit)) return null;
    const root = schema();
    const here = schemasAt(root, place.path);
    const isValue = place.kind === 'value' || place.path.at(-1) === ITEM;
    const values = isValue ? [...getValues(here), ...(await namesFor(here, place.typed))] : [];
    const taken = place.kind === 'name' ? namesBeside(state.doc, pos, place.column) : [];
    const fields = place.kind === 'value' ? [] : getMembers(here, root).filter(isWritten);
    const options = [
      ...values,
      ...fields.filter(({ name }) => !taken.includes(name)).map((field) => fieldOption(field, root, place)),
    ];
    // A complete text needs no list that hides the lines below.
    if (options.length === 0 || (!explicit && options.some(({ label }) => label === place.typed)))
      return null;
    return { from: place.from, options, validFor: /^[^\s:#]*$/ };
  };
}

/** False for fields that the service sets: users do not write them. */
function isWritten({ name, schema }: Member): boolean {
  return schema.readOnly !== true && !['status', 'resourceVersion'].includes(name);
}

const INDENT = 2;

/** A name, and the start of its value unless that exists. */
function fieldOption(field: Member, root: JsonObject, { column }: Place): Completion {
  const { name, schema, isRequired } = field;
  const doc = getDoc(field, root);
  const inner = `\n${' '.repeat(column + INDENT)}`;
  const lead = schema.type === 'array' ? `:${inner}- ` : isOfMembers(schema) ? `:${inner}` : ': ';
  return {
    label: name,
    detail: doc.type,
    type: 'property',
    // Required fields come first.
    boost: isRequired ? 1 : 0,
    info: () => docElement(doc),
    apply: (view, _completion, from, to) => {
      const line = view.state.doc.lineAt(to);
      const insert = /^\s*:/.test(line.text.slice(to - line.from)) ? name : name + lead;
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: from + insert.length },
        userEvent: 'input.complete',
      });
    },
  };
}

function isOfMembers(schema: JsonObject): boolean {
  return schema.type === 'object' || 'properties' in schema || 'allOf' in schema;
}

function getValues(schemas: readonly JsonObject[]): Completion[] {
  const values = schemas.flatMap((schema) => [
    ...arrayAt(schema, 'enum'),
    ...('const' in schema ? [schema.const] : []),
    ...(schema.type === 'boolean' ? [true, false] : []),
    ...('default' in schema ? [schema.default] : []),
  ]);
  const written = values.filter((value) => value !== null && typeof value !== 'object').map(scalarText);
  return [...new Set(written)].map((label) => ({ label, type: 'enum' }));
}

/** Quotes a text that would be parsed as another type. */
function scalarText(value: unknown): string {
  const isText = typeof value === 'string';
  const plain = String(value);
  const isSafe = /^[A-Za-z_][\w ./-]*$/.test(plain) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(plain);
  return !isText || isSafe ? plain : JSON.stringify(plain);
}

async function namesFor(schemas: readonly JsonObject[], typed: string): Promise<Completion[]> {
  const mark = schemas.map((schema) => schema['x-xsvc-reference']).find(isObject);
  const target = mark && findTarget(textAt(mark, 'group') ?? '', textAt(mark, 'kind') ?? '');
  if (target === undefined) return [];
  const names = await readNames(target, typed).catch(() => []);
  return names.map((label) => ({ label, type: 'constant' }));
}
