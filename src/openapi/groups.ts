import type { Audience } from '../endpoint/route.js';

/** One of the documents that the description is split into. */
export interface DocumentGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The owners of the models whose generated operations it has. */
  readonly models: readonly ('plugins' | 'platform')[];
  /** True when it has the other operations of the platform. */
  readonly platform: boolean;
  /** The audiences of its custom endpoints. */
  readonly audiences: readonly Audience[];
}

const AUDIENCES = ['console', 'uc', 'public', 'other'] as const;
const customOnly = { models: [], platform: false } as const;

/** The document of all operations; also served without an id. */
export const AGGREGATED: DocumentGroup = {
  id: 'apis_aggregated.api_v1alpha1',
  name: 'Aggregated API V1alpha1',
  description: 'All endpoints.',
  models: ['plugins', 'platform'],
  platform: true,
  audiences: AUDIENCES,
};

/** The document that the page shows first: what the platform adds to it is in another one. */
export const PLUGINS: DocumentGroup = {
  id: 'apis_plugins.api_v1alpha1',
  name: 'Plugins API V1alpha1',
  description: `Models of plugins and definitions, and custom endpoints. All endpoints are in ${AGGREGATED.name}.`,
  models: ['plugins'],
  platform: false,
  audiences: AUDIENCES,
};

export const GROUPS: readonly DocumentGroup[] = [
  AGGREGATED,
  {
    id: 'apis_extension.api_v1alpha1',
    name: 'Extension API V1alpha1',
    description: 'The generated endpoints of all models.',
    models: ['plugins', 'platform'],
    platform: false,
    audiences: [],
  },
  {
    id: 'apis_console.api_v1alpha1',
    name: 'Console API V1alpha1',
    description: 'Custom endpoints for the console.',
    ...customOnly,
    audiences: ['console'],
  },
  {
    id: 'apis_uc.api_v1alpha1',
    name: 'User-center API V1alpha1',
    description: 'Custom endpoints for the user center.',
    ...customOnly,
    audiences: ['uc'],
  },
  {
    id: 'apis_public.api_v1alpha1',
    name: 'Public API V1alpha1',
    description: 'Custom endpoints for the public, for example for themes.',
    ...customOnly,
    audiences: ['public'],
  },
  PLUGINS,
  {
    id: 'apis_platform.api_v1alpha1',
    name: 'Platform API V1alpha1',
    description: 'The models and endpoints of the service, and its kinds of Kubernetes.',
    models: ['platform'],
    platform: true,
    audiences: [],
  },
];

const PLUGIN_PREFIX = 'plugin_';

/** The id of the document that has one plugin's models and custom endpoints. */
export function pluginDocumentId(plugin: string): string {
  return `${PLUGIN_PREFIX}${plugin}`;
}

/**
 * Expands the short id that a person writes: `console` is short for `apis_console.api_v1alpha1`; any other text is an id itself.
 */
export function getDocumentId(text: string): string {
  const long = `apis_${text}.api_v1alpha1`;
  return GROUPS.some(({ id }) => id === long) ? long : text;
}
