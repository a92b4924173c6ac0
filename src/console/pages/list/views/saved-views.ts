import { useMutation, useQuery, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { getJson, send } from '../../../api/http.js';
import { getPath, objectPath, useModel, type ModelRef } from '../../../api/models.js';
import type { StoredObject } from '../../../api/objects.js';
import { fieldIs } from '../../../api/selectors.js';
import { arrayAt, objectAt, textAt } from '../../../lib/json.js';
import { OPEN, OPEN_VIEW, SAVED } from '../parameters.js';

/** The model of saved views. */
export const VIEWS: ModelRef = { group: 'console.platform.run', version: 'v1alpha1', plural: 'views' };

/** A list with a name: its conditions and order, and maybe its columns. */
export interface SavedView {
  /** Of the object. */
  readonly name: string;
  readonly title: string;
  /** The query of the list. */
  readonly parameters: string;
  readonly columns: readonly string[] | undefined;
  readonly isShared: boolean;
  /** Undefined without access control. */
  readonly owner: string | undefined;
}

const AGAIN_MS = 15_000;
const SIZE_MAX = '100';
/** Parameters of a list that are no part of a view. */
const NOT_SAVED = [SAVED, OPEN, OPEN_VIEW, 'page', 'continue', 'limit', 'facets', 'explain'];
const NO_VIEWS: readonly SavedView[] = [];

/** The parameters of a list that a view saves. */
export function getSavedParameters(parameters: URLSearchParams): string {
  const saved = new URLSearchParams(parameters);
  for (const name of NOT_SAVED) saved.delete(name);
  saved.sort();
  return saved.toString();
}

/** The list of a view. */
export function getViewParameters({ name, parameters }: SavedView): URLSearchParams {
  const list = new URLSearchParams(parameters);
  list.set(SAVED, name);
  return list;
}

/** The saved views of a model that the user may see, by title. */
export function useSavedViews(model: ModelRef): readonly SavedView[] {
  const isServed = useModel(VIEWS) !== undefined;
  const { data } = useQuery({
    queryKey: getKey(model),
    queryFn: async ({ signal }) => {
      const fieldSelector = [
        fieldIs('spec.model.group', model.group),
        fieldIs('spec.model.plural', model.plural),
      ].join(',');
      const request = new URLSearchParams({ fieldSelector, sort: 'spec.title', size: SIZE_MAX });
      const list = await getJson(`${getPath(VIEWS)}?${request.toString()}`, signal);
      return arrayAt(list, 'items').map(readView);
    },
    enabled: isServed,
    refetchInterval: AGAIN_MS,
    retry: false,
  });
  return data ?? NO_VIEWS;
}

function getKey({ group, plural }: ModelRef): readonly string[] {
  return ['views', group, plural];
}

function readView(object: unknown): SavedView {
  const spec = objectAt(object, 'spec');
  return {
    name: textAt(objectAt(object, 'metadata'), 'name') ?? '',
    title: textAt(spec, 'title') ?? '',
    parameters: textAt(spec, 'parameters') ?? '',
    columns: Array.isArray(spec.columns)
      ? spec.columns.filter((one): one is string => typeof one === 'string')
      : undefined,
    isShared: spec.isShared === true,
    owner: textAt(spec, 'owner'),
  };
}

/** The part of a view that users write. */
export type ViewDraft = Pick<SavedView, 'title' | 'parameters' | 'columns' | 'isShared'>;

/** A write of a view: of a new one without a name, of an existing one, or its deletion without content. */
interface ViewWrite {
  readonly name?: string;
  readonly draft?: Partial<ViewDraft>;
}

/** Writes a view. @returns its name */
export function useWriteView(model: ModelRef): UseMutationResult<string, Error, ViewWrite> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ name, draft }) => {
      if (name === undefined) {
        const { group, plural } = model;
        const body = { metadata: { generateName: 'view-' }, spec: { model: { group, plural }, ...draft } };
        const made = (await (await send(getPath(VIEWS), { method: 'POST', body })).json()) as StoredObject;
        return made.metadata.name;
      }
      const path = objectPath(VIEWS, name);
      if (draft === undefined) await send(path, { method: 'DELETE' });
      else
        await send(path, {
          method: 'PATCH',
          body: { spec: { ...draft, ...('columns' in draft && { columns: draft.columns ?? null }) } },
          headers: { 'Content-Type': 'application/merge-patch+json' },
        });
      return name;
    },
    onSettled: () => client.invalidateQueries({ queryKey: getKey(model) }),
  });
}
