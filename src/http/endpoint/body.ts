import type { IncomingMessage } from 'node:http';
import { hasBody, parseBody } from '../body/body.js';
import type { BodyReader } from '../body/body-reader.js';
import type { Converter } from '../answer/converter.js';

/** A body without a type is JSON. */
const PARSED_TYPES = new Set(['', 'application/json', 'application/yaml', 'text/yaml', 'application/x-yaml']);

export interface BodyOptions {
  readonly bodies: BodyReader;
  /** Parses long YAML. */
  readonly converter: Converter;
}

/**
 * The parsed body of a request for a custom endpoint: JSON (also `application/<x>+json`) or YAML, as for generated
 * routes. Undefined without a body, or for another type; then the body is not read, and the handler may read it from
 * the request.
 * @throws ServiceError `BadRequest`, `RequestEntityTooLarge`, `UnsupportedMediaType`
 */
export async function readEndpointBody(
  req: IncomingMessage,
  { bodies, converter }: BodyOptions,
): Promise<unknown> {
  const type = req.headers['content-type'];
  if (!hasBody(req)) return undefined;
  const essence = (type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isPatch = /^application\/[\w.-]+\+json$/.test(essence);
  if (!isPatch && !PARSED_TYPES.has(essence)) return undefined;
  const format = isPatch ? 'json' : bodies.formatOf(req);
  const bytes = await bodies.read(req);
  return bytes.length === 0 ? undefined : parseBody(bytes, format, converter);
}
