import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { arrayAt, objectAt, textAt } from '../../lib/json.js';
import { getJson } from '../http.js';
import { getPath } from '../models.js';
import type { StoredObject } from '../objects.js';
import { useMay } from './rights.js';
import { getPluginPage, type PluginPage } from './plugin-pages.js';

const AGAIN_MS = 5_000;

export const PLUGINS = { group: 'plugin.platform.run', version: 'v1alpha1', plural: 'plugins' } as const;

/** A model in a plugin's status. */
export interface PluginModel {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly objects: number | undefined;
  readonly unfit: number;
  /** Names in its references that no object has. */
  readonly dangling: number;
}

/** An installed plugin and its status. */
export interface Plugin {
  readonly name: string;
  readonly displayName: string | undefined;
  readonly description: string | undefined;
  readonly homepage: string | undefined;
  /** Of its files, on the machine of the service. */
  readonly directory: string | undefined;
  readonly version: string | undefined;
  readonly isEnabled: boolean;
  /** Names of plugins that it requires. */
  readonly needs: readonly string[];
  readonly phase: string;
  readonly message: string | undefined;
  readonly lastStartTime: string | undefined;
  readonly models: readonly PluginModel[];
  readonly endpoints: readonly string[];
  /** Pages in the console. */
  readonly pages: readonly PluginPage[];
}

export interface PluginList {
  readonly revision: string | undefined;
  readonly items: readonly Plugin[];
}

/** Undefined for users who may not list them. */
export function usePlugins(): UseQueryResult<PluginList> {
  const enabled = useMay('list', PLUGINS);
  return useQuery({
    enabled,
    queryKey: ['plugins'],
    queryFn: async ({ signal }): Promise<PluginList> => {
      const list = await getJson(getPath(PLUGINS), signal);
      const items = arrayAt(list, 'items') as readonly StoredObject[];
      return { revision: textAt(objectAt(list, 'metadata'), 'resourceVersion'), items: items.map(getPlugin) };
    },
    refetchInterval: AGAIN_MS,
  });
}

function getPlugin(object: StoredObject): Plugin {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  return {
    name: object.metadata.name,
    displayName: textAt(spec, 'displayName'),
    description: textAt(spec, 'description'),
    homepage: textAt(spec, 'homepage'),
    directory: textAt(status, 'directory'),
    version: textAt(spec, 'version'),
    isEnabled: spec.enabled !== false,
    needs: Object.keys(objectAt(spec, 'pluginDependencies')),
    phase: textAt(status, 'phase') ?? '',
    message: textAt(status, 'message'),
    lastStartTime: textAt(status, 'lastStartTime'),
    models: arrayAt(status, 'models').map(getPluginModel),
    endpoints: arrayAt(status, 'endpoints').filter((one) => typeof one === 'string'),
    pages: arrayAt(objectAt(spec, 'console'), 'pages').flatMap((page) =>
      getPluginPage(page, object.metadata.name),
    ),
  };
}

function getPluginModel(model: unknown): PluginModel {
  const { objects, unfit, dangling } = model as Partial<Record<string, unknown>>;
  return {
    group: textAt(model, 'group') ?? '',
    version: textAt(model, 'version') ?? '',
    plural: textAt(model, 'plural') ?? '',
    objects: typeof objects === 'number' ? objects : undefined,
    unfit: typeof unfit === 'number' ? unfit : 0,
    dangling: typeof dangling === 'number' ? dangling : 0,
  };
}
