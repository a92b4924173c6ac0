import { isRecord, joinPath } from '../../lib/json/json.js';
import type { Path } from '../../lib/json/json-difference.js';

/** The path in the data for a JSON pointer. A step into an array is an index. */
export function getPath(data: unknown, pointer: string): Path {
  const path: (string | number)[] = [];
  let at = data;
  for (const raw of pointer.split('/').slice(1)) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(at) ? Number(step) : step);
    at = getMember(at, step);
  }
  return path;
}

/**
 * The dotted path of a place in the data: `spec.tags[2]` where `tags` is an array. The key of a map is one step,
 * whatever characters it contains: `metadata.labels.a.b/c`.
 */
export function fieldPath(path: Path): string {
  return path.reduce<string>(
    (before, step) => (typeof step === 'number' ? `${before}[${step}]` : joinPath(before, step)),
    '',
  );
}

/** The path in the data for a dotted path. Keys may contain dots: the longest matching key is used. */
export function placeInData(data: unknown, field: string): Path {
  const path: (string | number)[] = [];
  let at = data;
  for (let rest = field; rest !== '';) {
    const [text = rest, index] = /^\.?\[(\d+)\]/.exec(rest) ?? [];
    const plain = rest.replace(/^\./, '');
    const step = index === undefined || !Array.isArray(at) ? keyAt(at, plain) : Number(index);
    path.push(step);
    rest = typeof step === 'number' ? rest.slice(text.length) : plain.slice(Math.max(1, step.length));
    at = getMember(at, String(step));
  }
  return path;
}

function keyAt(value: unknown, rest: string): string {
  const fits = (key: string): boolean =>
    rest.startsWith(key) && (rest.length === key.length || /[.[]/.test(rest.charAt(key.length)));
  const known = isRecord(value) ? Object.keys(value).filter((key) => key !== '' && fits(key)) : [];
  const [longest = /^[^.[]*/.exec(rest)?.[0] ?? rest] = known.sort((a, b) => b.length - a.length);
  return longest;
}

function getMember(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}
