import type { IncomingMessage, ServerResponse } from 'node:http';
import { formatYaml } from '../../lib/json/yaml.js';
import { isKnown } from '../answer/entity-tag.js';
import { CONTENT_TYPE, formatFor } from '../answer/respond.js';

/** A document that is sent repeatedly. */
export interface TaggedDocument {
  /** A strong entity tag of its JSON, without quotes. */
  readonly tag: string;
  json(): Buffer;
  /** Absent: YAML is created from the JSON each time. */
  yaml?(): Buffer;
}

export interface TaggedOptions {
  /** True when the URL names this exact state, so that clients may cache it permanently. */
  readonly isImmutable?: boolean;
}

const YEAR_SECONDS = 31_536_000;

/**
 * Sends a document as JSON, or as YAML to a client that prefers it; 304 to a client that already has it (RFC 9110).
 */
export function sendTagged(
  req: IncomingMessage,
  res: ServerResponse,
  document: TaggedDocument,
  { isImmutable = false }: TaggedOptions = {},
): void {
  const format = formatFor(req);
  const tag = `"${document.tag}${format === 'yaml' ? '-yaml' : ''}"`;
  const headers = {
    ETag: tag,
    Vary: 'Accept, Origin',
    'Cache-Control': isImmutable ? `public, immutable, max-age=${YEAR_SECONDS}` : 'private, no-cache',
  };
  if (isKnown(req, tag)) {
    res.writeHead(304, headers).end();
    return;
  }
  const body = format === 'json' ? document.json() : toYaml(document);
  res.writeHead(200, { ...headers, 'Content-Type': CONTENT_TYPE[format], 'Content-Length': body.length });
  res.end(req.method === 'HEAD' ? undefined : body);
}

function toYaml(document: TaggedDocument): Buffer {
  return document.yaml?.() ?? Buffer.from(formatYaml(JSON.parse(document.json().toString())));
}
