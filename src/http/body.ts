import type { IncomingMessage } from 'node:http';
import { badRequest, ServiceError } from '../errors.js';
import { formatSize } from '../lib/duration.js';
import { parseJson } from '../lib/json.js';
import { parseYaml } from '../lib/yaml.js';
import { unsupported, type Format } from './media.js';

/**
 * Reads a request's whole body.
 * @throws ServiceError `RequestEntityTooLarge` as soon as the limit is passed, `BadRequest` when the client
 * breaks off, `UnsupportedMediaType` for a compressed body
 */
export async function readBody(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw unsupported(`content encoding ${encoding}`, 'the body as it is');
  }
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > bytesMax) throw tooLarge(bytesMax);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > bytesMax) throw tooLarge(bytesMax);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw badRequest('the request broke off before its body was complete');
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError('RequestEntityTooLarge', `the body is larger than ${formatSize(bytesMax)}`);
}

/** @throws ServiceError `BadRequest` for an empty or malformed body */
export function parseBody(bytes: Buffer, format: Format): unknown {
  if (bytes.length === 0) throw badRequest('the body is empty');
  // An alias in a request is a bomb or a mistake; people who write files by hand use `xsvc apply`.
  return format === 'json' ? parseJson(bytes) : parseYaml(bytes, { maxAliases: 0 });
}
