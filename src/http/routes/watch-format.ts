import type { IncomingMessage } from 'node:http';
import { EVENTS_TYPE, WATCH_TYPE } from '../../openapi/media-types.js';
import type { BookmarkObject } from '../../service/verbs.js';
import { parseObject } from '../../store/object-record.js';
import type { ObjectEvent } from '../../store/log/change.js';
import { negotiation } from '../answer/accept.js';
import { shapeType } from '../kube/accept.js';
import { JSON_TYPE } from '../answer/media.js';
import type { Status } from '../answer/status.js';
import { OBJECT_METADATA, type MetadataShape } from './metadata-shape.js';
import { TABLE, type TableShape } from './table.js';

/** The output form of a watch. */
export interface WatchFormat {
  readonly contentType: string;
  /** True when a reconnecting client states the last event that it received. */
  readonly isResumable: boolean;
  /** Sent in times without events. */
  readonly idle: Buffer;
  /** Existing objects before the first change: all of them, or a part. */
  initial(objects: readonly Buffer[], isWhole: boolean): readonly Buffer[];
  /** Changes, in revision order. */
  changes(events: readonly ObjectEvent[]): readonly Buffer[];
  bookmark(object: BookmarkObject): Buffer;
  error(status: Status): Buffer;
  /** States, without an event, that everything up to a revision was sent. */
  position(revision: number): readonly Buffer[];
}

/** Another form of the objects in a watch. */
export interface WatchedShape {
  readonly table?: TableShape | undefined;
  readonly metadata?: MetadataShape | undefined;
}

/** The format that a client requests: server-sent events, else a JSON text on each line. */
export function watchFormatFor(
  req: Pick<IncomingMessage, 'headers'>,
  { table, metadata }: WatchedShape = {},
): WatchFormat {
  const type = streamType(req.headers.accept);
  if (type === EVENTS_TYPE) return SERVER_SENT_EVENTS;
  const plain = metadata === undefined ? JSON_LINES : metadataLines(metadata);
  return { ...(table === undefined ? plain : tableLines(table)), contentType: type };
}

/** The type of a stream. Kubernetes clients request JSON, or tables, and parse any answer as JSON. */
const streamType = negotiation([
  [JSON_TYPE, JSON_TYPE],
  ...[TABLE, OBJECT_METADATA].flatMap((shape) =>
    shape.versions.map((version) => [shapeType(shape, version), JSON_TYPE] as const),
  ),
  [WATCH_TYPE, WATCH_TYPE],
  [EVENTS_TYPE, EVENTS_TYPE],
]);

/** True when a client prefers server-sent events. */
export function wantsEvents(accept: string | undefined): boolean {
  return streamType(accept) === EVENTS_TYPE;
}

const NEWLINE = Buffer.from('\n');
const CLOSE = Buffer.from('}');

/** An event as JSON. The object's bytes are sent as stored. */
function getJson({ type, bytes }: Pick<ObjectEvent, 'type' | 'bytes'>): readonly Buffer[] {
  return [Buffer.from(`{"type":"${type}","object":`), bytes, CLOSE];
}

/** An object that existed before the first change. */
function jsonOfInitial(bytes: Buffer): readonly Buffer[] {
  return getJson({ type: 'ADDED', bytes });
}

/** Most bytes that are joined: the waiting data of a connection is bounded. */
const TOGETHER_BYTES_MAX = 64 * 1024;

type WriteEvents = (events: readonly ObjectEvent[]) => readonly Buffer[];

/** Converts events to bytes once for all watches with the same events, and joins them. */
function shared(write: (event: ObjectEvent) => readonly Buffer[]): WriteEvents {
  const written = new WeakMap<readonly ObjectEvent[], readonly Buffer[]>();
  return (events) => {
    const known = written.get(events);
    if (known !== undefined) return known;
    const bytes = joined(events.map(write));
    written.set(events, bytes);
    return bytes;
  };
}

