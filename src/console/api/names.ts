import { getModelHints } from '../lib/hints.js';
import { arrayAt } from '../lib/json.js';
import { getJson } from './http.js';
import { getPath, type Model } from './models.js';
import { getName } from './objects.js';
import { queries } from './queries.js';
import { readTable } from './tables.js';
import { getTitle } from './titles.js';

const NAMES_MAX = '20';
const FIRST_MAX = '500';

/** The first names of a model's objects that contain a text. */
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

/** An object that was found, by its name. */
export interface FoundObject {
  readonly id: string;
  /** Undefined without one. */
  readonly title: string | undefined;
}

/** The first objects of a model whose title or name contains a text, or whose texts have its words. */
export async function findObjects(
  model: Model,
  search: string,
  signal?: AbortSignal,
): Promise<readonly FoundObject[]> {
  const { title } = getModelHints(model.schema);
  const named = `metadata.name.contains(${JSON.stringify(search)})`;
  const isIndexed = model.indexes.some(({ name }) => name === title);
  const titles = isIndexed ? spellings(search) : [];
  const titled = titles.map((one) => ` || ${title ?? ''}.contains(${JSON.stringify(one)})`);
  const read = async (more: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
    const request = new URLSearchParams({ limit: NAMES_MAX, ...more });
    return arrayAt(await getJson(`${getPath(model)}?${request.toString()}`, signal), 'items');
  };
  if (search === '') return toFound(model, await read({}));
  const hasText = model.indexes.some(({ keyType }) => keyType === 'text');
  const [byName, byWords, byTitle] = await Promise.all([
    read({ filter: named + titled.join('') }),
    hasText ? read({ search }).catch(() => []) : [],
    // Without an index the service finds no titles: then the page looks at the first objects.
    title === undefined || isIndexed || hasText ? [] : read({ limit: FIRST_MAX }),
  ]);
  const wanted = search.toLowerCase();
  const meant = byTitle.filter((one) => getTitle(model, one)?.toLowerCase().includes(wanted));
  return toFound(model, [...byName, ...byWords, ...meant]);
}

/** A text, and itself with the capital letters of titles: filters distinguish them. */
function spellings(text: string): readonly string[] {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return [...new Set([text, capital, text.toLowerCase(), text.toUpperCase()])];
}

/** Each object once. */
function toFound(model: Model, objects: readonly unknown[]): readonly FoundObject[] {
  const found = objects.map((object) => ({ id: getName(object), title: getTitle(model, object) }));
  return [...new Map(found.map((one) => [one.id, one])).values()];
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
