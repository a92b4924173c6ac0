import type { IncomingMessage } from 'node:http';
import { getApiVersion, type Resource } from '../../model/resource.js';
import type { BookmarkObject } from '../../service/verbs.js';
import { parseObject } from '../../store/object-record.js';
import { shapeNegotiation, type AcceptedShape } from '../kube/accept.js';

const API_VERSION = 'meta.k8s.io/v1';
const TYPE = { group: 'meta.k8s.io', versions: ['v1'] };
/** Of an object, and of the events of a watch. */
export const OBJECT_METADATA: AcceptedShape = { ...TYPE, kind: 'PartialObjectMetadata' };
const LIST_METADATA: AcceptedShape = { ...TYPE, kind: 'PartialObjectMetadataList' };

const wantsObjects = shapeNegotiation(OBJECT_METADATA);
const wantsLists = shapeNegotiation(LIST_METADATA);

const BEGIN = Buffer.from(`{"kind":"${OBJECT_METADATA.kind}","apiVersion":"${API_VERSION}","metadata":`);
const END = Buffer.from('}');

const shapes = new WeakMap<Resource, MetadataShape>();

/** The metadata that a client requests instead of a list; undefined when it wants objects. */
export function metadataOfListFor(
  { headers }: Pick<IncomingMessage, 'headers'>,
  resource: Resource,
): MetadataShape | undefined {
  return wantsLists(headers.accept) === undefined ? undefined : shapeOf(resource);
}

/** The metadata that a client requests instead of an object, or of the objects of a watch. */
export function metadataFor(
  { headers }: Pick<IncomingMessage, 'headers'>,
  resource: Resource,
): MetadataShape | undefined {
  return wantsObjects(headers.accept) === undefined ? undefined : shapeOf(resource);
}

function shapeOf(resource: Resource): MetadataShape {
  const shape = shapes.get(resource) ?? new MetadataShape(resource);
  shapes.set(resource, shape);
  return shape;
}

/** Objects of a model as `PartialObjectMetadata` (meta.k8s.io). */
export class MetadataShape {
  /** The start of most stored objects. */
  readonly #before: Buffer;

  constructor(resource: Resource) {
    const { kind } = resource;
    const start = JSON.stringify({ apiVersion: getApiVersion(resource), kind }).slice(0, -1);
    this.#before = Buffer.from(`${start},"metadata":`);
  }

  /** The members of a list except its items. */
  head(head: object): object {
    return { ...head, apiVersion: API_VERSION, kind: LIST_METADATA.kind };
  }

  /** The parts of the JSON of an object. They are valid as long as the bytes. */
  parts(json: Buffer): readonly Buffer[] {
    return [BEGIN, this.#metadata(json), END];
  }

  one(json: Buffer): Buffer {
    return Buffer.concat(this.parts(json));
  }

  bookmark({ metadata }: BookmarkObject): BookmarkObject {
    return { kind: OBJECT_METADATA.kind, apiVersion: API_VERSION, metadata };
  }

  #metadata(json: Buffer): Buffer {
    const from = this.#before.length;
    if (json.compare(this.#before, 0, from, 0, from) !== 0)
      return Buffer.from(JSON.stringify(parseObject(json).metadata));
    return json.subarray(from, endOfValue(json, from));
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN, CLOSE] = [0x7b, 0x7d];

/** The end of the object that begins at a position of well-formed JSON. */
function endOfValue(json: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfText(json, at);
    else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE && --depth === 0) return at + 1;
  }
  return json.length;
}

/** The position of the quote that ends the text that begins with the one at `from`. */
function endOfText(json: Buffer, from: number): number {
  let at = json.indexOf(QUOTE, from + 1);
  while (at > 0 && isEscaped(json, at)) at = json.indexOf(QUOTE, at + 1);
  return at < 0 ? json.length : at;
}

function isEscaped(json: Buffer, at: number): boolean {
  let count = 0;
  while (json[at - 1 - count] === BACKSLASH) count += 1;
  return count % 2 === 1;
}
