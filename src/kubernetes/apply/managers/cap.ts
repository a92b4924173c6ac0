import { compareTexts } from '../../../lib/compare-texts.js';
import { unionOfAll } from '../paths/algebra.js';
import { NO_PATHS, type PathSet } from '../paths/path-set.js';
import type { Managed } from './managed.js';
import { keyOf, secondsOf, type ManagedState } from './state.js';

/** Managers that update, of one object. */
const UPDATERS_MAX = 10;

/** Bytes of the managers of an object, above which those that update become one. Appliers are always kept. */
const BYTES_MAX = 256 * 1_024;

const OLD_UPDATES = 'ancient-changes';

/**
 * Joins the managers whose updates are the oldest, so that an object does not collect managers without end. They are joined by
 * version.
 */
export function capUpdaters(state: ManagedState, updatersMax = UPDATERS_MAX): ManagedState {
  const updaters = [...state.managers].filter(([, { isApplied }]) => !isApplied).map(([key]) => key);
  if (updaters.length <= updatersMax) return state;
  const managers = new Map(state.managers);
  const times = new Map(state.times);
  /** The managers that become one, by their version. */
  const joined = new Map<string, string[]>();
  let count = updaters.length;
  for (const key of oldestFirst(updaters, times)) {
    if (count <= updatersMax) break;
    const version = managers.get(key)?.version ?? '';
    const same = joined.get(version);
    if (same === undefined) joined.set(version, [key]);
    else {
      same.push(key);
      count--;
    }
  }
  for (const [version, keys] of joined) if (keys.length > 1) join(version, keys, { managers, times });
  return { managers, times };
}

function oldestFirst(keys: readonly string[], times: ManagedState['times']): readonly string[] {
  return keys.toSorted((a, b) => secondsOf(times.get(a)) - secondsOf(times.get(b)) || compareTexts(a, b));
}

/** @param keys oldest first */
function join(
  version: string,
  keys: readonly string[],
  { managers, times }: { readonly managers: Map<string, Managed>; readonly times: Map<string, string> },
): void {
  const old = keyOf({ manager: OLD_UPDATES, operation: 'Update', apiVersion: version });
  const time = times.get(keys.at(-1) ?? '');
  // The joined managers of earlier writes may be younger than those that join them now.
  const parts = new Set([...keys, ...(managers.has(old) ? [old] : [])]);
  const fields = unionOfAll([...parts].map((key) => managers.get(key)?.fields ?? NO_PATHS));
  for (const key of keys) managers.delete(key);
  managers.set(old, { fields, version, isApplied: false });
  if (time !== undefined) times.set(old, time);
}

/** {@link capUpdaters}, and joins all of them when the managers are large. */
export function capManagers(state: ManagedState): ManagedState {
  const capped = capUpdaters(state);
  let bytes = 0;
  for (const { fields } of capped.managers.values()) bytes += bytesOf(fields);
  return bytes > BYTES_MAX ? capUpdaters(capped, 1) : capped;
}

/** `"":{},` around each step. */
const STEP_BYTES = 6;

/** The approximate bytes of the JSON of a set. */
function bytesOf(set: PathSet): number {
  let bytes = 0;
  for (const [element, { below }] of set.nodes)
    bytes += element.length + STEP_BYTES + (below === undefined ? 0 : bytesOf(below));
  return bytes;
}
