import { badRequest, hasCode } from '../../errors.js';
import { Allowance } from '../../lib/work/allowance.js';
import { fullName } from '../../model/full-name.js';
import { pickOptions, type ListOptions } from '../../query/list-options.js';
import { SELECTORS } from '../../query/list-parameters.js';
import { readListQuery } from '../../query/list-request.js';
import { iterateCopies, listHead } from '../../service/read/list.js';
import type { Reading } from '../../service/read/find.js';
import type { Service } from '../../service/service.js';
import type { ListPage, ResourceRef } from '../../service/verbs.js';
import { parseObject } from '../../store/object-record.js';
import { unknownParameters } from './known-parameters.js';
import type { Query } from './parameters.js';

/** Objects that are deleted together. */
const PAGE = 500;
/** Fewer objects are, after so many bytes of them. Each deletion reads its object. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Most bytes of objects in an answer; it is a `Status` when there are more. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

export interface DeletedCollection {
  readonly service: Service;
  readonly resource: ResourceRef;
  /** Selectors, the namespace, and most objects. */
  readonly options: ListOptions;
  /** Deletes the object of a full name. */
  readonly remove: (name: string) => Promise<unknown>;
}

/** @throws ServiceError `BadRequest`, also for an unknown parameter: a misspelled selector would select everything */
export function readCollectionQuery(query: Query): ListOptions {
  const [unknown] = unknownParameters(query, 'deleteCollection');
  if (unknown !== undefined) throw badRequest(`${unknown}; nothing was deleted`);
  const { limit = 0, continue: token } = readListQuery(query);
  return { ...pickOptions(query, SELECTORS), limit, ...(token !== undefined && { continue: token }) };
}

/**
 * Deletes objects page by page; when it fails, those before stay deleted. An object that is gone already is no error.
 * @returns the objects as they were, as a list; a `Status` when they are too large
 */
export async function deleteCollection(
  { service, resource, options, remove }: DeletedCollection,
  reading: Pick<Reading, 'scope' | 'related' | 'work'>,
): Promise<object> {
  const items: unknown[] = [];
  const allowance = new Allowance({ work: reading.work });
  let [bytes, count, token] = [0, 0, options.continue];
  for (;;) {
    const left = options.limit ? options.limit - count : PAGE;
    const part = { ...options, limit: Math.min(PAGE, left), ...(token !== undefined && { continue: token }) };
    const list = await service.listRaw(resource, part, reading);
    const pages: string[][] = [[]];
    let pageBytes = 0;
    for await (const chunk of iterateCopies(list))
      for (const json of chunk) {
        await allowance.pause();
        const object = allowance.during(() => parseObject(json));
        if ((pageBytes += json.length) > PAGE_BYTES) {
          pages.push([]);
          pageBytes = json.length;
        }
        pages.at(-1)?.push(fullName(resource, object.metadata));
        bytes += json.length;
        if (bytes <= ANSWER_BYTES_MAX) items.push(object);
      }
    for (const names of pages) await removeAll(names, remove);
    count += pages.flat().length;
    token = list.metadata.continue;
    if (token === undefined || count === options.limit) {
      return bytes > ANSWER_BYTES_MAX ? success(count) : { ...typeOf(listHead(list)), items };
    }
  }
}

/** Waits for all of them also when one fails. */
async function removeAll(names: readonly string[], remove: DeletedCollection['remove']): Promise<void> {
  const removals = names.map((name) => remove(name).catch(unlessNotFound));
  await Promise.allSettled(removals);
  await Promise.all(removals);
}

function unlessNotFound(error: unknown): void {
  if (!hasCode(error, 'NotFound')) throw error;
}

/** The list without the numbers of its last page. */
function typeOf({ apiVersion, kind, metadata }: Pick<ListPage, 'apiVersion' | 'kind' | 'metadata'>): object {
  return { apiVersion, kind, metadata };
}

function success(count: number): object {
  const message = `${count} objects were deleted`;
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', message, code: 200 };
}
