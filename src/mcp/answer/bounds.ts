import { formatSize } from '../../lib/time/duration.js';
import { isRecord } from '../../lib/json/json.js';
import { ServiceError } from '../../errors.js';

/** Largest answer of a tool, in bytes of its JSON. */
export const ANSWER_BYTES_MAX = 64 * 1024;
/** For the members of an answer beside its items. */
const HEAD_BYTES = 2 * 1024;
export const ITEMS_BYTES_MAX = ANSWER_BYTES_MAX - HEAD_BYTES;

export function jsonBytes(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

/** The number of the first items that fit into an answer. */
export function countFitting(items: readonly unknown[], bytesMax = ITEMS_BYTES_MAX): number {
  let bytes = 0;
  const past = items.findIndex((item) => (bytes += jsonBytes(item) + 1) > bytesMax);
  return past < 0 ? items.length : past;
}

/** Most fields that the error about a large object names. */
const FIELDS_MAX = 30;

/**
 * The error for an object that no answer can contain.
 * @param subject the object, for example `persons "ann"`
 */
export function objectTooLarge(subject: string, object: unknown): ServiceError {
  const sizes = fieldSizes(object).slice(0, FIELDS_MAX);
  const shown = sizes.map(([field, bytes]) => `${field} (${formatBytes(bytes)})`).join(', ');
  return new ServiceError(
    'RequestEntityTooLarge',
    `${subject} has ${formatBytes(jsonBytes(object))} of JSON, and an answer at most ${formatSize(ANSWER_BYTES_MAX)}; ask for some of its fields with \`fields\`: ${shown}`,
  );
}

function formatBytes(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${Math.ceil(bytes / 1024)} KiB`;
}

/** The fields of the first two levels, largest first. */
function fieldSizes(object: unknown): readonly (readonly [string, number])[] {
  if (!isRecord(object)) return [];
  return Object.entries(object)
    .flatMap(([key, value]) => {
      const below = isRecord(value) ? Object.entries(value) : [];
      const fields = below.map(([name, inner]) => [`${key}.${name}`, jsonBytes(inner)] as const);
      return [[key, jsonBytes(value)] as const, ...fields];
    })
    .sort(([, a], [, b]) => b - a);
}
