import type { ServedRoute } from '../../endpoint/route.js';
import { formatExcerpt, notFound } from '../../errors.js';
import type { Resource } from '../../model/resource.js';
import { Describer, type Description } from '../../openapi/description.js';
import { GROUPS, PLUGINS } from '../../openapi/groups.js';
import { kubernetesPath } from '../../openapi/kubernetes.js';
import type { PlatformDescription } from '../../openapi/platform.js';
import { sendValue } from '../answer/respond.js';
import { withStoredModels, type PlatformHandler, type PlatformEndpoint } from '../platform/endpoint.js';
import { sendTagged } from './send.js';
import type { Platform } from '../platform/platform.js';

/** The described models and routes at the time of each call. */
export interface DocsSource {
  models(): readonly Resource[];
  routes(): readonly ServedRoute[];
  /** Returns a new value whenever models or routes change. Absent: the lists are compared. */
  version?(): unknown;
  readonly programVersion: string;
  /** The owner of a model, for the documents of plugins. */
  readonly findOwner?: (model: Resource) => string | undefined;
}

const DOCS_PATH = '/v3/api-docs';

/** OpenAPI documents, and the documents in Kubernetes' form. Each is built on first use, and again after a change. */
export const DOCUMENTS: readonly PlatformEndpoint[] = [
  document(`${DOCS_PATH}/swagger-config`, () => (req, res) => sendValue(res, 200, swaggerConfig())),
  document(
    DOCS_PATH,
    ({ describe }) =>
      (req, res) =>
        sendTagged(req, res, describe().aggregated()),
  ),
  document(`${DOCS_PATH}/:id`, ({ describe }) => (req, res) => {
    const description = describe();
    const id = String(req.params.id);
    const found = description.find(id);
    if (found !== undefined) sendTagged(req, res, found);
    else
      throw notFound(
        `no API description "${formatExcerpt(id)}"; known descriptions: ${description.ids().join(', ')}`,
      );
  }),
  document(
    '/openapi/v3',
    ({ kubernetes, models }) =>
      (req, res) =>
        sendValue(res, 200, kubernetes.index(models.list())),
  ),
  document('/openapi/v3/api/:version', kubernetesDocument),
  document('/openapi/v3/apis/:group/:version', kubernetesDocument),
];

function document(path: string, handler: (platform: Platform) => PlatformHandler): PlatformEndpoint {
  return { method: 'GET', path, handler: (platform) => withStoredModels(platform.models, handler(platform)) };
}

function kubernetesDocument({ kubernetes, models }: Platform): PlatformHandler {
  return (req, res) => {
    const { group = '', version } = req.params;
    const path = kubernetesPath({ group: String(group), version: String(version) });
    const found = kubernetes.find(models.list(), path);
    if (found === undefined) throw notFound('no model of this group and version is served');
    sendTagged(req, res, found, { isImmutable: req.query.hash === found.tag });
  };
}

interface Kept {
  readonly version: unknown;
  readonly models: readonly Resource[];
  readonly routes: readonly ServedRoute[];
  readonly description: Description;
}

/** The description of the present state, cached until a change. */
export function describing(source: DocsSource, platform: PlatformDescription): () => Description {
  const describer = new Describer(platform);
  let last: Kept | undefined;
  return () => {
    const version = source.version?.();
    if (last !== undefined && version !== undefined && Object.is(last.version, version))
      return last.description;
    const [models, routes] = [source.models(), source.routes()];
    if (last !== undefined && isSame(last.models, models) && isSame(last.routes, routes)) {
      last = { ...last, version };
      return last.description;
    }
    const { programVersion, findOwner: ownerOf } = source;
    const owners = ownerOf === undefined ? {} : { ownerOf };
    const description = describer.describe({ models, routes, programVersion, ...owners });
    last = { version, models, routes, description };
    return description;
  };
}

function isSame<T>(before: readonly T[], now: readonly T[]): boolean {
  return before.length === now.length && before.every((one, i) => one === now[i]);
}

/** The documents to choose from, for pages that display them. */
export const DOCUMENT_CHOICE = {
  urls: GROUPS.map(({ id, name }) => ({ url: `${DOCS_PATH}/${id}`, name })),
  'urls.primaryName': PLUGINS.name,
};

/** The configuration for pages that display descriptions. */
function swaggerConfig(): object {
  return { configUrl: `${DOCS_PATH}/swagger-config`, ...DOCUMENT_CHOICE, validatorUrl: '' };
}
