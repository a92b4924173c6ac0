import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request } from 'express';
import { preferredLanguage, type Language } from '../../endpoint/language.js';
import { areTranslatable, translateError, TranslatedError } from '../../endpoint/messages.js';
import { getMessage, HTTP_STATUS, ServiceError } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import { mapMaybe, type MaybePromise } from '../../lib/work/maybe-promise.js';
import { formatYaml } from '../../lib/json/yaml.js';
import { hasBody } from '../body/body.js';
import { BROWSER_HEADERS } from '../guards/browser-headers.js';
import type { Converter } from './converter.js';
import { preferredFormat, type Format } from './media.js';
import { getStatus } from './status.js';
import { endWithTurn } from './turn.js';

export const CONTENT_TYPE: Readonly<Record<Format, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
};

/** Cache policy of all API answers: they are private, and must be revalidated each time. */
const CACHE_CONTROL = 'private, no-cache';

/** Headers about caching, except those that are already set. */
export function cacheHeaders(res: ServerResponse): Record<string, string> {
  const headers: Record<string, string> = { Vary: getVary(res) };
  if (!res.hasHeader('Cache-Control')) headers['Cache-Control'] = CACHE_CONTROL;
  return headers;
}

function getVary(res: ServerResponse): string {
  const vary = res.getHeader('Vary');
  return vary === undefined ? 'Accept' : `Accept, ${String(vary)}`;
}

/** Marks an answer as one in the language that `Accept-Language` chose. */
export function setLanguage(res: ServerResponse, language: string): void {
  const vary = String(res.getHeader('Vary') ?? '');
  if (!vary.includes('Accept-Language'))
    res.setHeader('Vary', vary === '' ? 'Accept-Language' : `${vary}, Accept-Language`);
  res.setHeader('Content-Language', language);
}

const gzipped = promisify(gzip);

export type Headers = Readonly<Record<string, string | string[]>>;

export function formatFor(req: IncomingMessage): Format {
  return preferredFormat(req.headers.accept);
}

/** Sends JSON bytes; they are parsed only for a client that prefers YAML. */
export function sendBytes(res: ServerResponse, status: number, json: Buffer, headers: Headers = {}): void {
  const format = formatFor(res.req);
  const body = format === 'json' ? json : Buffer.from(formatYaml(JSON.parse(json.toString())));
  sendAs(res, status, { format, body }, headers);
}

/** An answer, with the converter for long YAML. */
export interface StoredAnswer {
  readonly res: ServerResponse;
  readonly converter: Converter;
}

/** Metadata for the head of an object's answer. */
export interface StoredHead {
  readonly format: Format;
  /** The entity tag. */
  readonly tag: string;
  readonly headers?: Headers;
}

/** Sends JSON of an object unchanged; it is parsed only for a client that prefers YAML. */
export function sendStored(
  { res, converter }: StoredAnswer,
  status: number,
  json: Buffer,
  { format, tag, headers }: StoredHead,
): MaybePromise<void> {
  const all = headers === undefined ? { ETag: tag } : { ETag: tag, ...headers };
  const text = format === 'json' ? json : converter.yaml(json);
  return mapMaybe(text, (body) => sendWithTurn(res, status, { format, body }, all));
}

const FIRST_HEADS = [...Object.entries(BROWSER_HEADERS).flat(), 'Content-Length', ''];
const LENGTH_AT = FIRST_HEADS.length - 1;
/** Headers that {@link writeHead} sets itself; others may replace all but the length. */
const DEFAULTS: ReadonlySet<string> = new Set([
  ...Object.keys(BROWSER_HEADERS),
  'Vary',
  'Cache-Control',
  'Content-Type',
  'Content-Length',
]);

interface Body {
  readonly format: Format;
  readonly body: Buffer;
}

export function sendNotModified(res: ServerResponse, tag: string): void {
  res.writeHead(304, { ...cacheHeaders(res), ETag: tag }).end();
}

/** Sends a body unchanged. */
export function sendAs(res: ServerResponse, status: number, { format, body }: Body, headers?: Headers): void {
  writeHead(res, status, { format, body }, headers);
  res.end(res.req.method === 'HEAD' ? undefined : body);
}

/** Like {@link sendAs}, together with other answers. Only for answers after which nothing writes to `res`. */
export function sendWithTurn(
  res: ServerResponse,
  status: number,
  { format, body }: Body,
  headers?: Headers,
): void {
  writeHead(res, status, { format, body }, headers);
  endWithTurn(res, res.req.method === 'HEAD' ? undefined : body);
}

/** The head is a list of names and values, which node writes faster than an object. */
function writeHead(res: ServerResponse, status: number, { format, body }: Body, headers: Headers = {}): void {
  const head: OutgoingHttpHeader[] = FIRST_HEADS.slice();
  head.push('Vary', getVary(res));
  if (!res.hasHeader('Cache-Control')) head.push('Cache-Control', CACHE_CONTROL);
  head.push('Content-Type', CONTENT_TYPE[format]);
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (DEFAULTS.has(name) && head.includes(name)) head[head.indexOf(name) + 1] = value;
    else head.push(name, value);
  }
  head[LENGTH_AT] = body.length;
  res.writeHead(status, head);
}

