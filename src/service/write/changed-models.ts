import { modelKey, type Resource } from '../../model/resource.js';
import type { ServiceContext } from '../context.js';

/** A served model whose objects were changed. */
export interface ChangedModel {
  readonly resource: Resource;
  /** Of the last change of an object of the model. */
  readonly revision: number;
}

/** What was changed after a revision, at one moment of the store. */
export interface ChangedModels {
  /** Of the last change of the store. */
  readonly revision: number;
  /** In the order in which models are listed, each version of a model by itself. */
  readonly models: readonly ChangedModel[];
}

/** Reads one small record for each model, however many objects and changes there are. */
export async function readChangedModels(
  { store, models }: ServiceContext,
  after: number,
): Promise<ChangedModels> {
  const { view, tables } = await store.readCurrent();
  try {
    const changed: ChangedModel[] = [];
    for (const resource of models.list()) {
      const table = tables.get(modelKey(resource));
      if (table === undefined) continue;
      const { revision } = await view.count(table);
      if (revision > after) changed.push({ resource, revision });
    }
    return { revision: await view.revision(), models: changed };
  } finally {
    view.close();
  }
}
