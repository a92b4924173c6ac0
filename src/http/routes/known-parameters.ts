import { formatExcerpt } from '../../errors.js';
import { didYouMean, suggest } from '../../lib/suggest.js';
import { LIST_PARAMETERS, SELECTORS } from '../../query/list-parameters.js';
import type { Query } from './parameters.js';

/** The kinds of requests for generated routes, by their parameters. */
export type ParameterUse =
  'list' | 'get' | 'history' | 'modelHistory' | 'watch' | 'write' | 'delete' | 'deleteCollection';

/** Parameters that Kubernetes clients send with every request, without effect here. */
const EVERYWHERE = ['pretty', 'timeout', 'fieldManager'];
const READ = ['watch', 'includeObject', 'dateCells', 'resourceVersion', 'resourceVersionMatch'];
const STREAM = ['timeoutSeconds', 'allowWatchBookmarks', 'sendInitialEvents'];
/** Clients that list and watch with the same code send the parameters of both with each. */
const LIST = [...READ, ...STREAM, ...LIST_PARAMETERS.map(({ name }) => name), 'explain'];
const WRITE = ['dryRun', 'fieldValidation'];
const DELETE = ['propagationPolicy', 'forceFinalizers', 'gracePeriodSeconds', 'orphanDependents'];
/** Clients of Kubernetes may send parameters of lists with the deletion of a collection. */
const CLIENT_LIST = [...STREAM, 'resourceVersion', 'resourceVersionMatch'];

const KNOWN: Readonly<Record<ParameterUse, ReadonlySet<string>>> = {
  list: known(LIST),
  get: known(READ, ['expand']),
  history: known(['limit', 'continue']),
  modelHistory: known(['limit', 'continue', 'since', 'user', 'before']),
  watch: known(LIST, ['ticket']),
  write: known(WRITE, ['force']),
  delete: known(WRITE, DELETE),
  deleteCollection: known(WRITE, DELETE, CLIENT_LIST, [
    ...SELECTORS.map(({ name }) => name),
    'limit',
    'continue',
  ]),
};

function known(...names: readonly (readonly string[])[]): ReadonlySet<string> {
  return new Set([...names.flat(), ...EVERYWHERE]);
}

/** The parameters of an endpoint of the platform, by their names or as its record has them. */
export function knownParameters(
  parameters: readonly (string | { readonly name: string })[] = [],
): ReadonlySet<string> {
  return known(parameters.map((one) => (typeof one === 'string' ? one : one.name)));
}

const NONE: readonly string[] = [];

/** Warnings about unknown parameters: a misspelled name would have no effect. */
export function unknownParameters(query: Query, use: ParameterUse): readonly string[] {
  return unknownAmong(query, KNOWN[use]);
}

export function unknownAmong(query: Query, expected: ReadonlySet<string>): readonly string[] {
  let warnings: string[] | undefined;
  for (const name in query) {
    if (expected.has(name)) continue;
    const near = suggest(name, expected);
    (warnings ??= []).push(`unknown query parameter "${formatExcerpt(name)}"${didYouMean(near)}`);
  }
  return warnings ?? NONE;
}
