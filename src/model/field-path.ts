import { joinPath } from '../lib/json.js';
import type { Path } from '../lib/json-difference.js';

/** The way in the data that a JSON pointer means: a step is a position where it leads into an array. */
export function pathOf(data: unknown, pointer: string): Path {
  const path: (string | number)[] = [];
  let at = data;
  for (const raw of pointer.split('/').slice(1)) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(at) ? Number(step) : step);
    at = memberOf(at, step);
  }
  return path;
}

/**
 * The dotted path of a place in the data: `spec.tags[2]` where `tags` is an array. The key of a map is one step
 * whatever it holds: `metadata.labels.a.b/c`.
 */
export function fieldPath(path: Path): string {
  return path.reduce<string>(
    (before, step) => (typeof step === 'number' ? `${before}[${step}]` : joinPath(before, step)),
    '',
  );
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}
