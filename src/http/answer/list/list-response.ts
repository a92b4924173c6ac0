import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RawList } from '../../../service/read/list.js';
import { LongObjects } from '../../../service/read/listed-objects.js';
import { yieldBetween } from '../../../lib/work/yield.js';
import type { Converter } from '../converter.js';
import { sent } from '../drain.js';
import { ItemBuffer, listForm, metadataForm, ListWriter, wholeJson, type ListForm } from './list-writer.js';
import { addWarnings, cacheHeaders, CONTENT_TYPE, formatFor, sendAs, sendWithTurn } from '../respond.js';
import { LateWarnings } from './late-warnings.js';
import type { MetadataShape } from '../../routes/metadata-shape.js';
import type { TableShape } from '../../routes/table.js';

/** Bytes that are collected before a part is sent; a smaller list is sent with its length. */
const PART_BYTES = 64 * 1024;
/**
 * A client that reads nothing for this time is cut off, because its list keeps a snapshot of the store open. In
 * milliseconds.
 */
export const STALL_MS = 30_000;

export interface ListSending {
  /** Longest time in which a client may read nothing, in milliseconds. */
  readonly stallMs: number;
  readonly converter: Converter;
  /** Present: the list is sent as rows. */
  readonly table?: TableShape | undefined;
  /** Present: the list has only the metadata of the objects. */
  readonly metadata?: MetadataShape | undefined;
}

/**
 * Sends a list from stored bytes. A long one is streamed, so that memory does not grow with it.
 * @returns the answer, if it was sent in one piece as JSON of the objects
 */
export async function sendList(
  req: IncomingMessage,
  res: ServerResponse,
  list: RawList,
  { table, metadata, ...sending }: ListSending,
): Promise<Buffer | undefined> {
  const format = table === undefined && metadata === undefined ? formatFor(req) : 'json';
  const { objects } = list;
  if (
    format === 'json' &&
    table === undefined &&
    metadata === undefined &&
    !(objects instanceof LongObjects)
  ) {
    const body = wholeJson(list, objects.flat());
    addWarnings(res, list.unshown.warnings());
    sendWithTurn(res, 200, { format, body });
    return body;
  }
  const items = new ItemBuffer();
  const push = (json: Buffer): void => items.push(...(metadata?.parts(json) ?? [json]));
  if (!(objects instanceof LongObjects)) for (const json of objects.flat()) push(json);
  // A client that reads everything at once must not block other requests.
  const more = objects instanceof LongObjects ? yieldBetween(objects.inPlace(push)) : [];
  const isVerbatim = !(objects instanceof LongObjects) || objects.isVerbatim;
  const warnings = new LateWarnings(res, isVerbatim ? undefined : list.unshown);
  const form = metadata === undefined ? listForm(list, format, table) : metadataForm(list, metadata);
  await sendItems(req, res, { items, more, form, warnings }, sending);
  return undefined;
}

/** Items that are sent while they are read. */
export interface ItemsSent {
  readonly items: ItemBuffer;
  /** Adds to the items, step by step. */
  readonly more: AsyncIterable<unknown> | Iterable<unknown>;
  readonly form: ListForm;
  /** Warnings that are found while they are read. */
  readonly warnings?: LateWarnings;
}

/** Sends items in parts; few items in one piece, with their length. */
export async function sendItems(
  req: IncomingMessage,
  res: ServerResponse,
  { items, more, form, warnings }: ItemsSent,
  { stallMs, converter }: Omit<ListSending, 'table' | 'metadata'>,
): Promise<void> {
  const text = new ListWriter(form, converter);
  const { format } = form;
  for await (const _ of more) {
    if (items.length < PART_BYTES) continue;
    const part = await text.next(items.take());
    if (!res.headersSent) {
      warnings?.beforeHead();
      res.writeHead(200, { ...cacheHeaders(res), 'Content-Type': CONTENT_TYPE[format] });
    }
    if (!(await sent(res, part, stallMs))) return;
  }
  const body = await text.last(items.take());
  if (res.headersSent) {
    warnings?.atEnd();
    res.end(body);
  } else {
    warnings?.asHeaders();
    sendAs(res, 200, { format, body });
  }
}
