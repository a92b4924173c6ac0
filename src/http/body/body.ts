import type { IncomingMessage } from 'node:http';
import { badRequest } from '../../errors.js';
import { parsingJson } from '../../lib/json/json.js';
import { Yielder } from '../../lib/work/yield.js';
import type { Converter } from '../answer/converter.js';
import type { Guard } from '../guards/guard.js';
import { unsupported, type Format } from '../answer/media.js';
import { isWrite } from '../guards/methods.js';

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
    ? unsupported('a body without a Content-Type', 'the body with that header')
    : undefined;

/**
 * What a body says. Others are answered while a large one is read.
 * @param converter reads YAML that takes long
 * @throws ServiceError `BadRequest` for an empty or malformed body
 */
export async function parseBody(bytes: Buffer, format: Format, converter: Converter): Promise<unknown> {
  if (bytes.length === 0) throw badRequest('the body is empty');
  return format === 'json' ? new Yielder().run(parsingJson(bytes)) : converter.parseYaml(bytes);
}
