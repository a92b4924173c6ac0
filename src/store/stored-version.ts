import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import type { Scheme } from '../model/declare/scheme.js';
import { ConversionError } from '../model/evolve/conversion.js';
import { parseObject } from './object-record.js';

/** The start of the JSON of every stored object of a group, up to the version. */
function getPrefix(group: string): string {
  return group === '' ? '{"apiVersion":"' : `{"apiVersion":"${group}/`;
}

const QUOTE = 0x22;

/** The version in which an object is stored, by its JSON. Nothing else of it is parsed. */
export function storedVersionIn({ group }: Pick<Resource, 'group'>, json: Uint8Array): string {
  const start = getPrefix(group).length;
  const end = json.indexOf(QUOTE, start);
  return Buffer.from(json.buffer, json.byteOffset + start, end - start).toString('latin1');
}

/** The version of an object in the group of its model, such as a stored one. */
export function getStoredVersion({ apiVersion }: Pick<ExtensionObject, 'apiVersion'>): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** The version of an object in any group that shows the model; see `versionName`. */
function getVersion({ versions }: Scheme, object: Pick<ExtensionObject, 'apiVersion'>): string {
  const { group } = versions.storage.resource;
  const isOfGroup = group !== '' && object.apiVersion.startsWith(`${group}/`);
  return isOfGroup ? getStoredVersion(object) : object.apiVersion;
}

/**
 * Converts a stored object to the storage version of its model.
 * @throws ConversionError when it is stored in another version and cannot be converted
 */
export function inStorageVersion(scheme: Scheme, json: Uint8Array): ExtensionObject {
  return toStorageVersion(scheme, parseObject(json));
}

/** {@link inStorageVersion} for a parsed object, which is not changed. */
export function toStorageVersion(scheme: Scheme, object: ExtensionObject): ExtensionObject {
  const { versions, resource } = scheme;
  const version = getVersion(scheme, object);
  if (version === versions.storage.resource.version) return object;
  const from = versions.byName.get(version)?.conversion;
  if (from !== undefined) return from.up(object);
  const { group, kind } = resource;
  const { name } = object.metadata;
  throw new ConversionError(
    `${kind} "${name}" is stored in version ${version}, which no class declares; restore the declaration of that version`,
    { group, kind, name },
  );
}

/**
 * Converts an object of any version of a model to another one. The argument is not changed, and may be the result.
 * @throws ConversionError when a version is not declared, or the object cannot be converted
 */
export function toVersion(scheme: Scheme, object: ExtensionObject, version: string): ExtensionObject {
  if (getVersion(scheme, object) === version) return object;
  const { versions, resource } = scheme;
  const stored = toStorageVersion(scheme, object);
  if (version === versions.storage.resource.version) return stored;
  const to = versions.byName.get(version)?.conversion;
  if (to !== undefined) return to.down(stored);
  const { group, kind } = resource;
  const { name } = object.metadata;
  throw new ConversionError(
    `${kind} "${name}" cannot be converted to version ${version}, which no class declares; restore the declaration of that version`,
    { group, kind, name },
  );
}
