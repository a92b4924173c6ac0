import type { History } from './history.js';
import { Log } from './log.js';
import type { Property } from './property.js';
import { READ_PROPERTIES } from './read-properties.js';
import { WATCH_PROPERTIES } from './watch-properties.js';
import { WRITE_PROPERTIES } from './write-properties.js';

const PROPERTIES: readonly Property[] = [...WATCH_PROPERTIES, ...WRITE_PROPERTIES, ...READ_PROPERTIES];

/** Most violations that are listed of one property. */
const TOLD_MAX = 5;

export function faultsOf(history: History): readonly string[] {
  const log = Log.from(history.watches);
  return PROPERTIES.flatMap(({ name, faults }) => {
    const found = faults(history, log);
    const reported = found.slice(0, TOLD_MAX).map((fault) => `${name}: ${fault}`);
    return found.length > TOLD_MAX ? [...reported, `${name}: ${found.length} faults in all`] : reported;
  });
}
