import type { ExtensionObject } from '../../model/object.js';

/** The parts of an object for a sender that may write its status but not read the object. */
export function statusPart({ apiVersion, kind, metadata, status }: ExtensionObject): object {
  return { apiVersion, kind, metadata, ...(status !== undefined && { status }) };
}
