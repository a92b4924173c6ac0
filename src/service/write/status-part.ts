import type { ExtensionObject } from '../../model/object.js';

/** The parts of an object that concern whoever writes its status without the right to read the object. */
export function statusPart({ apiVersion, kind, metadata, status }: ExtensionObject): object {
  return { apiVersion, kind, metadata, ...(status !== undefined && { status }) };
}
