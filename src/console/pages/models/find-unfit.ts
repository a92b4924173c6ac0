import { patchItem, sendBatch } from '../../api/batches.js';
import { ApiError } from '../../api/errors.js';
import { getPath, type Model } from '../../api/models.js';
import { iterateNames } from '../../api/tables.js';
import { arrayAt, textsAt } from '../../lib/json.js';

/** An object that does not fit its model. */
export interface InvalidObject {
  readonly name: string;
  readonly problems: readonly string[];
}

/** The result so far of a check of objects. */
export interface LookedAt {
  /** The number of checked objects. */
  readonly looked: number;
  readonly invalid: readonly InvalidObject[];
}

/** The number of objects that are checked with one request. */
const AT_ONCE = 200;
const FOUND_MAX = 100;

/**
 * Finds objects that do not fit: a dry-run patch without changes is sent for each, which stores nothing. A warning of the service
 * means an existing error.
 * @param wanted ends after this number of results
 */
export async function* findUnfit(
  model: Model,
  wanted: number,
  signal: AbortSignal,
): AsyncGenerator<LookedAt> {
  let now: LookedAt = { looked: 0, invalid: [] };
  for await (const part of iterateNames(getPath(model), new URLSearchParams(), AT_ONCE, signal)) {
    const invalid = [...now.invalid, ...(await findInvalid(model, part, signal))];
    now = { looked: now.looked + part.length, invalid };
    yield now;
    if (signal.aborted || invalid.length >= Math.min(wanted, FOUND_MAX)) return;
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
      const changes = { items: left.map((name) => patchItem(model, name, {})), isTrial: true };
      const items = arrayAt(await sendBatch(changes, signal), 'items');
      for (const [i, name] of left.entries()) {
        const problems = textsAt(items[i], 'warnings');
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

/** The position of the wrong item in a batch. */
function itemIn({ causes, message }: ApiError): number | undefined {
  const [, at] = /^items\[(\d+)\]/.exec(causes[0]?.field ?? message) ?? [];
  return at === undefined ? undefined : Number(at);
}
