import { badRequest, formatExcerpt, invalid } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { formatValue } from '../../model/validate/violation.js';
import { revisionOfTag } from '../answer/entity-tag.js';
import { PROPAGATION_POLICIES, type PropagationPolicy } from '../../model/owner-references.js';
import type { DeleteOptions, FieldValidation, WriteOptions } from '../../service/verbs.js';
import type { WriteOrigin } from '../../service/write-origin.js';

/** The query of a URL: repeated parameters are lists. It has no prototype, so any name is safe. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

const NO_QUERY: Query = Object.freeze(Object.create(null) as Query);

/** @throws ServiceError `BadRequest` for bytes that are not UTF-8 */
export function parseQuery(search: string): Query {
  if (search === '') return NO_QUERY;
  const query = Object.create(null) as Record<string, string | string[]>;
  let isReplaced = false;
  for (const [name, value] of new URLSearchParams(search)) {
    isReplaced ||= value.includes(REPLACED) || name.includes(REPLACED);
    const known = query[name];
    if (known === undefined) query[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else query[name] = [known, value];
  }
  if (isReplaced) refuseOtherBytes(search);
  return query;
}

/** `URLSearchParams` reads it instead of bytes that are not UTF-8; it may also be meant. */
const REPLACED = '\uFFFD';

function refuseOtherBytes(search: string): void {
  for (const parameter of search.replace('?', '').split('&')) {
    const escapes = parameter.match(/(?:%[\da-f]{2})+/giu) ?? [];
    if (!escapes.every(isUtf8))
      throw badRequest(
        `the query has a parameter that is not percent-encoded UTF-8: ${formatExcerpt(parameter)}`,
      );
  }
}

function isUtf8(escapes: string): boolean {
  try {
    decodeURIComponent(escapes);
    return true;
  } catch {
    return false;
  }
}

/** The parameter's value; the last one when it is repeated. */
export function single(query: Query, name: string): string | undefined {
  const value = query[name];
  return Array.isArray(value) ? value.at(-1) : value;
}

/**
 * The value of a parameter with a fixed set of values; the last one when it is repeated, undefined when it is absent.
 * @throws ServiceError `BadRequest` for any other value, including an empty one
 */
export function oneOf<T extends string>(query: Query, name: string, values: readonly T[]): T | undefined {
  const given = query[name];
  return given === undefined
    ? undefined
    : [given]
        .flat()
        .map((text) => parseChoice(name, text, values))
        .at(-1);
}

function parseChoice<T extends string>(name: string, given: unknown, values: readonly T[]): T {
  const known = values.find((value) => value === given);
  if (known !== undefined) return known;
  const shown = typeof given === 'string' ? formatExcerpt(given) : formatValue(given);
  throw badRequest(`${name}: "${shown}" is not one of ${values.join(', ')}`);
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/**
 * A parameter that is true or false, in any case of letters; undefined when it is absent.
 * @throws ServiceError `BadRequest` for any other value, including an empty one
 */
export function flag(query: Query, name: string): boolean | undefined {
  const given = query[name];
  if (given === undefined) return undefined;
  const values = [given].flat().map((text) => {
    const value = FLAGS.get(text.toLowerCase());
    if (value === undefined) throw badRequest(`${name}: "${formatExcerpt(text)}" is neither true nor false`);
    return value;
  });
  return values.at(-1);
}

/**
 * True when the parameter is present and true.
 * @throws ServiceError `BadRequest` as {@link flag}
 */
export function isTrue(query: Query, name: string): boolean {
  return flag(query, name) === true;
}

const VALIDATIONS: readonly FieldValidation[] = ['Strict', 'Warn', 'Ignore'];
const DRY_RUNS = ['All'] as const;

/** Kubernetes' limit for names of managers. */
const MANAGER_LENGTH_MAX = 128;

/**
 * The manager that a request names; undefined when it names none.
 * @throws ServiceError `Invalid`
 */
export function statedManager(query: Query): string | undefined {
  const name = single(query, 'fieldManager');
  if (name === undefined || name === '') return undefined;
  if (name.length <= MANAGER_LENGTH_MAX && /^\P{C}*$/u.test(name)) return name;
  const message = `must have at most ${MANAGER_LENGTH_MAX} characters, all of them printable`;
  throw invalid('request', [{ field: 'fieldManager', reason: 'FieldValueInvalid', message }]);
}

/** @throws ServiceError `Invalid` for a patch that is no apply, but would take fields from their managers */
export function refuseForce({ force }: Query): void {
  if (force === undefined) return;
  const message = 'may not be specified for non-apply patch';
  throw invalid('PatchOptions', [{ field: 'force', reason: 'FieldValueForbidden', message }]);
}

/** The manager of a request: the stated one, or the name of its client. */
export function managerOf(query: Query, userAgent: string | undefined): string {
  const [client = ''] = (userAgent ?? '').split('/', 1);
  const name = client.replaceAll(/\p{C}/gu, '').slice(0, MANAGER_LENGTH_MAX);
  return statedManager(query) ?? (name === '' ? 'unknown' : name);
}

/**
 * @param origin see `WriteOptions.origin`
 * @throws ServiceError `BadRequest` for unknown values
 */
export function writeOptions(query: Query, ifMatch: string | undefined, origin?: WriteOrigin): WriteOptions {
  const fieldValidation = oneOf(query, 'fieldValidation', VALIDATIONS);
  const revisions = matchedRevisions(ifMatch);
  return {
    dryRun: oneOf(query, 'dryRun', DRY_RUNS) !== undefined,
    origin,
    ...(fieldValidation === undefined ? {} : { fieldValidation }),
    ...(revisions === undefined ? {} : { ifMatch: revisions }),
  };
}

/** `If-Match` (RFC 9110): the acceptable revisions of the stored object; undefined for any revision. */
function matchedRevisions(header: string | undefined): string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return header.split(',').map((tag) => revisionOfTag(tag.trim()));
}

/**
 * The options of a delete: parameters, and Kubernetes' DeleteOptions as its body.
 * @throws ServiceError `BadRequest`
 */
export function deleteOptions(
  query: Query,
  ifMatch: string | undefined,
  body: unknown,
  origin?: WriteOrigin,
): DeleteOptions {
  const own = { ...writeOptions(query, ifMatch, origin), forceFinalizers: isTrue(query, 'forceFinalizers') };
  const asked = getPolicy(oneOf(query, POLICY, PROPAGATION_POLICIES), flag(query, 'orphanDependents'));
  if (body === undefined || body === null) return { ...own, ...asked };
  if (!isRecord(body)) throw badRequest('the body of a delete must be DeleteOptions');
  const options = { ...own, ...asked, ...policyIn(body) };
  const dryRuns = getValues(body.dryRun).map((value) => parseChoice('dryRun', value, DRY_RUNS));
  const dryRun = options.dryRun === true || dryRuns.length > 0;
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

const POLICY = 'propagationPolicy';

type Asked = Pick<DeleteOptions, typeof POLICY>;

/** @param orphans the older form of the policy, which Kubernetes clients may still send */
function getPolicy(policy: PropagationPolicy | undefined, orphans: boolean | undefined): Asked {
  if (policy !== undefined && orphans !== undefined)
    throw badRequest(`${POLICY} and orphanDependents exclude each other; send one of them`);
  if (orphans !== undefined) return { propagationPolicy: orphans ? 'Orphan' : 'Background' };
  return policy === undefined ? {} : { propagationPolicy: policy };
}

function policyIn({
  propagationPolicy,
  orphanDependents: orphans,
}: Readonly<Record<string, unknown>>): Asked {
  const policies = getValues(propagationPolicy).map((one) => parseChoice(POLICY, one, PROPAGATION_POLICIES));
  if (orphans !== undefined && orphans !== null && typeof orphans !== 'boolean')
    throw badRequest('orphanDependents must be true or false');
  return getPolicy(policies.at(-1), orphans ?? undefined);
}

/** A member of a body that is a list, or one value; null is an empty list. */
function getValues(member: unknown): readonly unknown[] {
  return member === undefined || member === null ? [] : [member].flat();
}

function text(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw badRequest(`preconditions.${name} must be a string`);
  return value;
}
