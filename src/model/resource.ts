import type { JsonObject } from './object.js';
import type { ModelReference } from './references/reference.js';

/**
 * Group, version and kind: the identity of a model. `apiVersion` is `<group>/<version>`, or `<version>` for the empty
 * group.
 */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The key types of ordered values. */
export const KEY_TYPES = ['string', 'boolean', 'integer', 'long', 'number', 'instant'] as const;
export type ValueType = (typeof KEY_TYPES)[number];
/**
 * Type of an index's values; determines their order and the parsing of a selector's text. `text`: the words of texts, for
 * `search`; only of text indexes.
 */
export type KeyType = ValueType | 'text';

export type IndexOrder = 'ASC' | 'DESC';

/** An index as data: everything needed to read it, without the function that computes its values. */
export interface IndexDeclaration {
  /** Unique within the model; the path of the field is recommended. */
  readonly name: string;
  readonly keyType: KeyType;
  /** True when an object may have several values in it. */
  readonly multi: boolean;
  readonly unique: boolean;
  /** The direction of `sort=<name>` without a direction. */
  readonly order: IndexOrder;
  /**
   * True when objects without a value have no entry. Such an index cannot be used to sort. Only built-in indexes are
   * sparse, those of labels, owners and the deletion time: they contain nearly no object, or have no order.
   */
  readonly sparse: boolean;
  /** True when its values are in lower case, so that conditions, the order and uniqueness ignore case. */
  readonly ignoreCase?: boolean;
}

/** A table column, in the shape of Kubernetes' additionalPrinterColumns. */
export interface Column {
  readonly name: string;
  /** JSONPath from the object's root, for example `.spec.age`. */
  readonly jsonPath: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** 0 or absent: always in the table; greater: only in wide output. */
  readonly priority?: number;
  readonly description?: string;
  /** How the values become a cell: their number, or their texts with commas or slashes. Absent: depends on the type. */
  readonly cell?: 'count' | 'list' | 'path' | 'lowerPath';
}

/** The members of objects that the subresource `scale` shows, as dotted paths with a dot before the first name. */
export interface ScaledMembers {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/**
 * A model as data for clients, readers of the store and the description. The store contains it, so that objects can
 * be read without the plugin's code.
 */
export interface Resource extends GroupVersionKind {
  /** `Namespaced` when each object is in a namespace. Absent: the model is cluster-scoped. */
  readonly scope?: 'Namespaced';
  /**
   * The source of a model that follows Kubernetes' rules: `core` for kinds of Kubernetes itself, `definition` for a
   * CustomResourceDefinition. Absent: a plugin or the platform declares it.
   */
  readonly origin?: 'core' | 'definition';
  /** Present for a kind of Kubernetes whose objects are only stored: nothing acts on them. */
  readonly isInert?: true;
  /**
   * The writer of `status` in a model that follows Kubernetes' rules: `subresource` alone, or every write, as of any other
   * `field`. Absent: every write may state it, and one that does not keeps it.
   */
  readonly statusBy?: 'subresource' | 'field';
  /** Present: the model has the subresource `scale`. */
  readonly scale?: ScaledMembers;
  /** Present when objects have finalizers in `spec` as well, which only the subresource `finalize` writes. */
  readonly finalizedBy?: 'subresource';
  /** Fields of the object that are shown only in whole objects, not in the changes of a history. */
  readonly secretFields?: readonly string[];
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly columns: readonly Column[];
  /** OpenAPI 3 schema of the whole object; nested named types are under `$defs`. */
  readonly schema: JsonObject;
  /** The declared indexes and the built-in ones, except `metadata.name`, which is the order of the objects. */
  readonly indexes: readonly IndexDeclaration[];
  /** References of the stored objects' fields; absent when there are none. */
  readonly references?: readonly ModelReference[];
  /** The version in which objects of the model are stored: this version, when the model has no other. */
  readonly storageVersion: string;
  /** The group of the model whose objects it shows. Absent: its own. */
  readonly storedGroup?: string;
  /** Ids of the model's migrations, in order; absent when it has none. */
  readonly migrations?: readonly string[];
  /** Present while migrations are applied to some objects and not to others. */
  readonly isMigrating?: true;
  /**
   * Present when clients should stop using this version: its replacement, or the whole warning in a model of a definition.
   */
  readonly deprecated?: string;
}

/** `<group>/<version>`, or only the version for the empty group. */
export function getApiVersion(gv: { readonly group: string; readonly version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** The unambiguous plural where groups share one: `<plural>.<group>`, or the plural alone for the empty group. */
export function qualifiedPlural({ plural, group }: Pick<Resource, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** The path of a model's objects, without a trailing slash. Default: in all namespaces. */
export function getPath(
  { group, version, plural }: Pick<Resource, 'group' | 'version' | 'plural'>,
  namespace?: string,
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
}

/** The part of a resource that determines where its objects are stored. */
type StoredKind = Pick<Resource, 'group' | 'kind' | 'storedGroup'>;

/** Identifies a model, for any version and group that shows its objects. Does not change with the plural. */
export function modelKey({ group, kind, storedGroup = group }: StoredKind): string {
  return `${storedGroup}/${kind}`;
}

/** The name of a version among all those of its model: `<group>/<version>` in a group that is not the model's own. */
export function versionName({
  version,
  group,
  storedGroup = group,
}: Pick<Resource, 'group' | 'version' | 'storedGroup'>): string {
  return storedGroup === group ? version : `${group}/${version}`;
}

/** True for the version in which objects of the model are stored. */
export function isStorageVersion(
  resource: Pick<Resource, 'group' | 'version' | 'storedGroup' | 'storageVersion'>,
): boolean {
  return versionName(resource) === resource.storageVersion;
}

/** The limit of a kube-apiserver for requests, in bytes. */
const KUBERNETES_BODY_MAX = 3 * 1024 * 1024;
/** Ratio of a stored object to a body: defaults and the status make objects grow. */
const GROWTH_MAX = 2;

/** Largest body with an object of a model, in bytes, where it is larger than the limit of the service. */
export function leastBodyMax({ origin }: Pick<Resource, 'origin'>): number {
  return origin === undefined ? 0 : KUBERNETES_BODY_MAX;
}

/** Largest stored object of a model, in bytes. @param bytesMax the limit of the store */
export function largestObject(resource: Pick<Resource, 'origin'>, bytesMax: number): number {
  return Math.max(bytesMax, GROWTH_MAX * leastBodyMax(resource));
}

/** Identifies one version of a model. */
export function versionKey({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}
