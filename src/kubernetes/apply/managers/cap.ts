import { compareTexts } from '../../../lib/compare-texts.js';
import { union } from '../paths/algebra.js';
import type { Managed } from './managed.js';
import { keyOf, secondsOf, writeEntries, type ManagedState } from './state.js';

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
  const firsts = new Map<string, string>();
  const order = updaters.toSorted(
    (a, b) => secondsOf(times.get(a)) - secondsOf(times.get(b)) || compareTexts(a, b),
  );
  let count = updaters.length;
  for (const key of order) {
    if (count <= updatersMax) break;
    const managed = managers.get(key);
    if (managed === undefined) continue;
    const { version } = managed;
    const first = firsts.get(version);
    if (first === undefined) {
      firsts.set(version, key);
      continue;
    }
    const old = keyOf({ manager: OLD_UPDATES, operation: 'Update', apiVersion: version });
    rename(managers, first, old);
    const joined = managers.get(old);
    managers.set(old, joined === undefined ? managed : join(managed, joined));
    managers.delete(key);
    count--;
    const time = times.get(key);
    if (time !== undefined) times.set(old, time);
  }
  return { managers, times };
}

/** Moves the fields of the first old manager to the joined one, if that does not exist. */
function rename(managers: Map<string, Managed>, from: string, to: string): void {
  const managed = managers.get(from);
  if (managers.has(to) || managed === undefined) return;
  managers.delete(from);
  managers.set(to, managed);
}

function join(managed: Managed, other: Managed): Managed {
  return { ...managed, fields: union(managed.fields, other.fields) };
}

/** {@link capUpdaters}, and joins all of them when the managers are large. */
export function capManagers(state: ManagedState): ManagedState {
  const capped = capUpdaters(state);
  if (capped.managers.size < 2 || !isLarge(capped)) return capped;
  return capUpdaters(capped, 1);
}

function isLarge(state: ManagedState): boolean {
  return JSON.stringify(writeEntries(state) ?? []).length > BYTES_MAX;
}
