import type { Express, Request, Response } from 'express';
import type { ServedRoute } from '../../endpoint/route.js';
import { formatExcerpt, notFound } from '../../errors.js';
import type { Resource } from '../../model/resource.js';
import { Describer, type Description } from '../../openapi/description.js';
import { GROUPS } from '../../openapi/groups.js';
import { KubernetesDescriber, kubernetesPath } from '../../openapi/kubernetes.js';
import { sendTagged } from './send.js';
import { addSwaggerUi } from './ui.js';
import { addGet } from '../platform/get-route.js';
import { sendValue } from '../answer/respond.js';

/** The described models and routes at the time of each call. */
export interface DocsSource {
  models(): readonly Resource[];
  routes(): readonly ServedRoute[];
  /** Returns a new value whenever models or routes change. Absent: the lists are compared. */
  version?(): unknown;
  /** The version of the program. */
  readonly programVersion: string;
  /** True when requests need a token, so that people sign in on the page. Default false. */
  readonly hasSignIn?: boolean;
  /** The owner of a model, for the documents of plugins. */
  readonly findOwner?: (model: Resource) => string | undefined;
}

const DOCS_PATH = '/v3/api-docs';

/**
 * Mounts the description of the service: OpenAPI documents, the interactive page, and the documents in Kubernetes'
 * form. Each is built on first use, and again only after a change.
 */
export function addDocs(app: Express, source: DocsSource): void {
  const current = describing(source);
  addGet(app, `${DOCS_PATH}/swagger-config`, (req, res) => sendValue(req, res, 200, swaggerConfig()));
  addGet(app, DOCS_PATH, (req, res) => sendTagged(req, res, current().aggregated()));
  addGet(app, `${DOCS_PATH}/:id`, (req, res) => {
    const description = current();
    const id = String(req.params.id);
    const document = description.find(id);
    if (document === undefined) {
      throw notFound(
        `no API description "${formatExcerpt(id)}"; known descriptions: ${description.ids().join(', ')}`,
      );
    }
    sendTagged(req, res, document);
  });
  addSwaggerUi(app, { urls: documentUrls(), hasSignIn: source.hasSignIn ?? false });
  addKubernetes(app, source);
}

interface Kept {
  readonly version: unknown;
  readonly models: readonly Resource[];
  readonly routes: readonly ServedRoute[];
  readonly description: Description;
}

/** The description of the present state, cached until a change. */
function describing(source: DocsSource): () => Description {
  const describer = new Describer();
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

function documentUrls(): readonly { readonly url: string; readonly name: string }[] {
  return GROUPS.map(({ id, name }) => ({ url: `${DOCS_PATH}/${id}`, name }));
}

/** The configuration for pages that display descriptions. */
function swaggerConfig(): object {
  return {
    configUrl: `${DOCS_PATH}/swagger-config`,
    urls: documentUrls(),
    'urls.primaryName': GROUPS[0]?.name,
    validatorUrl: '',
  };
}

function addKubernetes(app: Express, source: DocsSource): void {
  const describer = new KubernetesDescriber(source.programVersion);
  addGet(app, '/openapi/v3', (req, res) => sendValue(req, res, 200, describer.index(source.models())));
  const answer = (req: Request, res: Response, group: string): void => {
    const path = kubernetesPath({ group, version: String(req.params.version) });
    const document = describer.find(source.models(), path);
    if (document === undefined) throw notFound('no model of this group and version is served');
    sendTagged(req, res, document, { isImmutable: req.query.hash === document.tag });
  };
  addGet(app, '/openapi/v3/api/:version', (req, res) => answer(req, res, ''));
  addGet(app, '/openapi/v3/apis/:group/:version', (req, res) => answer(req, res, String(req.params.group)));
}
