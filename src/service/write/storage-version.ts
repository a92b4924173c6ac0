import { hasCode, ServiceError } from '../../errors.js';
import { carryOver } from '../../lib/json/carry-over.js';
import type { ExtensionObject } from '../../model/object.js';
import type { CurrentObject } from './current-object.js';
import { validateObject } from './validate-write.js';
import type { WriteOptions } from '../verbs.js';
import type { ModelView } from '../read/view.js';

/** A write in a version other than the storage version. */
interface VersionWrite {
  readonly options: WriteOptions;
  /** Receives warnings about the object in the storage version. */
  readonly warnings: string[];
}

/**
 * A new object in the storage version, validated.
 * @throws ConversionError; ServiceError `Invalid` when the storage version does not accept it
 */
export function createToStorageVersion(
  model: ModelView,
  stated: ExtensionObject,
  write: VersionWrite,
): ExtensionObject {
  const object = model.toStorage(stated);
  check(model, object, write);
  return object;
}

/**
 * The result of an update in the storage version, validated. Only the fields that the update changes in its own
 * version are changed; the parts that the version cannot express stay. A program that converts objects keeps them itself,
 * as in Kubernetes.
 * @param stated the object in the version of the write
 * @throws as {@link createToStorageVersion}
 */
export function updateToStorageVersion(
  { model, object: old, shown }: CurrentObject,
  stated: ExtensionObject,
  write: VersionWrite,
): ExtensionObject {
  const converted = model.toStorage(stated);
  const object = model.table.isRemote ? converted : changed(old, model.toStorage(shown), converted);
  check(model, object, write, old);
  return object;
}

function changed(
  { apiVersion, kind, metadata: _, ...rest }: ExtensionObject,
  { metadata: _before, ...before }: ExtensionObject,
  { metadata, ...after }: ExtensionObject,
): ExtensionObject {
  return { apiVersion, kind, metadata, ...carryOver(rest, before, after) };
}

/** Fields that no schema declares were checked in the version of the write. */
function check(
  { table }: ModelView,
  object: ExtensionObject,
  { options, warnings }: VersionWrite,
  old?: ExtensionObject,
): void {
  const { origin, version } = table.resource;
  if (origin !== undefined) {
    // As in Kubernetes, only the version of the write decides.
    table.scheme?.validate(object, old, { isStored: true });
    return;
  }
  try {
    const found = validateObject(table, object, { ...options, fieldValidation: 'Ignore' }, old);
    warnings.push(...found.filter((text) => !warnings.includes(text)));
  } catch (error) {
    if (!hasCode(error, 'Invalid')) throw error;
    throw new ServiceError(
      'Invalid',
      `converted to the stored version ${version}, ${error.message}`,
      error.details,
    );
  }
}