function joined(all: readonly (readonly Buffer[])[]): readonly Buffer[] {
  const whole: Buffer[] = [];
  let parts: Buffer[] = [];
  let bytes = 0;
  const flush = (): void => {
    if (parts.length > 0) whole.push(Buffer.concat(parts));
    parts = [];
    bytes = 0;
  };
  for (const one of all) {
    const length = one.reduce((sum, part) => sum + part.length, 0);
    if (bytes + length > TOGETHER_BYTES_MAX) flush();
    parts.push(...one);
    bytes += length;
  }
  flush();
  return whole;
}

function formatLine(type: 'BOOKMARK' | 'ERROR', object: object): string {
  return JSON.stringify({ type, object });
}

const jsonLines = shared((event) => [...getJson(event), NEWLINE]);

const JSON_LINES: WatchFormat = {
  contentType: JSON_TYPE,
  isResumable: false,
  idle: NEWLINE,
  initial: (objects) => objects.map((bytes) => Buffer.concat([...jsonOfInitial(bytes), NEWLINE])),
  changes: jsonLines,
  bookmark: (object) => Buffer.from(`${formatLine('BOOKMARK', object)}\n`),
  error: (status) => Buffer.from(`${formatLine('ERROR', status)}\n`),
  position: () => [],
};

/** Each object is a table of one row; the first table defines the columns. */
function tableLines(table: TableShape): WatchFormat {
  let isFirst = true;
  const lineWith = (type: string, make: (hasColumns: boolean) => Buffer): Buffer => {
    const object = make(isFirst);
    isFirst = false;
    return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, CLOSE, NEWLINE]);
  };
  const line = (type: string, bytes: Buffer): Buffer =>
    lineWith(type, (hasColumns) => table.one(bytes, hasColumns));
  return {
    ...JSON_LINES,
    initial: (objects) => objects.map((bytes) => line('ADDED', bytes)),
    changes: (events) => events.map(({ type, bytes }) => line(type, bytes)),
    bookmark: (object) => lineWith('BOOKMARK', (hasColumns) => table.bookmark(object, hasColumns)),
  };
}

function metadataLines(shape: MetadataShape): WatchFormat {
  const line = ({ type, bytes }: Pick<ObjectEvent, 'type' | 'bytes'>): Buffer =>
    Buffer.concat([...getJson({ type, bytes: shape.one(bytes) }), NEWLINE]);
  return {
    ...JSON_LINES,
    initial: (objects) => objects.map((bytes) => line({ type: 'ADDED', bytes })),
    changes: (events) => events.map(line),
    bookmark: (object) => JSON_LINES.bookmark(shape.bookmark(object)),
  };
}

const DATA = Buffer.from('data: ');
const END = Buffer.from('\n\n');
const eventBlocks = shared((event) => getBlock(event.revision, getJson(event)));

/**
 * Server-sent events (WHATWG HTML, section 9.2): `id` is a revision from which the client can resume, `data` the same
 * JSON as in other formats. The `event` field is not used, so that `onmessage` receives all of them.
 */
const SERVER_SENT_EVENTS: WatchFormat = {
  contentType: EVENTS_TYPE,
  isResumable: true,
  idle: Buffer.from(':\n\n'),
  initial(objects, isWhole) {
    // A client that resumes within a part would miss the rest, so there the id is left out.
    if (!isWhole) return objects.map((bytes) => Buffer.concat([DATA, ...jsonOfInitial(bytes), END]));
    return objects.map((bytes) => Buffer.concat(getBlock(getRevision(bytes), jsonOfInitial(bytes))));
  },
  changes: eventBlocks,
  bookmark: (object) =>
    Buffer.from(`id: ${object.metadata.resourceVersion}\ndata: ${formatLine('BOOKMARK', object)}\n\n`),
  error: (status) => Buffer.from(`data: ${formatLine('ERROR', status)}\n\n`),
  // A block without data is not an event, but its id counts.
  position: (revision) => [Buffer.from(`id: ${revision}\n\n`)],
};

function getBlock(revision: number, json: readonly Buffer[]): readonly Buffer[] {
  return [Buffer.from(`id: ${revision}\n`), DATA, ...json, END];
}

function getRevision(bytes: Buffer): number {
  return Number(parseObject(bytes).metadata.resourceVersion);
}
