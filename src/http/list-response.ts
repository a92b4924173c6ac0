import type { IncomingMessage, ServerResponse } from 'node:http';
import { UTF8_BYTES_MAX } from '../lib/bytes.js';
import { formatYaml } from '../lib/yaml.js';
import { listHead, LongObjects, type RawList } from '../service/list.js';
import { paced } from '../store/walk.js';
import { sent } from './drain.js';
import { CONTENT_TYPE, formatFor, sendBytes } from './respond.js';

/** Bytes that are put together before anything is sent; a smaller list goes out with its length. */
const BUFFER_BYTES = 64 * 1024;
/** Memory for what is put together, to begin with: enough for most lists. */
const OUTGOING_BYTES = 16 * 1024;
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
  if (list.objects instanceof LongObjects) {
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
  readonly objects: LongObjects;
}

async function streamList(
  req: IncomingMessage,
  res: ServerResponse,
  stream: Stream,
  stallMs: number,
): Promise<void> {
  const format = formatFor(req);
  const headers = { 'Content-Type': CONTENT_TYPE[format] };
  const out = new Outgoing();
  const writer = format === 'json' ? jsonWriter(stream, out) : yamlWriter(stream, out);
  // A client that takes everything at once must not keep others from being answered.
  for await (const _ of paced(stream.objects.inPlace((json) => writer.add(json)))) {
    if (out.length < BUFFER_BYTES) continue;
    if (!res.headersSent) res.writeHead(200, headers);
    if (!(await sent(res, out.take(), stallMs))) return;
  }
  writer.end();
  const body = out.take();
  if (!res.headersSent) res.writeHead(200, { ...headers, 'Content-Length': body.length });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Bytes that are put together in memory that is used again, so that a long list leaves little garbage. */
class Outgoing {
  private memory = Buffer.allocUnsafeSlow(OUTGOING_BYTES);
  private used = 0;

  get length(): number {
    return this.used;
  }

  add(bytes: Uint8Array): void {
    this.makeRoom(bytes.length);
    this.memory.set(bytes, this.used);
    this.used += bytes.length;
  }

  addText(text: string): void {
    this.makeRoom(text.length * UTF8_BYTES_MAX);
    this.used += this.memory.write(text, this.used);
  }

  private makeRoom(bytes: number): void {
    const end = this.used + bytes;
    if (end <= this.memory.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(end, this.memory.length * 2));
    larger.set(this.memory.subarray(0, this.used));
    this.memory = larger;
  }

  /** What was added since the last time. It is valid until something is added. */
  take(): Buffer {
    const taken = this.memory.subarray(0, this.used);
    this.used = 0;
    return taken;
  }
}

/** Writes a list in one format. */
interface Writer {
  add(json: Buffer): void;
  end(): void;
}

function jsonWriter({ list, shape }: Stream, out: Outgoing): Writer {
  let isFirst = true;
  return {
    add(json) {
      out.add(isFirst ? headOf(list, shape) : COMMA);
      isFirst = false;
      out.add(shape.item(json));
    },
    end() {
      if (isFirst) out.add(headOf(list, shape));
      out.add(END);
    },
  };
}

function yamlWriter({ list, shape }: Stream, out: Outgoing): Writer {
  let isFirst = true;
  return {
    add(json) {
      if (isFirst) out.addText(`${formatYaml(shape.head(list))}${shape.member}:\n`);
      isFirst = false;
      out.addText(formatYaml([JSON.parse(shape.item(json).toString())]));
    },
    end() {
      if (isFirst) out.addText(formatYaml({ ...shape.head(list), [shape.member]: [] }));
    },
  };
}
