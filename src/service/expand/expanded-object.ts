import type { ReferencePath } from '../../query/expand.js';
import type { ServiceContext } from '../context.js';
import { objectNotFound } from '../object-errors.js';
import { refuseHidden } from '../scope/hidden-fields.js';
import { shownWithin } from '../scope/scoped-model.js';
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
  { work, scope, related }: Reading,
): Promise<{ readonly revision: number; readonly json: Buffer }> {
  const asked = models.view(ref);
  return store.withinCurrent(async ({ view, tables }) => {
    const model = asked.current(tables);
    const { table } = model;
    const branches = bindPaths(paths, table, tables);
    const stored = await view.find(table, name);
    if (stored === undefined) throw objectNotFound(model.resource, name);
    const json = shownWithin(model, stored.bytes, scope);
    if (json === undefined) throw objectNotFound(model.resource, name);
    if (scope !== undefined) for (const [field = ''] of paths) refuseHidden(field, model.resource, scope);
    const included = await readIncluded({ table, ids: [stored.id] }, branches, { view, work, related });
    return { revision: stored.revision, json: withIncluded(json, included) };
  });
}
