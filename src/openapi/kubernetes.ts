import { getApiVersion, type Resource } from '../model/resource.js';
import { isJsonObject } from '../model/schema/schema-walk.js';
import { HEADERS, PARAMETERS, RESPONSES, SCHEMAS } from './common.js';
import { modelPaths, type PathItem } from './model-operations.js';
import { mergedSchemas, modelSchemas } from './model-schemas.js';
import { nameModels, SchemaNames, type NamingRules } from './named-model.js';
import { componentName, Names } from './names.js';
import { digestText } from './json-fragment.js';

/** A document of the models of one group and version, in the form for Kubernetes clients. */
export interface KubernetesDocument {
  /** A strong entity tag without quotes. */
  readonly tag: string;
  json(): Buffer;
}

/** Names schemas by reversed group, version and kind: `com.example.demo.v1alpha1.Person`. */
export const REVERSE_DOMAIN: NamingRules = {
  whole: (resource, name) => [`${getPrefix(resource)}${name}`, () => `${getPrefix(resource)}${name}`],
  part: (resource, object, local) => [
    `${getPrefix(resource)}${componentName(local)}`,
    () => `${object}.${componentName(local)}`,
  ],
};

function getPrefix({ group, version }: Resource): string {
  return [...group.split('.').reverse(), version, ''].filter((part, i) => i > 0 || part !== '').join('.');
}

/** The path of the document of a group and version, below `/openapi/v3/`. */
export function kubernetesPath({ group, version }: Pick<Resource, 'group' | 'version'>): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** Documents in the form of Kubernetes. Only what has changed is built again. */
export class KubernetesDescriber {
  readonly #tags: ModelTags;
  readonly #documents = new Map<string, KubernetesDocument>();

  constructor(private readonly programVersion: string) {
    this.#tags = new ModelTags(programVersion);
  }

  /** The index: the path of the document of each group and version, with a mark that changes with the document. */
  index(models: readonly Resource[]): object {
    const paths = [...groupVersions(models)].map(
      ([path, own]) =>
        [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${this.#tags.of(own)}` }] as const,
    );
    return { paths: Object.fromEntries(paths) };
  }

  /** The document of a group and version; undefined when it has no served model. */
  find(models: readonly Resource[], path: string): KubernetesDocument | undefined {
    const own = groupVersions(models).get(path);
    if (own === undefined) {
      this.#documents.delete(path);
      return undefined;
    }
    const tag = this.#tags.of(own);
    const known = this.#documents.get(path);
    if (known?.tag === tag) return known;
    let bytes: Buffer | undefined;
    const made = { tag, json: () => (bytes ??= buildDocument(own, this.programVersion)) };
    this.#documents.set(path, made);
    return made;
  }
}

/** Tags that change with models or with the program. A document depends on nothing else. */
export class ModelTags {
  readonly #digests = new WeakMap<Resource, string>();

  constructor(private readonly programVersion: string) {}

  of(models: readonly Resource[]): string {
    return digestText([this.programVersion, ...models.map((model) => this.#digestOf(model))].join('\n'));
  }

  #digestOf(model: Resource): string {
    const digest = this.#digests.get(model) ?? digestText(JSON.stringify(model));
    this.#digests.set(model, digest);
    return digest;
  }
}

/** Models by the path of their document, see {@link kubernetesPath}. */
export function groupVersions(models: readonly Resource[]): Map<string, Resource[]> {
  const byPath = new Map<string, Resource[]>();
  for (const model of models) {
    const path = kubernetesPath(model);
    byPath.set(path, [...(byPath.get(path) ?? []), model]);
  }
  return byPath;
}

function buildDocument(models: readonly Resource[], version: string): Buffer {
  const named = nameModels(models, new Names(), new SchemaNames(Object.keys(SCHEMAS)), REVERSE_DOMAIN);
  const [first] = models;
  const built = new Map(named.map((model) => [model, modelSchemas(model)] as const));
  const schemas = mergedSchemas<object>(named, (model) => built.get(model) ?? new Map<string, object>());
  const paths = new Map<string, PathItem>();
  for (const model of named) {
    for (const [path, item] of modelPaths(model)) paths.set(path, withOwnParameters(item));
  }
  return Buffer.from(
    JSON.stringify({
      openapi: '3.0.3',
      info: { title: `xsvc ${first === undefined ? '' : getApiVersion(first)}`, version },
      paths: Object.fromEntries(paths),
      components: {
        schemas: { ...SCHEMAS, ...Object.fromEntries(schemas) },
        parameters: PARAMETERS,
        headers: HEADERS,
        responses: RESPONSES,
      },
    }),
  );
}

const PARAMETER_PREFIX = '#/components/parameters/';
const BY_REFERENCE: ReadonlyMap<string, object> = new Map(
  Object.entries(PARAMETERS).map(([name, parameter]) => [`${PARAMETER_PREFIX}${name}`, parameter]),
);

/** Copies parameters into operations: Kubernetes clients search for them by name and do not follow references. */
function withOwnParameters(item: PathItem): PathItem {
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => {
      const parameters: unknown = 'parameters' in operation ? operation.parameters : undefined;
      if (!Array.isArray(parameters)) return [method, operation];
      return [method, { ...operation, parameters: parameters.map(resolved) }];
    }),
  );
}

function resolved(parameter: unknown): unknown {
  const ref = isJsonObject(parameter) ? parameter.$ref : undefined;
  return typeof ref === 'string' ? (BY_REFERENCE.get(ref) ?? parameter) : parameter;
}
