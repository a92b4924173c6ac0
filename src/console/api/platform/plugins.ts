import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { arrayAt, getMember, objectAt, textAt, textsAt } from '../../lib/json.js';
import { readObjects, type ObjectList, type StoredObject } from '../objects.js';
import { useMay } from './rights.js';
import { getPluginPage, type PluginPage } from './plugin-pages.js';

const AGAIN_MS = 5_000;

export const PLUGINS = { group: 'plugin.platform.run', version: 'v1alpha1', plural: 'plugins' } as const;

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
  readonly pages: readonly PluginPage[];
}

/** Undefined for users who may not list them. */
export function usePlugins(): UseQueryResult<ObjectList<Plugin>> {
  return useQuery({
    enabled: useMay('list', PLUGINS),
    queryKey: ['plugins'],
    queryFn: ({ signal }) => readObjects(PLUGINS, getPlugin, signal),
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
    endpoints: textsAt(status, 'endpoints'),
    pages: arrayAt(objectAt(spec, 'console'), 'pages').flatMap((page) =>
      getPluginPage(page, object.metadata.name),
    ),
  };
}

function getPluginModel(model: unknown): PluginModel {
  const count = (name: string): number | undefined => {
    const value = getMember(model, name);
    return typeof value === 'number' ? value : undefined;
  };
  return {
    group: textAt(model, 'group') ?? '',
    version: textAt(model, 'version') ?? '',
    plural: textAt(model, 'plural') ?? '',
    objects: count('objects'),
    unfit: count('unfit') ?? 0,
    dangling: count('dangling') ?? 0,
  };
}
