import { cloneJson } from '../../lib/json/json.js';
import type { Conversion } from '../evolve/conversion.js';
import type { ExtensionObject, JsonObject } from '../object.js';
import {
  getApiVersion,
  type Column,
  type IndexDeclaration,
  type Resource,
  type ScaledMembers,
} from '../resource.js';
import type { ObjectCheck } from '../validate/validator.js';
import { declarationOnly, readerIndex } from './index-function.js';
import { builtInIndexes } from './index-spec.js';
import type { DeletionRules, Index, ModelVersions, Scheme, StrategicMerge } from './scheme.js';

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
  /** OpenAPI 3 schema of the whole object. */
  readonly schema: JsonObject;
  readonly columns: readonly Column[];
  readonly isServed: boolean;
  readonly statusBy?: Resource['statusBy'];
  readonly scale?: ScaledMembers;
  readonly deprecated?: string;
  readonly check: ObjectCheck;
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
>;

/** A model without a class. Its versions differ in schema and check alone. */
export interface DataModel extends Names {
  readonly indexes: readonly DataIndex[];
  /** Default: it takes no strategic merge patches. */
  readonly strategicMerge?: StrategicMerge;
  readonly deletion?: DeletionRules;
  /** With the storage version. */
  readonly versions: readonly DataVersion[];
}

/** The schemes of a model without a class. */
export function buildDataVersions(data: DataModel, owner: string): ModelVersions {
  const indexes = [...builtInIndexes(data), ...data.indexes.map(bindDataIndex)];
  const schemes = data.versions.map((version) =>
    buildScheme(data, version, { owner, indexes }, () => versions),
  );
  const storage = schemes.find(({ resource }) => resource.version === data.storageVersion);
  if (storage === undefined) throw new Error(`${data.plural}.${data.group} lacks its storage version`);
  const byName = new Map(schemes.map((scheme) => [scheme.resource.version, scheme]));
  const versions: ModelVersions = { storage, byName, migrations: [] };
  return versions;
}

function bindDataIndex({ source, read, ...declaration }: DataIndex): Index {
  return readerIndex(declaration, source, read);
}

function buildScheme(
  data: DataModel,
  { version, schema, columns, isServed, statusBy, scale, deprecated, check }: DataVersion,
  { owner, indexes }: Pick<Scheme, 'owner' | 'indexes'>,
  getVersions: () => ModelVersions,
): Scheme {
  const { indexes: _indexes, versions: _versions, deletion, strategicMerge, ...names } = data;
  const resource: Resource = {
    ...names,
    version,
    schema,
    columns,
    indexes: indexes.map(declarationOnly),
    ...(statusBy !== undefined && { statusBy }),
    ...(scale !== undefined && { scale }),
    ...(deprecated !== undefined && { deprecated }),
  };
  return {
    resource,
    model: undefined,
    owner,
    indexes,
    isServed,
    conversion: version === data.storageVersion ? undefined : relabel(resource, data.storageVersion),
    get versions() {
      return getVersions();
    },
    validate: check,
    strategicMerge,
    ...(deletion !== undefined && { deletion }),
  };
}

/** Versions of a model without a class differ in their `apiVersion` alone. */
function relabel({ group, version }: Resource, storageVersion: string): Conversion {
  const into = (to: string) => {
    const apiVersion = getApiVersion({ group, version: to });
    return (object: ExtensionObject): ExtensionObject => ({ ...cloneJson(object), apiVersion });
  };
  return { up: into(storageVersion), down: into(version) };
}
