import { joinPath } from '../lib/json.js';

/**
 * The dotted path of a place in the data: `/spec/tags/2` is `spec.tags[2]` where `tags` is an array. The key of a
 * map is one step whatever it holds: `metadata.labels.a.b/c`.
 */
export function fieldPath(data: unknown, pointer: string): string {
  let path = '';
  let at = data;
  for (const raw of pointer.split('/').slice(1)) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    path = Array.isArray(at) ? `${path}[${step}]` : joinPath(path, step);
    at = memberOf(at, step);
  }
  return path;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}
