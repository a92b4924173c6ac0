import { badRequest, formatExcerpt, ServiceError } from '../../errors.js';
import { messageOf } from '../bodies.js';
import { messageType } from '../message-types.js';
import { MessageReader } from './message-reader.js';
import { BYTES, WireReader } from './wire.js';

/** The content type of such bodies. */
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/** Each body begins with it. */
const MAGIC = Buffer.from('k8s\0');

/** Tags of the fields of runtime.Unknown. */
const TYPE_META = (1 << 3) | BYTES;
const RAW = (2 << 3) | BYTES;
const CONTENT_ENCODING = (3 << 3) | BYTES;
const CONTENT_TYPE = (4 << 3) | BYTES;
/** Tags of the fields of runtime.TypeMeta. */
const API_VERSION = (1 << 3) | BYTES;
const KIND = (2 << 3) | BYTES;

/** The object, and its names, out of the message runtime.Unknown around it. */
interface Envelope {
  apiVersion: string;
  kind: string;
  raw: Buffer;
}

/**
 * Reads the body of a Kubernetes client in protobuf as the value that it has in JSON. Values that JSON leaves out when
 * they are empty are left out, fields that are not known are skipped. Integers beyond 2^53 are refused, because JSON
 * would change them.
 * @throws ServiceError `BadRequest` for malformed bytes, `UnsupportedMediaType` for a kind that is not read in protobuf
 */
export function readKubernetesBody(body: Buffer): Readonly<Record<string, unknown>> {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC))
    throw badRequest('the body is not protobuf of Kubernetes: it does not begin with the bytes 6b 38 73 00');
  const { apiVersion, kind, raw } = openEnvelope(body);
  if (kind === '' || apiVersion === '') throw badRequest('the body has no kind, or no apiVersion');
  const message = messageOf(apiVersion, kind);
  if (message === undefined)
    throw unsupported(`protobuf of the kind ${formatExcerpt(kind)} in ${formatExcerpt(apiVersion)}`);
  const wire = new WireReader(raw, raw.byteOffset - body.byteOffset);
  return new MessageReader(wire).read(messageType(message), 0, { apiVersion, kind });
}

function openEnvelope(body: Buffer): Envelope {
  const envelope: Envelope = { apiVersion: '', kind: '', raw: body.subarray(0, 0) };
  const wire = new WireReader(body.subarray(MAGIC.length), MAGIC.length);
  wire.message = 'runtime.Unknown';
  while (wire.hasMore) {
    const tag = wire.tag();
    if (tag === TYPE_META) readNames(wire, envelope);
    else if (tag === RAW) envelope.raw = wire.part();
    else if (tag === CONTENT_ENCODING) checkEmpty(wire.text(), 'content encoding');
    else if (tag === CONTENT_TYPE) checkEmpty(wire.text(), 'content type');
    else wire.skip(tag & 7);
  }
  return envelope;
}

function readNames(wire: WireReader, envelope: Envelope): void {
  const around = wire.enter();
  while (wire.hasMore) {
    const tag = wire.tag();
    if (tag === API_VERSION) envelope.apiVersion = wire.text();
    else if (tag === KIND) envelope.kind = wire.text();
    else wire.skip(tag & 7);
  }
  wire.leave(around);
}

/** Clients leave both empty: then the object is protobuf as it is. */
function checkEmpty(value: string, name: string): void {
  if (value !== '' && value !== PROTOBUF_TYPE)
    throw unsupported(`an object with the ${name} "${formatExcerpt(value)}" in protobuf`);
}

function unsupported(what: string): ServiceError {
  return new ServiceError('UnsupportedMediaType', `${what} is not accepted; send application/json`);
}
