import { badRequest } from '../errors.js';
import { isRecord } from '../lib/json.js';
import type { DeleteOptions, FieldValidation, WriteOptions } from '../service/verbs.js';

/** The query of a URL: repeated parameters are lists. Has no prototype, so any name is just a name. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

const NO_QUERY: Query = Object.freeze(Object.create(null) as Query);

export function parseQuery(search: string): Query {
  if (search === '') return NO_QUERY;
  const query = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(search)) {
    const known = query[name];
    if (known === undefined) query[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else query[name] = [known, value];
  }
  return query;
}

/** The parameter's value; the last one when it is repeated. */
export function single(query: Query, name: string): string | undefined {
  const value = query[name];
  return Array.isArray(value) ? value.at(-1) : value;
}

export function isTrue(query: Query, name: string): boolean {
  const value = single(query, name);
  return value === 'true' || value === '1';
}

const VALIDATIONS: readonly FieldValidation[] = ['Strict', 'Warn', 'Ignore'];

/** @throws ServiceError `BadRequest` for values that are not known */
export function writeOptions(query: Query, ifMatch: string | undefined): WriteOptions {
  const validation = single(query, 'fieldValidation');
  const fieldValidation = VALIDATIONS.find((known) => known === validation);
  if (validation !== undefined && validation !== '' && fieldValidation === undefined) {
    throw badRequest(`fieldValidation "${validation.slice(0, 100)}" is not one of ${VALIDATIONS.join(', ')}`);
  }
  const revisions = matchedRevisions(ifMatch);
  return {
    dryRun: isDryRun(query.dryRun),
    ...(fieldValidation === undefined ? {} : { fieldValidation }),
    ...(revisions === undefined ? {} : { ifMatch: revisions }),
  };
}

function isDryRun(value: unknown): boolean {
  if (value === undefined || value === '') return false;
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const other = values.find((item) => item !== 'All');
  if (other !== undefined)
    throw badRequest(`dryRun ${JSON.stringify(other).slice(0, 100)} is not known; only "All" is`);
  return values.length > 0;
}

/** `If-Match` (RFC 9110): revisions that the client wants to write on; undefined when any will do. */
function matchedRevisions(header: string | undefined): string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  // A weak or malformed tag matches nothing.
  return header.split(',').map((tag) => /^"([^"]*)"$/.exec(tag.trim())?.[1] ?? tag.trim());
}

/** Whether an `If-None-Match` names the revision (RFC 9110: weak comparison). */
export function matchesTag(header: string, revision: number): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${revision}"`);
}

/** A delete takes Kubernetes' DeleteOptions as its body. @throws ServiceError `BadRequest` */
export function deleteOptions(options: WriteOptions, body: unknown): DeleteOptions {
  if (body === undefined || body === null) return options;
  if (!isRecord(body)) throw badRequest('the body of a delete must be DeleteOptions');
  const dryRun = options.dryRun === true || isDryRun(body.dryRun);
  const { preconditions } = body;
  if (preconditions === undefined || preconditions === null) return { ...options, dryRun };
  if (!isRecord(preconditions)) throw badRequest('preconditions must be an object');
  const uid = text('uid', preconditions.uid);
  const resourceVersion = text('resourceVersion', preconditions.resourceVersion);
  return {
    ...options,
    dryRun,
    preconditions: {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

function text(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw badRequest(`preconditions.${name} must be a string`);
  return value;
}
