import { useLayoutEffect, useSyncExternalStore } from 'react';
import { useForm } from '../form-state.js';
import { below, type Path } from '../path.js';

/** Calls with the position of an item of a list when a field in it must be displayed. */
export function useWantedItem(path: Path, onWanted: (position: number) => void): void {
  const { store } = useForm();
  const wanted = useSyncExternalStore(store.subscribe, store.wanted);
  useLayoutEffect(() => {
    const step = wanted[path.length];
    const isBelow = path.every((one, i) => one === wanted[i]);
    if (isBelow && typeof step === 'number') onWanted(step);
  }, [wanted]);
}

/** The path of a dotted name of the service, such as `spec.lines[2].count`, in values. Names may contain dots. */
export function findPath(root: Path, get: (path: Path) => unknown, name: string): Path {
  const index = /^\.?\[(\d+)\]/.exec(name);
  if (index !== null) return findPath(below(root, Number(index[1])), get, name.slice(index[0].length));
  const rest = name.replace(/^\./, '');
  const value = get(root);
  if (rest === '' || typeof value !== 'object' || value === null) return root;
  const found = Object.keys(value)
    .filter((key) => rest.startsWith(key) && /^(?:$|[.[])/.test(rest.slice(key.length)))
    .sort((a, b) => b.length - a.length)[0];
  return found === undefined ? root : findPath(below(root, found), get, rest.slice(found.length));
}
