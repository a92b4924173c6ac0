import type { ChangeHead } from '../store/log/log-heads.js';
import { readIndexRecords } from '../store/index/scan.js';
import type { Snapshot } from '../store/engine.js';
import type { CurrentView } from '../store/store.js';
import type { Table } from '../store/table.js';
import { deletionIndex, ownerIndex } from '../store/index/owner-index.js';
import { isUsed } from './pages.js';

/** The models with objects that have owners, and the models with objects that are being deleted. */
export interface Used {
  readonly owned: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
}

export async function usedIn({ view, tables }: CurrentView): Promise<Used> {
  const owned = new Set<string>();
  const deleted = new Set<string>();
  for (const [model, table] of tables) {
    const { revision } = await view.count(table);
    const known = uses.get(table);
    const use = known?.revision === revision ? known : await useOf(view.snapshot, table, revision);
    uses.set(table, use);
    if (use.owned) owned.add(model);
    if (use.deleted) deleted.add(model);
  }
  return { owned, deleted };
}

interface Use {
  /** The last change of the model. */
  readonly revision: number;
  readonly owned: boolean;
  readonly deleted: boolean;
}

/** Most of many models have not changed since the last look. */
const uses = new WeakMap<Table, Use>();

async function useOf(snapshot: Snapshot, table: Table, revision: number): Promise<Use> {
  const owned = await isUsed(snapshot, ownerIndex(table));
  return { revision, owned, deleted: await isUsed(snapshot, deletionIndex(table)) };
}

/** Ids of changed objects that still exist, by model. */
export interface Concerned {
  /** Objects with owners. */
  readonly dependents: ReadonlyMap<string, readonly number[]>;
  /** Objects that are being deleted. */
  readonly owners: ReadonlyMap<string, readonly number[]>;
}

/** Selects the objects to check after changes. Removed objects are not included. */
export async function concerned(
  { view, tables }: CurrentView,
  heads: readonly ChangeHead[],
  used: Used,
): Promise<Concerned> {
  const changed = new Map<number, Set<number>>();
  for (const { type, modelId, id } of heads) {
    if (type === 'DELETED') changed.get(modelId)?.delete(id);
    else changed.set(modelId, (changed.get(modelId) ?? new Set()).add(id));
  }
  const dependents = new Map<string, number[]>();
  const owners = new Map<string, number[]>();
  for (const [model, table] of tables) {
    const ids = [...(changed.get(table.modelId) ?? [])];
    // Most models have neither; then their objects need not be read.
    if (ids.length === 0 || (!used.owned.has(model) && !used.deleted.has(model))) continue;
    const records = await readIndexRecords(view.snapshot, table, ids);
    const having = (index: { readonly id: number } | undefined): number[] =>
      records.flatMap((record) =>
        record !== undefined && index !== undefined && (record.values.get(index.id) ?? []).length > 0
          ? [record.id]
          : [],
      );
    dependents.set(model, having(ownerIndex(table)));
    owners.set(model, having(deletionIndex(table)));
  }
  return { dependents, owners };
}
