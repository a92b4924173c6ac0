import { badRequest, formatExcerpt } from '../../errors.js';
import type { KeyType, Resource } from '../../model/resource.js';
import { type FacetField, readFacet } from './facets.js';
import { NAME_INDEX } from '../fields.js';

/** A function of the values of a field. */
export interface Aggregate {
  /** The name in the answer, as `sum(spec.cost)`. */
  readonly name: string;
  readonly function: 'sum' | 'avg' | 'min' | 'max';
  readonly field: FacetField;
}

/** How the matches of a list are grouped and summed. */
export interface Grouping {
  readonly groupBy: readonly FacetField[];
  readonly aggregates: readonly Aggregate[];
  /** Most groups in the answer. */
  readonly limit: number;
}

const FIELDS_MAX = 3;
const AGGREGATES_MAX = 20;
const COUNT = 'count';
const CALL = /^(sum|avg|min|max)\(\s*(.*?)\s*\)$/;
const FORMS = 'count, sum(<field>), avg(<field>), min(<field>), max(<field>)';
const NUMBERS: readonly KeyType[] = ['integer', 'long', 'number'];

/**
 * Reads texts of functions and of fields, separated by commas.
 * @returns undefined when there are none
 * @throws ServiceError `BadRequest` for anything but known functions of indexed fields, and for too many or equal ones
 */
export function readGrouping(
  texts: { readonly aggregates: readonly string[]; readonly groupBy: readonly string[] },
  limit: number,
  resource: Resource,
): Grouping | undefined {
  const calls = getParts(texts.aggregates);
  const fields = getParts(texts.groupBy);
  if (calls.length === 0 && fields.length === 0) return undefined;
  if (calls.length === 0) throw badRequest('groupBy needs aggregates, for example aggregates=count');
  checkNumber('groupBy', fields, FIELDS_MAX);
  checkNumber('aggregates', calls, AGGREGATES_MAX);
  const groupBy = fields.map((name) => readFacet(name, resource, 'groupBy'));
  const aggregates = calls.filter((call) => call !== COUNT).map((call) => readAggregate(call, resource));
  checkDistinct('groupBy', groupBy.map(identify));
  const functions = aggregates.map(({ function: name, field }) => `${name} ${identify(field)}`);
  checkDistinct('aggregates', [...functions, ...calls.filter((call) => call === COUNT)]);
  return { groupBy, aggregates, limit };
}

function getParts(texts: readonly string[]): string[] {
  const parts = texts.filter((text) => text.trim() !== '').flatMap((text) => text.split(','));
  return parts.map((part) => part.trim());
}

function checkNumber(parameter: string, parts: readonly string[], max: number): void {
  if (parts.length > max) throw badRequest(`${parameter}: at most ${max} are possible, got ${parts.length}`);
}

function checkDistinct(parameter: string, parts: readonly string[]): void {
  if (new Set(parts).size < parts.length) throw badRequest(`${parameter}: one of them occurs twice`);
}

/** The same for two names of one field. */
function identify({ index, label = '' }: FacetField): string {
  return `${index} ${label}`;
}

function readAggregate(call: string, resource: Resource): Aggregate {
  const [, name, text = ''] = CALL.exec(call) ?? [];
  if (name !== 'sum' && name !== 'avg' && name !== 'min' && name !== 'max')
    throw badRequest(`aggregates: "${formatExcerpt(call)}" is none of ${FORMS}`);
  const field = readFacet(text, resource, 'aggregates');
  const { keyType, multi } = resource.indexes[field.index] ?? NAME_INDEX;
  if (multi)
    throw badRequest(
      `aggregates: ${name} needs a field with one value; ${text} has several, use it in groupBy`,
    );
  if ((name === 'sum' || name === 'avg') && !NUMBERS.includes(keyType))
    throw badRequest(
      `aggregates: ${name} needs numbers; ${text} is indexed as ${keyType}, use count, min or max`,
    );
  return { name: `${name}(${field.name})`, function: name, field };
}
