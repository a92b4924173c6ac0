import type { IncomingMessage, ServerResponse } from 'node:http';
import { formatYaml } from '../lib/yaml.js';
import { listHead, type RawList } from '../service/list.js';
import { paced } from '../store/walk.js';
import { drained } from './drain.js';
import { CONTENT_TYPE, formatFor, sendBytes } from './respond.js';

/** Bytes that are put together before anything is sent; a smaller list goes out with its length. */
const BUFFER_BYTES = 64 * 1024;
/** Longest time that objects are written in one go, in milliseconds: what they are written as may have to be made. */
const STEP_MS = 1;
/** Objects between two looks at the clock. */
const UNTIMED_OBJECTS = 10;
/** A client that takes nothing for so long is cut off, for its list holds a snapshot of the store. */
export const STALL_MS = 30_000;

/** What a list is written as. */
export interface ListShape {
  /** Its members before the objects. */
  head(list: RawList): object;
  /** The member that holds the objects. */
  readonly member: string;
  /** What is there for a stored object. */
  item(bytes: Buffer): Buffer;
}

/** The objects as they are stored. */
export const OBJECTS: ListShape = { head: listHead, member: 'items', item: (bytes) => bytes };

/**
 * Puts a list together from stored bytes; a long one is streamed, so that memory does not grow with it.
 * @param stallMs how long a client may take nothing
 * @returns the answer's JSON when it was sent as a whole
 */
export async function sendList(
  req: IncomingMessage,
  res: ServerResponse,
  list: RawList,
  stallMs: number,
  shape: ListShape = OBJECTS,
): Promise<Buffer | undefined> {
  if ('next' in list.objects) {
    await streamList(req, res, { list, shape, objects: list.objects }, stallMs);
    return undefined;
  }
  const body = wholeList(list, list.objects.flat(), shape);
  sendBytes(req, res, 200, body);
  return body;
}

function wholeList(list: RawList, objects: readonly Buffer[], shape: ListShape): Buffer {
  const parts = [headOf(list, shape)];
  for (const [i, object] of objects.entries()) {
    if (i > 0) parts.push(COMMA);
    parts.push(shape.item(object));
  }
  parts.push(END);
  return Buffer.concat(parts);
}

function headOf(list: RawList, shape: ListShape): Buffer {
  return Buffer.from(`${JSON.stringify(shape.head(list)).slice(0, -1)},"${shape.member}":[`);
}

const COMMA = Buffer.from(',');
const END = Buffer.from(']}');

/** A list whose objects are read while it is sent. */
interface Stream {
  readonly list: RawList;
  readonly shape: ListShape;
  readonly objects: AsyncGenerator<readonly Buffer[], undefined>;
}

async function streamList(
  req: IncomingMessage,
  res: ServerResponse,
  stream: Stream,
  stallMs: number,
): Promise<void> {
  const format = formatFor(req);
  const headers = { 'Content-Type': CONTENT_TYPE[format] };
  let waiting: Buffer[] = [];
  let bytes = 0;
  try {
    // A client that takes everything at once must not keep others from being answered.
    const parts = format === 'json' ? jsonParts(stream) : yamlParts(stream);
    for await (const part of paced(parts)) {
      waiting.push(part);
      bytes += part.length;
      if (bytes < BUFFER_BYTES) continue;
      if (!res.headersSent) res.writeHead(200, headers);
      if (!(await write(res, joined(waiting), stallMs))) return;
      waiting = [];
      bytes = 0;
    }
  } finally {
    await stream.objects.return(undefined);
  }
  const body = joined(waiting);
  if (!res.headersSent) res.writeHead(200, { ...headers, 'Content-Length': body.length });
  res.end(req.method === 'HEAD' ? undefined : body);
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
}

/** Resolves when more may be sent: with false when nobody is there to take it. */
async function write(res: ServerResponse, bytes: Buffer, stallMs: number): Promise<boolean> {
  if (res.destroyed) return false;
  return res.write(bytes) || drained(res, stallMs);
}

async function* jsonParts({ list, shape, objects }: Stream): AsyncGenerator<Buffer> {
  yield headOf(list, shape);
  let separator = false;
  for await (const chunk of objects) {
    let parts: Buffer[] = [];
    let until = performance.now() + STEP_MS;
    for (const [i, object] of chunk.entries()) {
      if (separator) parts.push(COMMA);
      separator = true;
      parts.push(shape.item(object));
      if (i % UNTIMED_OBJECTS !== 0 || performance.now() < until) continue;
      yield Buffer.concat(parts);
      parts = [];
      until = performance.now() + STEP_MS;
    }
    if (parts.length > 0) yield Buffer.concat(parts);
  }
  yield END;
}

async function* yamlParts({ list, shape, objects }: Stream): AsyncGenerator<Buffer> {
  const head = shape.head(list);
  let begun = false;
  for await (const chunk of objects) {
    if (!begun) yield Buffer.from(`${formatYaml(head)}${shape.member}:\n`);
    begun = true;
    for (const object of chunk) yield Buffer.from(formatYaml([JSON.parse(shape.item(object).toString())]));
  }
  if (!begun) yield Buffer.from(formatYaml({ ...head, [shape.member]: [] }));
}
