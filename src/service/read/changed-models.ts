import { modelKey, type Resource } from '../../model/resource.js';
import type { ServiceContext } from '../context.js';

/** A served model with changed objects. */
export interface ChangedModel {
  readonly resource: Resource;
  /** The revision of the last change of an object of the model. */
  readonly revision: number;
}

/** The changes after a revision, in one snapshot of the store. */
export interface ChangedModels {
  /** The revision of the last change of the store. */
  readonly revision: number;
  /** In the order of the list of models; each version of a model has its own entry. */
  readonly models: readonly ChangedModel[];
}

/** Reads one small record per model, independent of the number of objects and changes. */
export async function readChangedModels(
  { store, models }: ServiceContext,
  after: number,
): Promise<ChangedModels> {
  return store.withinCurrent(async ({ view, tables }) => {
    const changed: ChangedModel[] = [];
    for (const resource of models.list()) {
      const table = tables.get(modelKey(resource));
      if (table === undefined) continue;
      const { revision } = await view.count(table);
      if (revision > after) changed.push({ resource, revision });
    }
    return { revision: await view.revision(), models: changed };
  });
}
