import { useQuery } from '@tanstack/react-query';
import { arrayAt, textAt } from '../../lib/json.js';
import { getJson } from '../http.js';
import { qualifiedPlural, type ModelRef } from '../models.js';

const URL_OF_PAGES = '/apis/api.platform.run/v1alpha1/consolepages';
const AGAIN_MS = 15_000;

type PluginPagePlacement = 'sidebar' | 'tab' | 'card';

/** A page that a running plugin adds to the console. */
export interface PluginPage {
  readonly plugin: string;
  readonly title: string;
  /** The name of an icon; undefined without one. */
  readonly icon: string | undefined;
  /** The file, below the plugin's `public/`. */
  readonly path: string;
  readonly placement: PluginPagePlacement;
  /** Of a tab: the model, as `<plural>.<group>`. */
  readonly model: string | undefined;
}

export const PLUGIN_PAGES_KEY = ['console pages'] as const;

function useAllPages(): readonly PluginPage[] | undefined {
  const { data } = useQuery({
    queryKey: PLUGIN_PAGES_KEY,
    queryFn: async ({ signal }) =>
      arrayAt(await getJson(URL_OF_PAGES, signal), 'items').flatMap((item) =>
        getPluginPage(item, textAt(item, 'plugin')),
      ),
    staleTime: AGAIN_MS,
    refetchInterval: AGAIN_MS,
  });
  return data;
}

/** The pages of a placement; empty while they are not known. */
export function usePluginPages(placement: PluginPagePlacement): readonly PluginPage[] {
  return (useAllPages() ?? []).filter((page) => page.placement === placement);
}

/** The pages that are tabs of the objects of a model. */
export function usePluginTabs(model: ModelRef): readonly PluginPage[] {
  return usePluginPages('tab').filter((page) => page.model === qualifiedPlural(model));
}

/** A page by its file; undefined while pages are not known, null when the plugin has no such page. */
export function usePluginPage(plugin: string, path: string): PluginPage | null | undefined {
  const pages = useAllPages();
  if (pages === undefined) return undefined;
  return pages.find((page) => page.plugin === plugin && page.path === path) ?? null;
}

/** A page in the manifest of a plugin; empty for a value that is none. */
export function getPluginPage(item: unknown, plugin: string | undefined): readonly PluginPage[] {
  const [title, path] = ['title', 'path'].map((name) => textAt(item, name));
  const placement = PLACEMENTS.find((one) => one === textAt(item, 'placement'));
  if (plugin === undefined || title === undefined || path === undefined || placement === undefined) return [];
  return [{ plugin, title, path, placement, icon: textAt(item, 'icon'), model: textAt(item, 'model') }];
}

const PLACEMENTS: readonly PluginPagePlacement[] = ['sidebar', 'tab', 'card'];
