import { useMutation, useQuery, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { getJson, send } from '../../../api/http.js';
import { getPath, objectPath, useModel, type ModelRef } from '../../../api/models.js';
import { createObject, getName, patchObject } from '../../../api/objects.js';
import { fieldIs } from '../../../api/selectors.js';
import { arrayAt, objectAt, textAt, textsAt } from '../../../lib/json.js';
import { OPEN, OPEN_VIEW, SAVED, withValues } from '../parameters.js';

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
  const saved = withValues(parameters, Object.fromEntries(NOT_SAVED.map((name) => [name, undefined])));
  saved.sort();
  return saved.toString();
}

/** The saved views of a model that the user may see, by title. */
export function useSavedViews(model: ModelRef): readonly SavedView[] {
  const isServed = useModel(VIEWS) !== undefined;
  const { data } = useQuery({
    queryKey: getKey(model),
    queryFn: async ({ signal }) => {
      const { group, plural } = model;
      const ofModel = [fieldIs('spec.model.group', group), fieldIs('spec.model.plural', plural)];
      const request = { fieldSelector: ofModel.join(','), sort: 'spec.title', size: SIZE_MAX };
      const list = await getJson(`${getPath(VIEWS)}?${new URLSearchParams(request).toString()}`, signal);
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
    name: getName(object),
    title: textAt(spec, 'title') ?? '',
    parameters: textAt(spec, 'parameters') ?? '',
    columns: Array.isArray(spec.columns) ? textsAt(spec, 'columns') : undefined,
    isShared: spec.isShared === true,
    owner: textAt(spec, 'owner'),
  };
}

/** The part of a view that users write. */
export type ViewDraft = Partial<Pick<SavedView, 'title' | 'parameters' | 'columns' | 'isShared'>>;

/** A write of a view: of a new one without a name, of an existing one, or its deletion without content. */
interface ViewWrite {
  readonly name?: string;
  readonly draft?: ViewDraft;
}

/** Writes a view. @returns its name */
export function useWriteView(model: ModelRef): UseMutationResult<string, Error, ViewWrite> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ name, draft }) => {
      if (name === undefined) {
        const { group, plural } = model;
        const spec = { model: { group, plural }, ...draft };
        return createObject(VIEWS, { metadata: { generateName: 'view-' }, spec });
      }
      if (draft === undefined) await send(objectPath(VIEWS, name), { method: 'DELETE' });
      else {
        const columns = 'columns' in draft && { columns: draft.columns ?? null };
        await patchObject(VIEWS, name, { spec: { ...draft, ...columns } });
      }
      return name;
    },
    onSettled: () => client.invalidateQueries({ queryKey: getKey(model) }),
  });
}
