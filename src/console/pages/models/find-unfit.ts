import { ApiError } from '../../api/errors.js';
import { readJson, send } from '../../api/http.js';
import { getApiVersion, getPath, type Model } from '../../api/models.js';
import { readTable } from '../../api/tables.js';
import { arrayAt } from '../../lib/json.js';

/** An object that does not fit its model. */
export interface InvalidObject {
  readonly name: string;
  readonly problems: readonly string[];
}

/** The result of a check of some objects. */
export interface LookedAt {
  /** The number of checked objects so far. */
  readonly looked: number;
  readonly invalid: readonly InvalidObject[];
}

const BATCHES_URL = '/apis/api.platform.run/v1alpha1/batches?dryRun=All&return=none';
/** The number of objects that are checked with one request. */
const AT_ONCE = '200';
const FOUND_MAX = 100;

/**
 * Finds objects that do not fit: a dry-run patch without changes is sent for each, which stores nothing. A warning of the service
 * means an existing error.
 * @param wanted ends after this number of results
 * @throws ApiError, Unreachable
 */
export async function* findUnfit(
  model: Model,
  wanted: number,
  signal: AbortSignal,
): AsyncGenerator<LookedAt> {
  let found = 0;
  let looked = 0;
  const parameters = new URLSearchParams({ limit: AT_ONCE });
  while (!signal.aborted && found < Math.min(wanted, FOUND_MAX)) {
    const { rows, metadata } = await readTable(getPath(model), parameters, signal);
    const invalid = await findInvalid(
      model,
      rows.map(({ object }) => object.metadata.name),
      signal,
    );
    found += invalid.length;
    looked += rows.length;
    yield { looked, invalid };
    if (metadata.continue === undefined) return;
    parameters.set('continue', metadata.continue);
  }
}

async function findInvalid(
  model: Model,
  names: readonly string[],
  signal: AbortSignal,
): Promise<InvalidObject[]> {
  const invalid: InvalidObject[] = [];
  let left = [...names];
  // A batch ends at the first object that cannot be read, or is deleted: the others are tried without it.
  while (left.length > 0) {
    try {
      const items = arrayAt(await tryChanges(model, left, signal), 'items');
      for (const [i, name] of left.entries()) {
        const problems = arrayAt(items[i], 'warnings').filter((one) => typeof one === 'string');
        if (problems.length > 0) invalid.push({ name, problems });
      }
      return invalid;
    } catch (error) {
      const at = error instanceof ApiError ? itemIn(error) : undefined;
      const name = at === undefined ? undefined : left[at];
      if (name === undefined || !(error instanceof ApiError)) throw error;
      if (error.code !== 404) invalid.push({ name, problems: [error.message] });
      left = left.filter((one) => one !== name);
    }
  }
  return invalid;
}

function tryChanges(model: Model, names: readonly string[], signal: AbortSignal): Promise<unknown> {
  const { kind } = model;
  const items = names.map((name) => ({
    verb: 'patch',
    apiVersion: getApiVersion(model),
    kind,
    name,
    patch: {},
    contentType: 'application/merge-patch+json',
  }));
  return send(BATCHES_URL, { method: 'POST', body: { items }, signal }).then(readJson);
}

/** The position of the wrong item in a batch. */
function itemIn({ causes, message }: ApiError): number | undefined {
  const [, at] = /^items\[(\d+)\]/.exec(causes[0]?.field ?? message) ?? [];
  return at === undefined ? undefined : Number(at);
}
