import type { ServedRoute } from '../endpoint/route.js';
import { getPath, type Resource } from '../model/resource.js';
import { PLATFORM } from '../model/declare/scheme.js';
import { OpenApiDocument, reachableSchemas } from './document.js';
import { AGGREGATED, GROUPS, pluginDocumentId, type DocumentGroup } from './groups.js';
import { modelPaths } from './model-operations.js';
import { mergedSchemas, modelSchemas } from './model-schemas.js';
import { nameModels, SchemaNames, type NamedModel } from './named-model.js';
import { Names } from './names.js';
import { getFragment, getFragments, type JsonFragment } from './json-fragment.js';
import type { PlatformDescription } from './platform.js';
import {
  describeRoutes,
  pathShape,
  routeName,
  withIdsAmongThemselves,
  type DescribedRoute,
} from './route-operations.js';
import { RouteTypes } from './route-types.js';

/** The input of a description. */
export interface Described {
  readonly models: readonly Resource[];
  readonly routes: readonly ServedRoute[];
  readonly programVersion: string;
  /** Finds the owner of a model, a plugin or the platform; undefined when the owner is unknown. */
  readonly ownerOf?: (model: Resource) => string | undefined;
}

interface ModelFragment {
  readonly key: string;
  readonly paths: JsonFragment;
  readonly schemas: ReadonlyMap<string, JsonFragment>;
}

/**
 * Describes models and custom endpoints repeatedly, and builds only what has changed. The part of a model is cached while the model
 * object exists and keeps its names.
 */
export class Describer {
  readonly #fragments = new WeakMap<Resource, ModelFragment>();

  constructor(private readonly platform: PlatformDescription) {}

  describe(described: Described): Description {
    return new Description(described, this.platform, (model) => this.#fragmentOf(model));
  }

  #fragmentOf(model: NamedModel): ModelFragment {
    const known = this.#fragments.get(model.resource);
    if (known?.key === model.key) return known;
    const fragment = {
      key: model.key,
      paths: getFragment(...modelPaths(model)),
      schemas: getFragments(modelSchemas(model)),
    };
    this.#fragments.set(model.resource, fragment);
    return fragment;
  }
}

/** The state of models and custom endpoints at one time, as OpenAPI documents. Documents are built on demand. */
export class Description {
  /** Mistakes in the descriptions of custom endpoints; each names the plugin and the route. */
  readonly warnings: readonly string[];
  readonly #models: readonly NamedModel[];
  readonly #routes: readonly DescribedRoute[];
  readonly #documents = new Map<string, OpenApiDocument>();
  #schemas: ReadonlyMap<string, JsonFragment> | undefined;

  constructor(
    private readonly described: Described,
    private readonly platform: PlatformDescription,
    private readonly getFragment: (model: NamedModel) => ModelFragment,
  ) {
    const warnings: string[] = [];
    const warn = (text: string): void => void warnings.push(text);
    const ids = new Names(platform.operationIds);
    const names = new SchemaNames(platform.schemas.keys());
    this.#models = nameModels(described.models, ids, names);
    const types = new RouteTypes(this.#models, names);
    const served = routesBesideModels(described, platform.paths, warn);
    this.#routes = describeRoutes(served, ids, types, warn);
    this.warnings = warnings;
  }

  /** Ids of all documents: those of the groups, then those of plugins by name. */
  ids(): readonly string[] {
    return [...GROUPS.map(({ id }) => id), ...this.#plugins().map(pluginDocumentId)];
  }

  /** The document of all models and endpoints. */
  aggregated(): OpenApiDocument {
    return this.#groupDocument(AGGREGATED);
  }

  find(id: string): OpenApiDocument | undefined {
    const group = GROUPS.find((one) => one.id === id);
    if (group !== undefined) return this.#groupDocument(group);
    const plugin = this.#plugins().find((name) => pluginDocumentId(name) === id);
    return plugin === undefined ? undefined : this.#pluginDocument(plugin, id);
  }

  #plugins(): string[] {
    const owners = this.#models.map(({ resource }) => this.#ownerOf(resource));
    const names = new Set([...owners, ...this.#routes.map(({ route }) => route.plugin)]);
    names.delete(PLATFORM);
    return [...names].filter((name) => name !== undefined).sort();
  }

  #ownerOf(model: Resource): string | undefined {
    return this.described.ownerOf?.(model);
  }

  #groupDocument(group: DocumentGroup): OpenApiDocument {
    const belongs = ({ resource }: NamedModel): boolean =>
      group.models.includes(this.#ownerOf(resource) === PLATFORM ? 'platform' : 'plugins');
    return this.#document(group.id, group, {
      models: this.#models.filter(belongs),
      routes: this.#routes.filter(({ route }) => group.audiences.includes(route.audience)),
      platform: group.platform,
    });
  }

