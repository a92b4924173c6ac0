import { createHash } from 'node:crypto';
import { isRecord } from '../../lib/json/json.js';
import { SYSTEM_METADATA, type ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import { isDeletionDeferred } from '../../service/references/defer-deletion.js';
import { parseObject } from '../../store/object-record.js';
import type { WrittenChange } from '../../store/transaction.js';

/** The effect of a commit on one object. */
export interface Effect {
  /** In the version in which the object is stored. */
  readonly resource: Resource;
  /** The full name. */
  readonly name: string;
  /** Undefined for a new object. */
  readonly before: ExtensionObject | undefined;
  /** Undefined for a removed object. */
  readonly after: ExtensionObject | undefined;
  /** True when later commits must delete the objects that refer to it. */
  readonly isDeferred: boolean;
}

/** The changes of a commit as data; its bytes are only valid within it. */
export function readEffects(changes: readonly WrittenChange[]): Effect[] {
  return changes.map(({ table, name, old, next }) => ({
    resource: table.resource,
    name,
    before: old && parseObject(old.bytes),
    after: next && parseObject(next.json),
    isDeferred: next !== undefined && isDeletionDeferred(next.json),
  }));
}

/** The verb of an effect, as the rules of access name it. */
export function verbOf({ before, after }: Effect): 'create' | 'update' | 'delete' {
  if (before === undefined) return 'create';
  return after === undefined || isEnding(before, after) ? 'delete' : 'update';
}

/** True when a deletion begins, which finalizers hold. */
function isEnding(before: ExtensionObject, after: ExtensionObject): boolean {
  return before.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined;
}

/** Identifies an effect: two commits with the same effects store the same. */
export function fingerprint(effect: Effect): string {
  const { resource, name, before, after } = effect;
  return createHash('sha256')
    .update(
      JSON.stringify([
        resource.group,
        resource.kind,
        name,
        before === undefined ? null : 'stored',
        after === undefined ? null : sorted(content(resource, after)),
      ]),
    )
    .digest('base64url');
}

/** The object without what the service sets when it is stored. */
function content({ origin }: Resource, object: ExtensionObject): unknown {
  const { metadata, status, ...rest } = object;
  const own = Object.entries(metadata).filter(([key]) => !SYSTEM.has(key));
  return {
    ...rest,
    // The service itself sets parts of the status of such kinds, with times.
    ...(origin === undefined && { status }),
    metadata: Object.fromEntries(own),
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

const SYSTEM: ReadonlySet<string> = new Set([...SYSTEM_METADATA, 'generateName']);

/** The value with the keys of all objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}