export function sendValue(res: ServerResponse, status: number, value: unknown, headers: Headers = {}): void {
  sendBytes(res, status, Buffer.from(JSON.stringify(value)), headers);
}

/** Sends a value of many kilobytes, compressed for clients that accept this. */
export async function sendLarge(req: Request, res: ServerResponse, value: unknown): Promise<void> {
  const json = Buffer.from(JSON.stringify(value));
  const headers = { Vary: `${getVary(res)}, Accept-Encoding` };
  const isZipped = formatFor(req) === 'json' && req.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (!isZipped) sendBytes(res, 200, json, headers);
  else
    sendAs(
      res,
      200,
      { format: 'json', body: await gzipped(json) },
      { ...headers, 'Content-Encoding': 'gzip' },
    );
}

const closing = new WeakSet<Socket>();

/** True after the last answer on a connection, although a part of its last request may still arrive. */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket);
}

/**
 * Answers with an error. Any error other than a `ServiceError` is a defect: the client gets an id, and the log has
 * the details. When the answer has already begun, the connection is cut, so that an incomplete answer cannot pass for
 * a complete one.
 */
export function sendError(req: IncomingMessage, res: ServerResponse, error: unknown, logger: Logger): void {
  const known =
    error instanceof ServiceError && error.code !== 'InternalError' ? error : asInternal(error, logger);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  // Earlier warnings about the request no longer matter, and errors are short.
  res.removeHeader('Warning');
  res.removeHeader('ETag');
  addWarnings(res, always.get(res) ?? []);
  const { error: translated, language } = chooseLanguage(known, req.headers['accept-language']);
  if (language !== undefined) setLanguage(res, language);
  const headers: Record<string, string> = {};
  const { retryAfterSeconds } = known.details;
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
  // The rest of a refused body must not be parsed as the next request.
  if (hasBody(req) && !req.complete) {
    headers.Connection = 'close';
    closing.add(req.socket);
  }
  sendValue(res, HTTP_STATUS[known.code], getStatus(translated), headers);
}

/** Violations of a schema are translated to the client's preferred language; all other errors are in English. */
function chooseLanguage(
  error: ServiceError,
  header: string | undefined,
): { readonly error: ServiceError; readonly language?: Language } {
  if (error instanceof TranslatedError) return { error, language: error.language };
  if (!areTranslatable(error.details.causes ?? [])) return { error };
  const language = preferredLanguage(header);
  return { error: language === 'en' ? error : translateError(error, language), language };
}

/** The error for the client of a defect, which is logged. */
export function asInternal(error: unknown, logger: Logger): ServiceError {
  const id = randomUUID();
  logger.error(`request failed: ${getMessage(error)}`, {
    id,
    stack: error instanceof Error ? error.stack : undefined,
  });
  // An error about a named object is returned to the client.
  const known = error instanceof ServiceError && error.details.name !== undefined ? error : undefined;
  return new ServiceError(
    'InternalError',
    `${known?.message ?? 'internal error'}; see the service log, id ${id}`,
    known?.details,
  );
}

/** Limits of warnings, in number and characters, so that the headers fit for every client. */
const WARNINGS_MAX = 20;
const WARNING_LENGTH_MAX = 200;

/** `Warning` headers (RFC 7234, code 299), as Kubernetes clients print them. */
export function warningHeaders(warnings: readonly string[]): Headers {
  if (warnings.length === 0) return {};
  return { Warning: fewWarnings(warnings).map((text) => `299 - "${quoted(text)}"`) };
}

/** Adds warnings to any answer except an error. */
export function addWarnings(res: ServerResponse, warnings: readonly string[]): void {
  const { Warning: more = [] } = warningHeaders(warnings);
  if (more.length > 0) res.appendHeader('Warning', more);
}

const always = new WeakMap<ServerResponse, readonly string[]>();

/** Adds warnings to any answer, including an error. */
export function alwaysWarn(res: ServerResponse, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  always.set(res, [...(always.get(res) ?? []), ...warnings]);
  addWarnings(res, warnings);
}

/** Limits the number and length of warnings, so that the answer stays short. */
export function fewWarnings(warnings: readonly string[]): string[] {
  const shown = warnings.length > WARNINGS_MAX ? warnings.slice(0, WARNINGS_MAX - 1) : warnings;
  const more = warnings.length - shown.length;
  const all = more === 0 ? shown : [...shown, `${more} more warnings`];
  return all.map((text) => text.slice(0, WARNING_LENGTH_MAX));
}

/** Encodes UTF-8 as Kubernetes does: Node writes one byte per character. */
function quoted(text: string): string {
  const escaped = text.replace(/\p{Cc}/gu, '?').replace(/["\\]/g, '\\$&');
  return Buffer.from(escaped).toString('latin1');
}