  #pluginDocument(plugin: string, id: string): OpenApiDocument {
    const title = {
      name: `Plugin ${plugin}`,
      description: `Models and custom endpoints of the plugin ${plugin}.`,
    };
    return this.#document(id, title, {
      models: this.#models.filter(({ resource }) => this.#ownerOf(resource) === plugin),
      routes: this.#routes.filter(({ route }) => route.plugin === plugin),
      platform: false,
    });
  }

  #document(
    id: string,
    { name, description }: Pick<DocumentGroup, 'name' | 'description'>,
    content: {
      readonly models: readonly NamedModel[];
      readonly routes: readonly DescribedRoute[];
      readonly platform: boolean;
    },
  ): OpenApiDocument {
    const known = this.#documents.get(id);
    if (known !== undefined) return known;
    const isOnlyCustom = content.models.length === 0 && !content.platform;
    // Pages keep this order; the models of plugins come first.
    const isPlatform = ({ resource }: NamedModel): boolean => this.#ownerOf(resource) === PLATFORM;
    const ofPlatform = content.models.filter(isPlatform);
    const own = content.models.filter((model) => !isPlatform(model));
    const paths = [
      ...own.map((model) => this.getFragment(model).paths),
      ...customPaths(isOnlyCustom ? withIdsAmongThemselves(content.routes) : content.routes),
      ...ofPlatform.map((model) => this.getFragment(model).paths),
      ...(content.platform ? [this.platform.operations] : []),
    ];
    const document = new OpenApiDocument({
      info: { title: name, description, version: this.described.programVersion },
      paths,
      // The common part describes errors.
      schemas: reachableSchemas(paths, ['Status', 'StatusCause'], this.#allSchemas()),
    });
    this.#documents.set(id, document);
    return document;
  }

  /** Every named schema; those of the same name are equal. */
  #allSchemas(): ReadonlyMap<string, JsonFragment> {
    if (this.#schemas !== undefined) return this.#schemas;
    const ofModels = mergedSchemas(this.#models, (model) => this.getFragment(model).schemas);
    const all = new Map([...this.platform.schemas, ...ofModels]);
    for (const { schemas } of this.#routes)
      for (const [name, fragment] of getFragments(schemas)) if (!all.has(name)) all.set(name, fragment);
    return (this.#schemas = all);
  }
}

/** Path items of custom endpoints. */
function customPaths(routes: readonly DescribedRoute[]): JsonFragment[] {
  const items = new Map<string, Record<string, object>>();
  for (const { path, route, operation } of routes) {
    const item = items.get(path) ?? {};
    item[route.method.toLowerCase()] = operation;
    items.set(path, item);
  }
  return [...items].map((member) => getFragment(member));
}

/** The routes whose operations do not conflict with others; a path can be in a document only once. */
function routesBesideModels(
  { models, routes }: Described,
  platformPaths: readonly string[],
  warn: (text: string) => void,
): readonly ServedRoute[] {
  if (routes.length === 0) return routes;
  const taken = new Set(platformPaths);
  for (const model of models) {
    const path = getPath(model);
    for (const generated of [path, `${path}/{}`, `${path}/{}/status`]) taken.add(generated);
  }
  return routes.filter((route) => {
    const isFree =
      !taken.has(pathShape(route.path)) && !taken.has(`${route.method} ${pathShape(route.path)}`);
    taken.add(`${route.method} ${pathShape(route.path)}`);
    if (!isFree)
      warn(`${routeName(route)}: is left out of the description, because the path is already described`);
    return isFree;
  });
}
