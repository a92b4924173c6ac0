import { isOfPlatform, type Model } from '../../../api/models.js';
import { groupBy } from '../../../lib/group-by.js';
import { hasTyped } from '../../../lib/naming.js';
import { ALL, keyOf, rowOf, type ResourceRow } from './cells.js';

/** Rows under one heading. */
export interface Section {
  /** `*` for all groups. */
  readonly group: string;
  readonly rows: readonly ResourceRow[];
}

/**
 * The rows of a matrix by group: `*` first, then those of plugins, of Kubernetes and of the platform. In a group `*` is first, and each
 * model is followed by its used parts and objects.
 * @param used keys of rows
 */
export function getSections(models: readonly Model[], used: Iterable<string>): readonly Section[] {
  const rows = new Map<string, ResourceRow>();
  const add = (row: ResourceRow): void => void rows.set(keyOf(row), row);
  add({ group: ALL, resource: ALL, names: [] });
  for (const { group, plural } of models) {
    add({ group, resource: ALL, names: [] });
    add({ group, resource: plural, names: [] });
  }
  for (const key of used) {
    const row = rowOf(key);
    if (!('path' in row)) add(row);
  }
  return [...groupBy(rows.values(), ({ group }) => [group])]
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([group, ofGroup]) => ({ group, rows: ofGroup.sort(compareRows) }));
}

function rank(group: string): number {
  if (group === ALL) return 0;
  if (isOfPlatform({ group })) return 3;
  return group === '' || group.endsWith('.k8s.io') ? 2 : 1;
}

function compareRows(a: ResourceRow, b: ResourceRow): number {
  if (a.resource !== b.resource) {
    if (a.resource === ALL) return -1;
    if (b.resource === ALL) return 1;
    return a.resource < b.resource ? -1 : 1;
  }
  return a.names.length - b.names.length;
}

/** True when a row or its group contains the typed text. */
export function isMeantRow({ group, resource, names }: ResourceRow, typed: string): boolean {
  return hasTyped(`${resource}.${group} ${names.join(' ')}`, typed);
}
