import { send } from '../../../api/http.js';
import type { StoredObject } from '../../../api/objects.js';
import { parseExact } from '../../../lib/exact-json.js';
import { isObject, objectAt } from '../../../lib/json.js';

export interface FieldChange {
  readonly path: string;
  /** Absent when the field was added. */
  readonly from?: unknown;
  /** Absent when the field was removed. */
  readonly to?: unknown;
}

export interface HistoryItem {
  readonly resourceVersion: string;
  readonly time: string;
  /** Absent without authentication. */
  readonly user?: string;
  /** The interface that the sender used: `mcp` for agents; absent for all other writes. */
  readonly via?: string;
  readonly verb: string;
  /** Empty for a create. */
  readonly changes: readonly FieldChange[];
}

export interface HistoryPage {
  readonly metadata: {
    readonly continue?: string;
    /** The first revision in the log. */
    readonly oldest: string;
  };
  readonly items: readonly HistoryItem[];
}

/**
 * The newest change that can be undone. Automatic writes of the service and controllers do not count as changes, and a create has no
 * state before it.
 */
export function findUndo(
  items: readonly HistoryItem[],
  live: StoredObject | undefined,
): HistoryItem | undefined {
  if (live?.metadata.deletionTimestamp !== undefined) return undefined;
  const item =
    live === undefined
      ? items[0]
      : items.find(({ verb, changes }) => verb === 'create' || changes.some(isOfAuthors));
  return item?.verb === 'create' && live !== undefined ? undefined : item;
}

function isOfAuthors({ path }: { readonly path: string }): boolean {
  return /^metadata\.(labels|annotations)\b/.test(path) || !/^(metadata|status)\b/.test(path);
}

/** An object at a past revision. @throws ApiError, Unreachable */
export async function readPast(path: string, revision: string, signal?: AbortSignal): Promise<unknown> {
  const search = new URLSearchParams({ resourceVersion: revision, resourceVersionMatch: 'Exact' });
  return parseExact(await (await send(`${path}?${search.toString()}`, { signal })).text());
}

/** The content to write to restore an earlier state: status and finalizers are the current ones. */
export function undone(past: unknown, live: unknown): object {
  const { metadata: _metadata, status: _status, ...content } = isObject(past) ? past : {};
  const { name, labels, annotations } = objectAt(past, 'metadata');
  const { finalizers, ownerReferences, resourceVersion } = objectAt(live, 'metadata');
  return {
    ...content,
    metadata: { name, labels, annotations, finalizers, ownerReferences, resourceVersion },
  };
}

/** True when two states of an object differ at most in the members of the service and controllers. */
export function isSameWork(one: unknown, other: unknown): boolean {
  return JSON.stringify(undone(one, undefined)) === JSON.stringify(undone(other, undefined));
}
