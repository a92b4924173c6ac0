import { isRecord } from '../../lib/json/json.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { WrittenPart } from '../verbs.js';
import { keepsStatus } from '../write/update.js';

/** The fields of an object that a sender sees, and those that it states instead. */
export interface StatedFields {
  readonly before: unknown;
  readonly after: unknown;
}

/** The parts that a write changes: others are ignored in its body. Undefined for a body that is no object, which is refused. */
export function comparedParts(
  resource: Resource,
  subresource: WrittenPart,
  { before, after }: { readonly before: ExtensionObject; readonly after: unknown },
): StatedFields | undefined {
  if (!isRecord(after)) return undefined;
  if (subresource === 'status') return { before: { status: before.status }, after: { status: after.status } };
  const isKept = keepsStatus(resource, after);
  return {
    before: comparedPart(withKeptManagers(before, after), isKept),
    after: comparedPart(after, isKept),
  };
}

function comparedPart({ status, ...others }: Readonly<Record<string, unknown>>, keepsIt: boolean): unknown {
  return keepsIt ? others : { ...others, status };
}

/** A body without managers leaves them as they are. */
function withKeptManagers(
  { metadata, ...others }: ExtensionObject,
  body: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { managedFields, ...rest } = metadata;
  const stated = isRecord(body.metadata) ? (body.metadata.managedFields ?? undefined) : undefined;
  return { ...others, metadata: stated === undefined ? rest : { ...rest, managedFields } };
}
