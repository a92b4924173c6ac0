import type { IncomingMessage, ServerResponse } from 'node:http';
import { LongObjects, type RawList } from '../service/list.js';
import { yieldBetween } from '../lib/yield.js';
import type { Converter } from './converter.js';
import { sent } from './drain.js';
import { GatheredItems, ListText, wholeJson } from './list-text.js';
import type { Format } from './media.js';
import { CONTENT_TYPE, formatFor, sendAs } from './respond.js';
import type { TableShape } from './table.js';

/** Bytes that are put together before anything is sent; a smaller list goes out with its length. */
const PART_BYTES = 64 * 1024;
/** A client that takes nothing for so long is cut off, for its list holds a snapshot of the store. */
export const STALL_MS = 30_000;

export interface ListSending {
  /** How long a client may take nothing, in milliseconds. */
  readonly stallMs: number;
  readonly converter: Converter;
  /** Present: as its rows. */
  readonly table?: TableShape | undefined;
}

/**
 * Puts a list together from stored bytes; a long one is streamed, so that memory does not grow with it.
 * @returns the answer when it was sent as a whole, as JSON of the objects
 */
export async function sendList(
  req: IncomingMessage,
  res: ServerResponse,
  list: RawList,
  { stallMs, converter, table }: ListSending,
): Promise<Buffer | undefined> {
  const format = table === undefined ? formatFor(req) : 'json';
  const { objects } = list;
  if (format === 'json' && table === undefined && !(objects instanceof LongObjects)) {
    const body = wholeJson(list, objects.flat());
    sendAs(req, res, 200, { format, body });
    return body;
  }
  const text = new ListText(list, { format, table }, converter);
  if (objects instanceof LongObjects) await stream(req, res, { objects, text, format }, stallMs);
  else {
    const items = new GatheredItems();
    for (const json of objects.flat()) items.push(json);
    sendAs(req, res, 200, { format, body: await text.last(items.take()) });
  }
  return undefined;
}

interface Streamed {
  readonly objects: LongObjects;
  readonly text: ListText;
  readonly format: Format;
}

async function stream(
  req: IncomingMessage,
  res: ServerResponse,
  { objects, text, format }: Streamed,
  stallMs: number,
): Promise<void> {
  const items = new GatheredItems();
  // A client that takes everything at once must not keep others from being answered.
  for await (const _ of yieldBetween(objects.inPlace((json) => items.push(json)))) {
    if (items.length < PART_BYTES) continue;
    const part = await text.next(items.take());
    if (!res.headersSent) res.writeHead(200, { 'Content-Type': CONTENT_TYPE[format] });
    if (!(await sent(res, part, stallMs))) return;
  }
  const body = await text.last(items.take());
  if (res.headersSent) res.end(body);
  else sendAs(req, res, 200, { format, body });
}
