import { badRequest, hasCode, notFound } from '../../errors.js';
import { didYouMean, suggest } from '../../lib/suggest.js';
import { resolveResource } from '../../model/resolve-resource.js';
import { getApiVersion, type IndexDeclaration, type Resource } from '../../model/resource.js';
import {
  getConstraints,
  getContent,
  findDescription,
  findExample,
  getFields,
  findMember,
  findReference,
  getRequired,
  getRules,
  getType,
  getView,
  type SchemaView,
} from './schema-view.js';

/** A field of a model, or the model as a whole. */
export interface Subject {
  readonly resource: Resource;
  /** Empty for the whole object. */
  readonly path: readonly string[];
}

/**
 * Parses `<resource>[.<path>]`. A group may follow the resource, and has dots too: the longest prefix that names a resource wins.
 * @throws ServiceError `NotFound`, `BadRequest` when several resources fit
 */
export function parseSubject(resources: readonly Resource[], text: string): Subject {
  const parts = text.split('.').map((part) => part.replace(/\[(\*|\d*)\]$/, ''));
  if (parts.includes('')) throw badRequest(`"${text}" is not of the form <resource>.<field>.<field>`);
  for (let length = parts.length; length > 1; length -= 1) {
    const resource = find(resources, parts.slice(0, length).join('.'));
    if (resource !== undefined) return { resource, path: parts.slice(length) };
  }
  return { resource: resolveResource(resources, parts[0] ?? ''), path: parts.slice(1) };
}

function find(resources: readonly Resource[], name: string): Resource | undefined {
  try {
    return resolveResource(resources, name);
  } catch (error) {
    if (hasCode(error, 'NotFound')) return undefined;
    throw error;
  }
}

/**
 * Describes a field and the fields below it, line by line.
 * @param recursive all levels below, and not only the next one; types within themselves are not expanded again
 * @throws ServiceError `NotFound` for a field that is not declared
 */
export function explainLines({ resource, path }: Subject, recursive: boolean): string[] {
  const { schema } = resource;
  let view = getView(schema, schema);
  let isRequired = false;
  for (const [at, name] of path.entries()) {
    isRequired = getRequired(schema, view).has(name);
    view = stepInto(resource, view, path.slice(0, at), name);
  }
  const lines = [
    `GROUP:      ${resource.group}`,
    `KIND:       ${resource.kind}`,
    `VERSION:    ${resource.version}`,
    '',
  ];
  const name = path.at(-1);
  if (name !== undefined) lines.push(`FIELD: ${formatTitle(resource, name, view, isRequired)}`, '');
  const about = describeField(resource, path.join('.'), view);
  if (about.length > 0) lines.push('DESCRIPTION:', ...about.map((line) => `    ${line}`), '');
  const open = new Set<object>(getContent(schema, view).parts);
  const fields = fieldLines({ resource, recursive, level: 1 }, view, path, open);
  if (fields.length > 0) lines.push('FIELDS:', ...fields);
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

function stepInto(resource: Resource, view: SchemaView, before: readonly string[], name: string): SchemaView {
  const { schema } = resource;
  const fields = getFields(schema, view);
  const found = fields.get(name) ?? findMember(schema, view);
  if (found !== undefined) return found;
  const where = [resource.plural, ...before].join('.');
  const names = [...fields.keys()];
  const near = suggest(name, names);
  const known = names.length === 0 ? 'it has no declared fields' : `it has ${names.join(', ')}`;
  const help = near === undefined ? `: ${known}` : didYouMean(near);
  throw notFound(`there is no field "${name}" in ${where} of ${getApiVersion(resource)}${help}`);
}

interface Listing {
  readonly resource: Resource;
  readonly recursive: boolean;
  /** The depth of the indent. */
  readonly level: number;
}

/** @param open parts of the types that are being described */
function fieldLines(
  listing: Listing,
  view: SchemaView,
  path: readonly string[],
  open: ReadonlySet<object>,
): string[] {
  const { resource, recursive, level } = listing;
  const { schema } = resource;
  const required = getRequired(schema, view);
  const indent = '  '.repeat(level);
  return [...getFields(schema, view)].flatMap(([name, field]) => {
    const below = [...path, name];
    const head = `${indent}${formatTitle(resource, name, field, required.has(name))}`;
    const about = describeField(resource, below.join('.'), field).map((line) => `${indent}  ${line}`);
    if (!recursive) return [head, ...about, ''];
    const content = getContent(schema, field);
    // A type that is being described is not expanded again within itself.
    const isOpen = content.parts.some((part) => 'properties' in part && open.has(part));
    if (isOpen) return [head];
    const inner = { ...listing, level: level + 1 };
    return [head, ...fieldLines(inner, field, below, new Set([...open, ...content.parts]))];
  });
}

function formatTitle({ schema }: Resource, name: string, view: SchemaView, isRequired: boolean): string {
  return `${name} <${getType(schema, view)}>${isRequired ? ' -required-' : ''}`;
}

/** The description of a field: constraints, indexes, text, example. */
function describeField(resource: Resource, path: string, view: SchemaView): string[] {
  const constraints = getConstraints(view);
  const index = resource.indexes.find(({ name }) => name === path);
  const indexed = path === 'metadata.name' ? 'selectable, sortable, unique' : index && indexText(index);
  const example = findExample(view);
  const reference = findReference(view);
  return [
    ...(findDescription(view)?.split('\n') ?? []),
    ...(constraints.length === 0 ? [] : [`(${constraints.join('; ')})`]),
    ...(reference === undefined ? [] : [`(refers to ${reference})`]),
    ...getRules(view).map((rule) => `(rule: ${rule})`),
    ...(indexed === undefined ? [] : [`(indexed: ${indexed})`]),
    ...(example === undefined ? [] : [`(example: ${example})`]),
  ];
}

function indexText({ keyType, multi, unique, sparse, name, ignoreCase }: IndexDeclaration): string {
  // Labels have a separate selector.
  const selectable = name === 'metadata.labels' ? 'selectable by -l' : 'selectable';
  return [
    selectable,
    ...(sparse ? [] : ['sortable']),
    ...(multi && name !== 'metadata.labels' ? ['each of several values'] : []),
    ...(unique ? ['unique'] : []),
    `by ${keyType}`,
    ...(ignoreCase === true ? ['ignores case'] : []),
  ].join(', ');
}
