import { leadsTo } from '../editor/document.js';

/** The steps to a value: names of members, and positions of items. Equal paths that begin with one root are the same array. */
export type Path = readonly (string | number)[];

export const ROOT: Path = [];

const known = new WeakMap<Path, Map<string | number, Path>>();

export function below(path: Path, step: string | number): Path {
  let next = known.get(path);
  if (next === undefined) known.set(path, (next = new Map<string | number, Path>()));
  let found = next.get(step);
  if (found === undefined) next.set(step, (found = [...path, step]));
  return found;
}

/** Formats a path like the service: `spec.tags[2]`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`;
    return before === '' ? step : `${before}.${step}`;
  }, '');
}

/** The path of a dotted name of the service, such as `spec.lines[2].count`, in values. Names may contain dots. */
export function findPath(root: Path, get: (path: Path) => unknown, name: string): Path {
  const index = /^\.?\[(\d+)\]/.exec(name);
  if (index !== null) return findPath(below(root, Number(index[1])), get, name.slice(index[0].length));
  const rest = name.replace(/^\./, '');
  const value = get(root);
  if (rest === '' || typeof value !== 'object' || value === null) return root;
  const [found] = Object.keys(value)
    .filter((key) => leadsTo(key, rest))
    .sort((a, b) => b.length - a.length);
  return found === undefined ? root : findPath(below(root, found), get, rest.slice(found.length));
}
