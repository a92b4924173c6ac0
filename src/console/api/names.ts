import { getPath, type Model } from './models.js';
import { queries } from './queries.js';
import { readTable } from './tables.js';

const NAMES_MAX = '20';

/** The first names of a model's objects that contain a text. @throws ApiError, Unreachable */
export async function readNames(
  model: Model,
  search: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const request = new URLSearchParams({ limit: NAMES_MAX });
  if (search !== '') request.set('filter', `metadata.name.contains(${JSON.stringify(search)})`);
  const { rows } = await readTable(getPath(model), request, signal);
  return rows.map(({ object }) => object.metadata.name);
}

/** The model of a kind, in its storage version. */
export function storedModel(models: readonly Model[], group: string, kind: string): Model | undefined {
  const found = models.filter((one) => one.group === group && one.kind === kind);
  return found.find(({ version, storageVersion }) => version === storageVersion) ?? found[0];
}

/** Searches the models that are loaded already. */
export function findTarget(group: string, kind: string): Model | undefined {
  return storedModel(queries.getQueryData<readonly Model[]>(['models']) ?? [], group, kind);
}
