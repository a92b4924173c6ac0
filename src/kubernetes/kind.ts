import type { Conversion } from '../model/evolve/conversion.js';
import type { JsonObject } from '../model/object.js';
import type { Column, GroupVersionKind, ScaledMembers } from '../model/resource.js';

/** A kind of Kubernetes that the service serves itself, as data. */
export interface CoreKind extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  /** The name of its message in the data of Kubernetes. */
  readonly message: string;
  /** `review`: answered by a create, and never stored. */
  readonly use: 'stored' | 'review';
  /** Present when only `--kubernetes full` serves it: `inert`, or with effects. */
  readonly full?: 'inert' | 'active';
  readonly lacksStatus?: true;
  readonly categories?: readonly string[];
  /** Present: it has the subresource `scale`. */
  readonly scale?: ScaledMembers;
  /** Other groups in which its objects are served. */
  readonly views?: readonly KindView[];
  /** Other versions in which its objects are served. */
  readonly versions?: readonly KindVersion[];
  /** Columns beside the name and the age, see `tableColumns`. */
  readonly columns: readonly Column[];
  /**
   * Labels of field selectors, with the paths of their values: the first path with a value counts. Every kind has
   * `metadata.name` and, in namespaces, `metadata.namespace` beside them.
   */
  readonly fieldLabels: Readonly<Record<string, readonly string[]>>;
  /** Further labels, whose values are times. */
  readonly timeLabels?: CoreKind['fieldLabels'];
  /** How the console displays it; absent for a review. */
  readonly hint?: JsonObject;
}

/** A further version of a kind, with another message. Its objects are converted. */
export interface KindVersion {
  readonly version: string;
  readonly message: string;
  readonly columns: readonly Column[];
  /** Between objects of this version and of the kind's version. They change no other object. */
  readonly conversion: Conversion;
}

/** The objects of a kind in another group. Labels and columns differ in the same names as the objects. */
export interface KindView {
  readonly group: string;
  readonly version: string;
  readonly message: string;
  /** The members of the kind that have other names in the view, with those names. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Present when clients should stop using it: its replacement. */
  readonly deprecated?: string;
}

/** A column with texts. */
export function text(name: string, jsonPath: string, priority = 0): Column {
  return { name, jsonPath, type: 'string', priority };
}

/** A column with times, which are shown as ages. */
export function date(name: string, jsonPath: string, priority = 0): Column {
  return { name, jsonPath, type: 'date', priority };
}

/** A column with texts such as `Deployment/web`. */
export function pathText(name: string, jsonPath: string): Column {
  return { ...text(name, jsonPath), cell: 'path' };
}

/** A column with the number of values. */
export function total(name: string, jsonPath: string): Column {
  return { name, jsonPath, type: 'integer', cell: 'count' };
}

/** The time of creation as the last column, in place of the age. */
export const CREATED_AT: readonly Column[] = [text('Created At', '.metadata.creationTimestamp')];

/** A column with whole numbers. */
export function count(name: string, jsonPath: string, priority = 0): Column {
  return { name, jsonPath, type: 'integer', priority };
}

/** Labels of field selectors that are the paths of their values. */
export function labels(...paths: readonly string[]): CoreKind['fieldLabels'] {
  return Object.fromEntries(paths.map((path) => [path, [path]]));
}

type KindNames = Pick<CoreKind, 'kind' | 'plural' | 'scope' | 'message'> & Partial<CoreKind>;

/** A kind of objects in the empty group, in the version `v1`, unless other names are given. */
export function stored(names: KindNames): CoreKind {
  return {
    group: '',
    version: 'v1',
    singular: names.kind.toLowerCase(),
    shortNames: [],
    use: 'stored',
    columns: [],
    fieldLabels: {},
    ...names,
  };
}
