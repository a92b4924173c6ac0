import { isNamespaced } from '../../model/full-name.js';
import { hasDeletableCollections } from '../../model/subresource.js';
import { getApiVersion, type GroupVersionKind, type Resource } from '../../model/resource.js';
import { SCALE } from '../../model/scale.js';

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
/** Of kinds that follow Kubernetes' rules. */
const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const CREATE_VERBS = ['create'];
const WRITTEN_VERBS = ['get', 'patch', 'update'];
const FINALIZE_VERBS = ['update'];

/** A kind as discovery shows it. */
export interface ServedKind
  extends
    GroupVersionKind,
    Pick<Resource, 'plural' | 'singular' | 'shortNames' | 'categories' | 'storageVersion'>,
    Pick<Resource, 'scope' | 'origin' | 'statusBy' | 'scale' | 'finalizedBy'> {
  /** Present: objects are answered, and never stored, so that they can be created only. */
  readonly use?: 'create';
}

interface GroupVersionForDiscovery {
  readonly groupVersion: string;
  readonly version: string;
}

/** `/api`: the versions of the empty group, which has kinds of Kubernetes. */
export function apiVersions(resources: readonly ServedKind[]): object {
  const versions = getVersions(resources, '').map(({ version }) => version);
  return { kind: 'APIVersions', apiVersion: 'v1', versions };
}

/** `/apis`: the groups of the served models, by name, each with its versions. */
export function apiGroupList(resources: readonly ServedKind[]): object {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: getGroups(resources).map((group) => groupEntry(resources, group)),
  };
}

function getGroups(resources: readonly ServedKind[]): string[] {
  return [...new Set(resources.map(({ group }) => group))].filter((group) => group !== '').sort();
}

/** `/apis/<group>`; undefined when no model of the group is served. */
export function apiGroup(resources: readonly ServedKind[], group: string): object | undefined {
  if (group === '' || !resources.some((resource) => resource.group === group)) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(resources, group) };
}

function groupEntry(resources: readonly ServedKind[], name: string) {
  const versions = getVersions(resources, name);
  return { name, versions, preferredVersion: versions[0] };
}

/**
 * The preferred one first: a version in which objects of models of plugins are stored, else the first of Kubernetes' order,
 * which clients expect of definitions.
 */
function getVersions(resources: readonly ServedKind[], group: string): GroupVersionForDiscovery[] {
  const ofGroup = resources.filter((resource) => resource.group === group);
  const stored = new Set(
    ofGroup.filter(({ origin }) => origin === undefined).map(({ storageVersion }) => storageVersion),
  );
  const isStored = (version: string): number => (stored.has(version) ? 1 : 0);
  return [...new Set(ofGroup.map(({ version }) => version))]
    .sort((a, b) => isStored(b) - isStored(a) || compareVersions(a, b))
    .map((version) => ({ groupVersion: getApiVersion({ group, version }), version }));
}

/** Kubernetes' order of preference: stable before beta before alpha, higher before lower, others by name. */
function compareVersions(a: string, b: string): number {
  const [x, y] = [rank(a), rank(b)];
  for (const [i, part] of x.entries()) {
    const other = y[i] ?? 0;
    if (part !== other) return other - part;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function rank(version: string): number[] {
  const parts = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (parts === null) return [0, 0, 0];
  const stability = parts[2] === undefined ? 3 : parts[2] === 'beta' ? 2 : 1;
  return [stability, Number(parts[1]), Number(parts[3] ?? 0)];
}

/** `/apis/<group>/<version>`; undefined when no model of it is served. */
export function apiResourceList(
  resources: readonly ServedKind[],
  group: string,
  version: string,
): object | undefined {
  const served = resources.filter((resource) => resource.group === group && resource.version === version);
  if (served.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: getApiVersion({ group, version }),
    resources: served.flatMap((resource) => [
      {
        name: resource.plural,
        singularName: resource.singular,
        namespaced: isNamespaced(resource),
        kind: resource.kind,
        verbs: verbsOf(resource),
        ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
        ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
      },
      ...subresourcesOf(resource).map(({ subresource, own, verbs }) => ({
        name: `${resource.plural}/${subresource}`,
        singularName: '',
        namespaced: isNamespaced(resource),
        ...own,
        kind: own?.kind ?? resource.kind,
        verbs,
      })),
    ]),
  };
}

function verbsOf(resource: ServedKind): readonly string[] {
  if (resource.use === 'create') return CREATE_VERBS;
  return hasDeletableCollections(resource) ? ALL_VERBS : VERBS;
}

interface ListedSubresource {
  readonly subresource: string;
  /** The kind of its objects, when it is not that of the model. */
  readonly own?: GroupVersionKind;
  readonly verbs: readonly string[];
}

/** The kind of requests for tokens of service accounts. */
export const TOKEN_REQUEST = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };

function subresourcesOf(served: ServedKind): readonly ListedSubresource[] {
  const { statusBy, finalizedBy, scale, use, kind, origin } = served;
  if (use === 'create') return [];
  const hasTokens = origin === 'core' && kind === 'ServiceAccount';
  return [
    ...(hasTokens ? [{ subresource: 'token', own: TOKEN_REQUEST, verbs: CREATE_VERBS }] : []),
    ...(statusBy === 'field' ? [] : [{ subresource: 'status', verbs: WRITTEN_VERBS }]),
    ...(scale === undefined ? [] : [{ subresource: 'scale', own: SCALE, verbs: WRITTEN_VERBS }]),
    ...(finalizedBy === undefined ? [] : [{ subresource: 'finalize', verbs: FINALIZE_VERBS }]),
  ];
}

/**
 * `/api` in the aggregated form. Clients accept the kind `List` of `v1`, which files with several objects use, only when
 * that version is served; so it is there even without a model. They send no further request for it.
 * @param version of the form
 */
export function aggregatedCore(resources: readonly ServedKind[], version: string): object {
  const core = aggregatedGroup(resources, '');
  const versions = core.versions.length > 0 ? core.versions : [{ version: 'v1', ...CURRENT, resources: [] }];
  return aggregated(version, [{ ...core, versions }]);
}

const CURRENT = { freshness: 'Current' };

/** `/apis` in the aggregated form: groups and versions in the order of {@link apiGroupList}, with their models. */
export function aggregatedGroups(resources: readonly ServedKind[], version: string): object {
  return aggregated(
    version,
    getGroups(resources).map((group) => aggregatedGroup(resources, group)),
  );
}

function aggregatedGroup(resources: readonly ServedKind[], name: string) {
  const versions = getVersions(resources, name).map(({ version }) => ({
    version,
    ...CURRENT,
    resources: resources
      .filter((resource) => resource.group === name && resource.version === version)
      .map(aggregatedResource),
  }));
  return { metadata: { name }, versions };
}

function aggregated(version: string, items: readonly object[]): object {
  return { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items };
}

function aggregatedResource(resource: ServedKind): object {
  const { group, version, kind, plural, singular, shortNames, categories, scope } = resource;
  const responseKind = { group, version, kind };
  const subresources = subresourcesOf(resource).map(({ subresource, own = responseKind, verbs }) => ({
    subresource,
    responseKind: own,
    verbs,
  }));
  return {
    resource: plural,
    responseKind,
    scope: scope ?? 'Cluster',
    singularResource: singular,
    verbs: verbsOf(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length > 0 && { subresources }),
  };
}
