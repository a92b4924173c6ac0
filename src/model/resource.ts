import type { JsonObject } from './object.js';
import type { ModelReference } from './references/reference.js';

/** Group, version and kind: what identifies a model. `apiVersion` is `<group>/<version>`, or `<version>` for the empty group. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export const KEY_TYPES = ['string', 'boolean', 'integer', 'long', 'number', 'instant'] as const;
/** Type of an index's values; decides their order and how a selector's text is read. */
export type KeyType = (typeof KEY_TYPES)[number];

export type IndexOrder = 'ASC' | 'DESC';

/** An index as data: all that is needed to read it, without the function that fills it. */
export interface IndexDeclaration {
  /** Unique within the model; the path of the field is recommended. */
  readonly name: string;
  readonly keyType: KeyType;
  /** Whether an object may have several values in it. */
  readonly multi: boolean;
  readonly unique: boolean;
  /** The direction that `sort=<name>` without a direction means. */
  readonly order: IndexOrder;
  /**
   * Objects without a value have no entry. Such an index cannot be walked to sort. Only built-in indexes
   * are sparse, those of labels, owners and the deletion time: nearly no object is in them, or they have no order.
   */
  readonly sparse: boolean;
}

/** A table column, in the shape of Kubernetes' additionalPrinterColumns. */
export interface Column {
  readonly name: string;
  /** JSONPath below the object, for example `.spec.age`. */
  readonly jsonPath: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** 0 or absent: always shown; greater: only in wide output. */
  readonly priority?: number;
  readonly description?: string;
}

/**
 * A model as data: what clients, readers of the store and the description need. It is kept in the store, so
 * that objects can be read without the plugin's code.
 */
export interface Resource extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly columns: readonly Column[];
  /** OpenAPI 3 schema of the whole object; nested named types are under `$defs`. */
  readonly schema: JsonObject;
  /** The declared indexes and the built-in ones but `metadata.name`, which is the order of the objects themselves. */
  readonly indexes: readonly IndexDeclaration[];
  /** What fields of the stored objects refer to; only there when some do. */
  readonly references?: readonly ModelReference[];
  /** The version that objects of the model are stored in: this one, when the model has no other. */
  readonly storageVersion: string;
  /** Ids of the migrations of the model, in their order; only there when it has some. */
  readonly migrations?: readonly string[];
  /** Only there while some objects have gone through migrations that others have not. */
  readonly isMigrating?: true;
  /** What to use instead of this version; only there when people should leave it. */
  readonly deprecated?: string;
}

/** `<group>/<version>`, or the bare version for the empty group. */
export function getApiVersion(gv: { readonly group: string; readonly version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** How a model is called where groups may share a plural: `<plural>.<group>`, or the bare plural of the empty group. */
export function qualifiedPlural({ plural, group }: Pick<Resource, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** The path objects of a model are served under, without a trailing slash. */
export function getPath(resource: Pick<Resource, 'group' | 'version' | 'plural'>): string {
  return resource.group === ''
    ? `/api/${resource.version}/${resource.plural}`
    : `/apis/${resource.group}/${resource.version}/${resource.plural}`;
}

/** What identifies a model, whatever the version; it survives a change of the plural. */
export function modelKey({ group, kind }: Pick<GroupVersionKind, 'group' | 'kind'>): string {
  return `${group}/${kind}`;
}

/** What identifies one version of a model. */
export function versionKey({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}
