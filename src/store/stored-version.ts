import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import type { Scheme } from '../model/declare/scheme.js';
import { ConversionError } from '../model/evolve/conversion.js';
import { parseObject } from './object-record.js';

/** How the JSON of every stored object of a group begins, up to the version. */
function getPrefix(group: string): string {
  return group === '' ? '{"apiVersion":"' : `{"apiVersion":"${group}/`;
}

const QUOTE = 0x22;

/** The version that an object is stored in, by its JSON; nothing else of it is read. */
export function storedVersionIn({ group }: Pick<Resource, 'group'>, json: Uint8Array): string {
  const start = getPrefix(group).length;
  const end = json.indexOf(QUOTE, start);
  return Buffer.from(json.buffer, json.byteOffset + start, end - start).toString('latin1');
}

/** The version that an object is in. */
export function getStoredVersion({ apiVersion }: Pick<ExtensionObject, 'apiVersion'>): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/**
 * A stored object in the storage version of its model.
 * @throws ConversionError when it is stored in another one and cannot be converted
 */
export function inStorageVersion(scheme: Scheme, json: Uint8Array): ExtensionObject {
  return toStorageVersion(scheme, parseObject(json));
}

/** The same for one that was parsed. It is left as it is. */
export function toStorageVersion({ versions, resource }: Scheme, object: ExtensionObject): ExtensionObject {
  const version = getStoredVersion(object);
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
