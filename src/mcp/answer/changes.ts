import { isRecord } from '../../lib/json/json.js';
import type { FieldChange } from '../../service/verbs.js';
import { countFitting, jsonBytes } from './bounds.js';

/** Longest values that shortened changes contain, in bytes; tried in this order. */
const VALUE_BYTES = [4_096, 512, 64];

/** The changes with a note instead of each long value, and without the last ones when there are too many. */
export function shortenChanges(changes: readonly FieldChange[], bytesMax: number): readonly FieldChange[] {
  let shorter = changes;
  for (const max of VALUE_BYTES) {
    if (jsonBytes(shorter) <= bytesMax) return shorter;
    shorter = changes.map((change) => shorten(change, max));
  }
  if (jsonBytes(shorter) <= bytesMax) return shorter;
  const count = countFitting(shorter, bytesMax - 100);
  return [...shorter.slice(0, count), { path: `(${shorter.length - count} more)` }];
}

function shorten(change: FieldChange, max: number): FieldChange {
  const { from, to, ...rest } = change;
  return {
    ...rest,
    ...('from' in change && { from: shortValue(from, max) }),
    ...('to' in change && { to: shortValue(to, max) }),
  };
}

function shortValue(value: unknown, max: number): unknown {
  const bytes = jsonBytes(value);
  if (bytes <= max) return value;
  const what = Array.isArray(value) ? 'a list' : isRecord(value) ? 'an object' : 'a text';
  return `(${what} of ${bytes} bytes, left out)`;
}
