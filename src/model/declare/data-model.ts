import { cloneJson } from '../../lib/json/json.js';
import type { Conversion } from '../evolve/conversion.js';
import type { RemoteConversion } from '../evolve/remote-conversion.js';
import type { ExtensionObject, JsonObject } from '../object.js';
import type { ModelReference } from '../references/reference.js';
import {
  getApiVersion,
  isStorageVersion,
  versionName,
  type Column,
  type IndexDeclaration,
  type Resource,
  type ScaledMembers,
} from '../resource.js';
import type { ObjectCheck } from '../validate/validator.js';
import { declarationOnly, readerIndex, withReferenceIndexes } from './index-function.js';
import { builtInIndexes } from './index-spec.js';
import type {
  DeletionRules,
  Index,
  ModelVersions,
  Ownership,
  PassedOn,
  Scheme,
  ShownDefaults,
  StrategicMerge,
} from './scheme.js';

/** An index of a model without a class. */
export interface DataIndex extends IndexDeclaration {
  /** Changes with everything that affects the values, other than the members of the declaration. */
  readonly source: string;
  /** The value of an object, or its values; undefined or null when it has none. */
  readonly read: (object: ExtensionObject) => unknown;
}

/** A version of a model without a class. */
export interface DataVersion {
  readonly version: string;
  /** OpenAPI 3 schema of the whole object. A function is called on first use. */
  readonly schema: JsonObject | (() => JsonObject);
  readonly columns: readonly Column[];
  readonly isServed: boolean;
  readonly statusBy?: Resource['statusBy'];
  readonly scale?: ScaledMembers;
  readonly deprecated?: string;
  readonly check: ObjectCheck;
  /** Between this version and the storage version, apart from `apiVersion`. Default: they differ in nothing else. */
  readonly conversion?: Conversion;
  /** Removes from an object of another version what this one does not declare, in place. Default: nothing. */
  readonly prune?: (object: ExtensionObject) => void;
  /** See `Scheme.shownDefaults`. Only those of the storage version count. */
  readonly shownDefaults?: ShownDefaults;
  /** Default: it takes no strategic merge patches. */
  readonly strategicMerge?: StrategicMerge;
  /** See `Scheme.blank`. */
  readonly blank?: () => JsonObject;
  /** Present: it shows the objects in a group that is not the model's own. */
  readonly view?: DataView;
}

/** The form of a model's objects in another group. */
export interface DataView {
  readonly group: string;
  /** The members of a stored object that have other names in the view, with those names. */
  readonly renamed: ReadonlyMap<string, string>;
}

type Names = Pick<
  Resource,
  | 'group'
  | 'kind'
  | 'plural'
  | 'singular'
  | 'shortNames'
  | 'categories'
  | 'scope'
  | 'origin'
  | 'storageVersion'
  | 'finalizedBy'
  | 'secretFields'
  | 'references'
  | 'isInert'
>;

/** A model without a class. Its versions differ in schema, check and conversion, and its views in names of members. */
export interface DataModel extends Names {
  readonly indexes: readonly DataIndex[];
  readonly deletion?: DeletionRules;
  readonly passedOn?: PassedOn;
  readonly ownership?: Ownership;
  /** Present: a program converts the objects. */
  readonly remote?: RemoteConversion;
  /** With the storage version. */
  readonly versions: readonly DataVersion[];
}

/** The schemes of a model without a class. */
export function buildDataVersions(data: DataModel, owner: string): ModelVersions {
  const { indexes: declared, references = [] } = data;
  const conflict = ({ field }: ModelReference): Error => new Error(`${field} has an index of another type`);
  const indexes = [
    ...builtInIndexes(data),
    ...withReferenceIndexes(declared.map(bindDataIndex), references, conflict),
  ];
  const schemes = data.versions.map((version) =>
    buildScheme(data, version, { owner, indexes }, () => versions),
  );
  const storage = schemes.find(({ resource }) => isStorageVersion(resource));
  if (storage === undefined) throw new Error(`${data.plural}.${data.group} lacks its storage version`);
  const byName = new Map(schemes.map((scheme) => [versionName(scheme.resource), scheme]));
  const isRemote = data.remote !== undefined;
  const versions: ModelVersions = { storage, byName, migrations: [], ...(isRemote && { isRemote }) };
  return versions;
}

