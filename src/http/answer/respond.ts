import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { preferredLanguage, type Language } from '../../endpoint/language.js';
import { areTranslatable, translateError } from '../../endpoint/messages.js';
import { RequestBodyValidationError } from '../../endpoint/validate-body.js';
import { getMessage, ServiceError } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import { mapMaybe, type MaybePromise } from '../../lib/work/maybe-promise.js';
import { formatYaml } from '../../lib/json/yaml.js';
import { hasBody } from '../body/body.js';
import { BROWSER_HEADERS } from '../guards/browser-headers.js';
import type { Converter } from './converter.js';
import { objectTag } from './entity-tag.js';
import { preferredFormat, type Format } from './media.js';
import { HTTP_STATUS, getStatus } from './status.js';

export const CONTENT_TYPE: Readonly<Record<Format, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
};

/** What caches are told of every answer of the API: it is one person's, and to be asked for again each time. */
const CACHE_CONTROL = 'private, no-cache';

/** What an answer says besides what it is, unless somebody has said so already. */
export function cacheHeaders(res: ServerResponse): Record<string, string> {
  const vary = res.getHeader('Vary');
  const headers: Record<string, string> = { Vary: vary === undefined ? 'Accept' : `Accept, ${String(vary)}` };
  if (!res.hasHeader('Cache-Control')) headers['Cache-Control'] = CACHE_CONTROL;
  return headers;
}

export type Headers = Readonly<Record<string, string | string[]>>;

export function formatFor(req: IncomingMessage): Format {
  return preferredFormat(req.headers.accept);
}

/** Sends bytes that are JSON already; only a client that wants YAML makes them be parsed. */
export function sendBytes(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  json: Buffer,
  headers: Headers = {},
): void {
  const format = formatFor(req);
  const body = format === 'json' ? json : Buffer.from(formatYaml(JSON.parse(json.toString())));
  sendAs(req, res, status, { format, body }, headers);
}

/** An answer, and who writes it as YAML when it is long. */
export interface StoredAnswer {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly converter: Converter;
}

/** What is told of an object besides itself. */
export interface StoredHead {
  readonly revision: number | string;
  /** Whether objects are stored in another version than the one that this is sent in. Default: false. */
  readonly isOtherVersion?: boolean;
  readonly headers?: Headers;
}

/** Sends an object as JSON, as it is; only a client that wants YAML makes it be parsed. */
export function sendStored(
  { req, res, converter }: StoredAnswer,
  status: number,
  json: Buffer,
  { revision, isOtherVersion = false, headers: more = {} }: StoredHead,
): MaybePromise<void> {
  const format = formatFor(req);
  const text = format === 'json' ? json : converter.yaml(json);
  const headers = { ETag: objectTag(revision, format, isOtherVersion ? json : undefined), ...more };
  return mapMaybe(text, (body) => sendAs(req, res, status, { format, body }, headers));
}

/** Sends a body as it is. */
export function sendAs(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  { format, body }: { readonly format: Format; readonly body: Buffer },
  headers: Headers = {},
): void {
  const all: Record<string, string | string[] | number> = cacheHeaders(res);
  all['Content-Type'] = CONTENT_TYPE[format];
  Object.assign(all, BROWSER_HEADERS);
  for (const name in headers) all[name] = headers[name] ?? '';
  all['Content-Length'] = body.length;
  res.writeHead(status, all);
  res.end(req.method === 'HEAD' ? undefined : body);
}

export function sendValue(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  value: unknown,
  headers: Headers = {},
): void {
  sendBytes(req, res, status, Buffer.from(JSON.stringify(value)), headers);
}

const closing = new WeakSet<Socket>();

/** Whether a connection had its last answer, although a part of its last request may still come. */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket);
}

/**
 * Answers with the error. What is no `ServiceError` is a defect: the client gets an id, the log has the rest.
 * When the answer has begun already, the connection is cut, so that a torn answer cannot be taken for whole.
 */
export function sendError(req: IncomingMessage, res: ServerResponse, error: unknown, logger: Logger): void {
  const known =
    error instanceof ServiceError && error.code !== 'InternalError' ? error : asInternal(error, logger);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  // What was wrong with the request besides does not matter now, and errors are short.
  res.removeHeader('Warning');
  addWarnings(res, always.get(res) ?? []);
  const { error: told, language } = chooseLanguage(known, req.headers['accept-language']);
  const headers: Record<string, string> = language === undefined ? {} : { 'Content-Language': language };
  const { retryAfterSeconds } = known.details;
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
  // Whoever is refused while still sending must not have the rest read as the next request.
  if (hasBody(req) && !req.complete) {
    headers.Connection = 'close';
    closing.add(req.socket);
  }
  sendValue(req, res, HTTP_STATUS[known.code], getStatus(told), headers);
}

/** Violations of a schema are told in the language that the client likes best; everything else is English. */
function chooseLanguage(
  error: ServiceError,
  header: string | undefined,
): { readonly error: ServiceError; readonly language?: Language } {
  // Its messages were made for this very request.
  if (error instanceof RequestBodyValidationError) return { error, language: error.language };
  if (!areTranslatable(error.details.causes ?? [])) return { error };
  const language = preferredLanguage(header);
  return { error: language === 'en' ? error : translateError(error, language), language };
}

function asInternal(error: unknown, logger: Logger): ServiceError {
  const id = randomUUID();
  logger.error(`request failed: ${getMessage(error)}`, {
    id,
    stack: error instanceof Error ? error.stack : undefined,
  });
  // What is wrong with one object is told with its name.
  const known = error instanceof ServiceError && error.details.name !== undefined ? error : undefined;
  return new ServiceError(
    'InternalError',
    `${known?.message ?? 'internal error'}; see the service log, id ${id}`,
    known?.details,
  );
}

/** At most so many warnings, of so many characters each, fit into headers that every client accepts. */
const WARNINGS_MAX = 20;
const WARNING_LENGTH_MAX = 200;

/** `Warning` headers (RFC 7234, code 299), as Kubernetes clients print them. */
export function warningHeaders(warnings: readonly string[]): Headers {
  if (warnings.length === 0) return {};
  return { Warning: fewWarnings(warnings).map((text) => `299 - "${quoted(text)}"`) };
}

/** Has more warnings sent with whatever the answer is, unless it is an error. */
export function addWarnings(res: ServerResponse, warnings: readonly string[]): void {
  const { Warning: more = [] } = warningHeaders(warnings);
  if (more.length > 0) res.appendHeader('Warning', more);
}

const always = new WeakMap<ServerResponse, readonly string[]>();

/** Has warnings sent with whatever the answer is, also if it is an error. */
export function alwaysWarn(res: ServerResponse, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  always.set(res, warnings);
  addWarnings(res, warnings);
}

/** So many, and so long, that an answer stays short. */
export function fewWarnings(warnings: readonly string[]): string[] {
  const shown = warnings.length > WARNINGS_MAX ? warnings.slice(0, WARNINGS_MAX - 1) : warnings;
  const more = warnings.length - shown.length;
  const all = more === 0 ? shown : [...shown, `${more} more warnings`];
  return all.map((text) => text.slice(0, WARNING_LENGTH_MAX));
}

/** In UTF-8, as Kubernetes sends it: Node writes a character a byte. */
function quoted(text: string): string {
  const escaped = text.replace(/\p{Cc}/gu, '?').replace(/["\\]/g, '\\$&');
  return Buffer.from(escaped).toString('latin1');
}
