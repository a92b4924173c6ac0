import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Scheme } from '../model/declare/scheme.js';
import { versionName, type Resource } from '../model/resource.js';
import type { CatalogIndex, ModelRecord } from '../store/catalog.js';
import { getPendingMigrations } from './migrate.js';

/** True when the stored model equals the declaration, and nothing is left to be done. */
export function isUpToDate(record: ModelRecord, scheme: Scheme): boolean {
  return (
    record.builder === undefined &&
    record.indexes.every(({ state }) => state === 'ready') &&
    isDeclared(record, scheme)
  );
}

/** True when the stored model equals the declaration. Its indexes may still be built. */
export function isDeclared(record: ModelRecord, scheme: Scheme): boolean {
  return (
    record.indexes.length === scheme.indexes.length &&
    record.defaults === scheme.shownDefaults?.digest &&
    scheme.indexes.every((index, i) => isSame(record.indexes[i], index)) &&
    getPendingMigrations(record, scheme).length === 0 &&
    record.storedVersions.every((version) => scheme.versions.byName.has(version)) &&
    isDeepStrictEqual(record.resource, asStored(scheme.resource)) &&
    isDeepStrictEqual(record.otherVersions ?? [], otherVersions(scheme))
  );
}

/** The served versions of a model by its declaration, the storage version first. */
export function getDeclaredVersions({ versions }: Scheme): readonly string[] {
  return [...versions.byName.values()]
    .filter(({ isServed }) => isServed)
    .map(({ resource }) => versionName(resource));
}

export function getServedVersions({ otherVersions = [], resource }: ModelRecord): readonly string[] {
  return [resource, ...otherVersions].map(versionName);
}

/** True when an index contains the entries for its declaration. */
export function isReady(record: CatalogIndex | undefined, index: IndexIdentity): boolean {
  return record?.state === 'ready' && isSame(record, index);
}

type IndexIdentity = Pick<CatalogIndex, 'name' | 'fingerprint'>;

function isSame(record: CatalogIndex | undefined, { name, fingerprint }: IndexIdentity): boolean {
  return record?.name === name && record.fingerprint === fingerprint;
}

/**
 * A model's data after a round trip through JSON. The schemas of inert kinds are large and part of the program, and a stored
 * definition has the schema of its kind.
 */
export function asStored(resource: Resource): Resource {
  const stored = hasSchemaElsewhere(resource) ? withoutSchema(resource) : resource;
  return JSON.parse(JSON.stringify(stored)) as Resource;
}

function hasSchemaElsewhere({ origin, isInert }: Resource): boolean {
  return origin === 'definition' || isInert === true;
}

/** Does not read the schema, which may be made only on use. */
function withoutSchema(resource: Resource): object {
  const members = Object.keys(resource).filter((name) => name !== 'schema');
  return { ...Object.fromEntries(members.map((name) => [name, Reflect.get(resource, name)])), schema: {} };
}

/** The served versions except the storage version, in the stored form. */
export function otherVersions({ versions }: Scheme): Resource[] {
  return [...versions.byName.values()]
    .filter((scheme) => scheme.isServed && scheme !== versions.storage)
    .map(({ resource }) => asStored(resource));
}

/** Identifies the schema that objects were checked against. That of an inert kind changes only with the program. */
export function schemaHash({ resource }: Scheme): string {
  const schema = resource.isInert === true ? {} : resource.schema;
  return createHash('sha256').update(JSON.stringify(schema)).digest('hex');
}