function bindDataIndex({ source, read, ...declaration }: DataIndex): Index {
  return readerIndex(declaration, source, read);
}

const SAME_NAMES: DataView['renamed'] = new Map();

function buildScheme(
  data: DataModel,
  { version, schema, columns, isServed, statusBy, scale, deprecated, check, ...more }: DataVersion,
  { owner, indexes }: Pick<Scheme, 'owner' | 'indexes'>,
  getVersions: () => ModelVersions,
): Scheme {
  const { indexes: _indexes, versions: _versions, deletion, passedOn, ownership, remote, ...names } = data;
  const { strategicMerge, blank, view, prune, conversion, shownDefaults } = more;
  const renamed = view?.renamed ?? SAME_NAMES;
  const shown = indexes.map((index) => ({ ...index, name: withNamesInPath(index.name, renamed) }));
  let made = typeof schema === 'function' ? undefined : schema;
  const resource: Resource = {
    ...names,
    ...(view !== undefined && { group: view.group, storedGroup: data.group }),
    version,
    get schema() {
      return (made ??= typeof schema === 'function' ? schema() : schema);
    },
    columns,
    indexes: shown.map(declarationOnly),
    ...(statusBy !== undefined && { statusBy }),
    ...(scale !== undefined && { scale }),
    ...(deprecated !== undefined && { deprecated }),
  };
  return {
    resource,
    model: undefined,
    owner,
    indexes: shown,
    isServed,
    conversion: isStorageVersion(resource)
      ? undefined
      : conversionOf(resource, data, {
          renamed,
          prune,
          conversion: remote?.between(resource, data) ?? conversion,
        }),
    get versions() {
      return getVersions();
    },
    validate: check,
    shownDefaults,
    strategicMerge,
    blank,
    ...(deletion !== undefined && { deletion }),
    ...(passedOn !== undefined && { passedOn }),
    ...(ownership !== undefined && { ownership }),
  };
}

interface ConversionParts extends Pick<DataView, 'renamed'> {
  readonly prune: DataVersion['prune'];
  readonly conversion: Conversion | undefined;
}

/** Versions differ in their `apiVersion`, the declared fields and by their conversion, and views in names of members as well. */
function conversionOf(
  shown: Resource,
  stored: DataModel,
  { renamed, prune, conversion }: ConversionParts,
): Conversion {
  const into = (to: Pick<Resource, 'group' | 'version'>, names: DataView['renamed']) => {
    const apiVersion = getApiVersion(to);
    return (object: ExtensionObject): ExtensionObject => ({
      ...withNames(cloneJson(object), names),
      apiVersion,
    });
  };
  const version = stored.storageVersion;
  const up = into({ group: stored.group, version }, inverse(renamed));
  const down = into(shown, renamed);
  return {
    up: (object) => up(conversion?.up(object) ?? object),
    down: (object) => {
      const pruned = down(conversion?.down(object) ?? object);
      prune?.(pruned);
      return pruned;
    },
  };
}

/** The members of a view that have other names in a stored object, with those names. */
export function inverse(renamed: DataView['renamed']): DataView['renamed'] {
  return new Map([...renamed].map(([stored, shown]) => [shown, stored]));
}

/** An object whose members have other names. */
export function withNames<T extends object>(object: T, names: DataView['renamed']): T {
  const members = Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value] as const);
  return Object.fromEntries(members) as T;
}

/** A dotted path, of which the first member has another name. */
function withNamesInPath(path: string, names: DataView['renamed']): string {
  const [first = '', ...rest] = path.split('.');
  return [names.get(first) ?? first, ...rest].join('.');
}
