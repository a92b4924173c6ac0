import type { ReferencePath } from '../../query/expand.js';
import type { ServiceContext } from '../context.js';
import { objectNotFound } from '../object-errors.js';
import type { Reading } from '../read/find.js';
import type { ResourceRef } from '../verbs.js';
import { bindPaths } from './branches.js';
import { readIncluded, withIncluded } from './included.js';

/**
 * An object with the objects to which paths of references lead from it, all of one moment.
 * @throws ServiceError `NotFound`, `BadRequest` as {@link bindPaths} and {@link readIncluded}
 */
export async function readExpanded(
  { store, models }: ServiceContext,
  {
    ref,
    name,
    paths,
  }: { readonly ref: ResourceRef; readonly name: string; readonly paths: readonly ReferencePath[] },
  { work, mayRead }: Reading,
): Promise<{ readonly revision: number; readonly json: Buffer }> {
  const asked = models.view(ref);
  const { view, tables } = await store.readCurrent();
  try {
    const model = asked.current(tables);
    const { table } = model;
    const branches = bindPaths(paths, table, tables);
    const stored = await view.find(table, name);
    if (stored === undefined) throw objectNotFound(model.resource, name);
    const included = await readIncluded({ table, ids: [stored.id] }, branches, { view, work, mayRead });
    return { revision: stored.revision, json: withIncluded(model.json(stored.bytes), included) };
  } finally {
    view.close();
  }
}
