import { getModelHints } from '../lib/hints.js';
import { arrayAt } from '../lib/json.js';
import { hasTyped } from '../lib/naming.js';
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

/** The parameters of a list that find objects. */
type Search = { readonly filter: string } | { readonly search: string };

/** The requests for objects with a condition, or a text in their titles. Titles are found by an index: of texts, or of themselves. */
export function getSearches(model: Model, condition: string, text: string): readonly Search[] {
  const { title } = getModelHints(model.schema);
  const isIndexed = model.indexes.some(({ name, keyType }) => name === title && keyType === 'string');
  const spelled = isIndexed ? getSpellings(text) : [];
  const titled = spelled.map((one) => `${title}.contains(${JSON.stringify(one)})`);
  // Signs of a search are not meant; the last word may be the beginning of one.
  const search = text.replace(/["-]/g, ' ').trim().replace(/\s+/g, ' ');
  const hasText = search !== '' && model.indexes.some(({ keyType }) => keyType === 'text');
  return [{ filter: [condition, ...titled].join(' || ') }, ...(hasText ? [{ search }] : [])];
}

/** A text, and itself with the capital letters of titles: filters distinguish them. */
function getSpellings(text: string): readonly string[] {
  const capital = (begin: RegExp): string => text.replace(begin, (letter) => letter.toUpperCase());
  const all = [text, capital(/^\S/u), capital(/(?<!\S)\S/gu), text.toLowerCase(), text.toUpperCase()];
  return [...new Set(all)];
}

/** The first objects of a model whose title or name contains a text, or whose texts have its words. */
export async function findObjects(
  model: Model,
  text: string,
  signal?: AbortSignal,
): Promise<readonly FoundObject[]> {
  const read = async (more: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
    const request = new URLSearchParams({ limit: NAMES_MAX, ...more });
    return arrayAt(await getJson(`${getPath(model)}?${request.toString()}`, signal), 'items');
  };
  if (text === '') return toFound(model, await read({}));
  const named = `metadata.name.contains(${JSON.stringify(text)})`;
  const searches = getSearches(model, named, text);
  const { title } = getModelHints(model.schema);
  // Without an index the service finds no titles: then the page looks at the first objects.
  const isFound =
    title === undefined || searches.length > 1 || model.indexes.some(({ name }) => name === title);
  const [looked, ...found] = await Promise.all([
    isFound ? [] : read({ limit: FIRST_MAX }),
    ...searches.map((one) => ('search' in one ? read(one).catch(() => []) : read(one))),
  ]);
  const meant = looked.filter((one) => hasTyped(getTitle(model, one) ?? '', text));
  return toFound(model, [...found.flat(), ...meant]);
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
