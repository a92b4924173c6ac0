import { badRequest, notFound, ServiceError } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { suggest } from '../../lib/suggest.js';
import type { JsonObject } from '../../model/object.js';
import { isNamespaced } from '../../model/full-name.js';
import { isDnsLabel } from '../../model/names-and-labels.js';
import { getApiVersion, type Resource } from '../../model/resource.js';
import type { CliIo } from '../io.js';
import { fullNameIn, shownName, type Scope } from '../remote/namespaces.js';
import { declaredKinds, rankOf } from './definitions.js';
import { readDocuments, type Document } from './documents.js';
import { readInputs } from './files.js';
import { isJsonObject } from '../../model/schema/schema-walk.js';

/** An object of a known model in a file. */
export interface Manifest {
  /** As its definition in the same files declares it, when it is not served yet. */
  readonly resource: Resource;
  /** The full name. Empty when the service generates one from `metadata.generateName`; only where that is allowed. */
  readonly name: string;
  readonly value: JsonObject;
  /** `file:line` (with `columns`: `file:line:column`) of a dotted path; of its start without one. */
  readonly place: (path?: string) => string;
}

/** The contents of the files, and all errors in them. Namespaces are first, then definitions, then all others. */
export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly ServiceError[];
}

export interface InputFlags {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
}

export interface ManifestOptions {
  readonly scope: Scope;
  /** True when a manifest may state `metadata.generateName` instead of a name. Default: false. */
  readonly takesGenerated?: boolean;
  /** True to add a column to places. Default: false. */
  readonly columns?: boolean;
}

/**
 * Reads all manifests and checks them as far as possible without the service: each is an object of a known model with a name, and
 * none occurs twice. All problems are collected with their places.
 * @throws UsageError when a file cannot be read
 */
export async function readManifests(
  io: CliIo,
  { filename, recursive = false }: InputFlags,
  { resources, ...options }: ManifestOptions & { readonly resources: readonly Resource[] },
): Promise<Manifests> {
  const problems: ServiceError[] = [];
  const documents: Document[] = [];
  for await (const input of readInputs(io, filename, recursive))
    for (const document of readDocuments(input, (problem) => problems.push(problem)))
      documents.push(document);
  const declared = documents.flatMap(({ value }) => declaredKinds(value));
  const models = byApiVersionAndKind([...declared, ...resources]);
  const byObject = new Map<string, Manifest>();
  const { columns = false } = options;
  for (const document of documents) {
    const { value, position } = document;
    const manifest = readManifest(columns ? { value, place: position } : document, models, options);
    if (manifest instanceof ServiceError) {
      problems.push(manifest);
      continue;
    }
    // Each generated name is distinct.
    const name = manifest.name === '' ? `#${byObject.size}` : manifest.name;
    const key = `${getApiVersion(manifest.resource)} ${manifest.resource.plural} ${name}`;
    const other = byObject.get(key);
    if (other === undefined) byObject.set(key, manifest);
    else problems.push(twice(manifest, other));
  }
  const manifests = [...byObject.values()].sort((a, b) => rankOf(a.resource) - rankOf(b.resource));
  return { manifests, problems };
}

function twice(manifest: Manifest, other: Manifest): ServiceError {
  const { resource, name } = manifest;
  return badRequest(`${manifest.place()}: ${resource.plural}/${shownName(name)} is also at ${other.place()}`);
}

/** Models by `apiVersion` and `kind`, for {@link readManifest}. */
export function byApiVersionAndKind(resources: readonly Resource[]): ReadonlyMap<string, Resource> {
  return new Map(resources.map((resource) => [`${getApiVersion(resource)} ${resource.kind}`, resource]));
}

export function readManifest(
  { value, place }: Pick<Document, 'value' | 'place'>,
  models: ReadonlyMap<string, Resource>,
  { scope, takesGenerated = false }: ManifestOptions,
): Manifest | ServiceError {
  const bad = (path: string, message: string): ServiceError =>
    badRequest(`${place(path)}: ${path === '' ? '' : `${path} `}${message}`);
  if (!isJsonObject(value)) return bad('', 'a manifest must be an object');
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || apiVersion === '') return bad('apiVersion', notText(apiVersion));
  if (typeof kind !== 'string' || kind === '') return bad('kind', notText(kind));
  const resource = models.get(`${apiVersion} ${kind}`);
  if (resource === undefined) {
    return notFound(
      `${place('kind')}: there is no model ${kind} of ${apiVersion}${hint(apiVersion, kind, models)}`,
    );
  }
  if (metadata === undefined) return bad('metadata', 'is missing');
  if (!isRecord(metadata)) return bad('metadata', 'must be an object');
  const { name, generateName } = metadata;
  const { namespace = null } = isNamespaced(resource) ? metadata : {};
  const stated = namespace === null || namespace === '' ? undefined : namespace;
  if (stated !== undefined && (typeof stated !== 'string' || !isDnsLabel(stated)))
    return bad('metadata.namespace', 'cannot name a namespace');
  if (scope.isGiven && stated !== undefined && stated !== scope.namespace)
    return bad('metadata.namespace', `is "${stated}", but -n names "${scope.namespace ?? ''}"`);
  const isGenerated =
    (name === undefined || name === '') && typeof generateName === 'string' && generateName !== '';
  const own = isNamespaced(resource) && stated === undefined ? inNamespace(value, scope) : value;
  if (isGenerated && takesGenerated) return { resource, name: '', value: own, place };
  if (isGenerated) return bad('metadata.name', 'is missing; generateName works only with create');
  if (typeof name !== 'string' || name === '') return bad('metadata.name', notText(name));
  return { resource, name: fullNameIn(scope, resource, name, stated), value: own, place };
}

function inNamespace({ metadata, ...rest }: JsonObject, { namespace }: Scope): JsonObject {
  return {
    ...rest,
    metadata: { ...(metadata as JsonObject), ...(namespace !== undefined && { namespace }) },
  };
}

function notText(value: unknown): string {
  return value === undefined ? 'is missing' : 'must be a string';
}

function hint(apiVersion: string, kind: string, models: ReadonlyMap<string, Resource>): string {
  const near = suggest(`${apiVersion} ${kind}`, models.keys());
  return near === undefined ? '; is its plugin installed?' : `, did you mean "${near}"?`;
}
