import type { IncomingMessage } from 'node:http';
import { badRequest } from '../../errors.js';
import { parsingJson } from '../../lib/json/json.js';
import { Yielder } from '../../lib/work/yield.js';
import type { Converter } from '../answer/converter.js';
import type { Guard } from '../guards/guard.js';
import { unsupported, type BodyFormat } from '../answer/media.js';
import { isWrite } from '../guards/methods.js';

/** Parsing that many takes some seconds, in which nothing else runs. */
const MEMBERS_MAX = 4_000_000;

/** True when a request has a body, which may be empty when its length is not known in advance. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Refuses writes of pages with a body without a type. Pages of any server can make a browser send such a body without
 * a preflight request, and guessing its type would help them. A browser sends one of the checked headers with it.
 */
export const typeRequired: Guard = (req) =>
  isWrite(req.method) && hasBody(req) && isOfPage(req) && (req.headers['content-type'] ?? '').trim() === ''
    ? unsupported('a body without a Content-Type', 'the body with that header')
    : undefined;

function isOfPage({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
}

/**
 * Parses a body. Other requests run while a large one is parsed.
 * @param converter parses long YAML
 * @throws ServiceError `BadRequest` for an empty or malformed body, `RequestEntityTooLarge` for too many members
 */
export async function parseBody(bytes: Buffer, format: BodyFormat, converter: Converter): Promise<unknown> {
  if (bytes.length === 0) throw badRequest('the body is empty');
  if (typeof format === 'function') return format(bytes);
  return format === 'json'
    ? new Yielder().run(parsingJson(bytes, { membersMax: MEMBERS_MAX }))
    : converter.parseYaml(bytes);
}
