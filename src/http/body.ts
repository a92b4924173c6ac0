import type { IncomingMessage } from 'node:http';
import { badRequest, excerpt, ServiceError } from '../errors.js';
import { formatSize } from '../lib/duration.js';
import { parsingJson } from '../lib/json.js';
import { Breaks } from '../lib/yield.js';
import type { Converter } from './converter.js';
import type { Guard } from './guard.js';
import { unsupported, type Format } from './media.js';
import { isWrite } from './methods.js';

/** Whether a request has a body, which may turn out to be empty when its length is not known before. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Refuses writes with a body of no type. Pages of any server can make a browser send such a body without asking first,
 * and to guess its type would do what they want.
 */
export const typeRequired: Guard = (req) =>
  isWrite(req.method) && hasBody(req) && (req.headers['content-type'] ?? '').trim() === ''
    ? unsupported('a body without a Content-Type', 'the header with it')
    : undefined;

/**
 * Reads a request's whole body.
 * @throws ServiceError `RequestEntityTooLarge` as soon as the limit is passed, `BadRequest` when the client
 * breaks off, `UnsupportedMediaType` for a compressed body
 */
export function readBody(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return Promise.reject(unsupported(`content encoding "${excerpt(encoding)}"`, 'the body as it is'));
  }
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > bytesMax) return Promise.reject(tooLarge(bytesMax));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytesMax) {
        req.pause();
        reject(tooLarge(bytesMax));
      } else chunks.push(chunk);
    });
    const brokenOff = (): void => reject(badRequest('the request broke off before its body was complete'));
    req.once('error', brokenOff);
    req.once('close', brokenOff);
    req.once('end', () => {
      req.off('close', brokenOff);
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
  });
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError('RequestEntityTooLarge', `the body is larger than ${formatSize(bytesMax)}`);
}

/**
 * What a body says. Others are answered while a large one is read.
 * @param converter reads YAML that takes long
 * @throws ServiceError `BadRequest` for an empty or malformed body
 */
export async function parseBody(bytes: Buffer, format: Format, converter: Converter): Promise<unknown> {
  if (bytes.length === 0) throw badRequest('the body is empty');
  return format === 'json' ? new Breaks().run(parsingJson(bytes)) : converter.parseYaml(bytes);
}
