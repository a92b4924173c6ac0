import type { ServerResponse } from 'node:http';

/** Browsers use the declared type of an answer, without guessing it from the content (WHATWG Fetch). */
const NOSNIFF = 'X-Content-Type-Options';
/** Only pages of the service itself may load the answer (WHATWG Fetch). Requests in CORS mode have separate rules. */
const RESOURCE_POLICY = 'Cross-Origin-Resource-Policy';
/** No page may frame the answer. Pages have their own, stricter policies. */
const CONTENT_POLICY = 'Content-Security-Policy';

/** Default headers for browsers, on every answer that does not set its own. */
export const BROWSER_HEADERS: Readonly<Record<string, string>> = {
  [NOSNIFF]: 'nosniff',
  [RESOURCE_POLICY]: 'same-origin',
  [CONTENT_POLICY]: "frame-ancestors 'none'",
};

const ENTRIES = Object.entries(BROWSER_HEADERS);

/** Sets the headers on an answer whose head was not sent, except those that are already set. */
export function setBrowserHeaders(res: ServerResponse): void {
  for (const [name, value] of ENTRIES) if (!res.hasHeader(name)) res.setHeader(name, value);
}

/** True for a head that is a list of names and values and begins with these headers, as those of objects and lists. */
export function hasBrowserHeaders(head: object | undefined): boolean {
  return (
    Array.isArray(head) && head[0] === NOSNIFF && head[2] === RESOURCE_POLICY && head[4] === CONTENT_POLICY
  );
}

/** Browsers use only TLS for a year (RFC 6797). */
const TRANSPORT = 'max-age=31536000';
/** For any port: on a developer's machine, other servers use plain HTTP under this name. */
const LOCAL = /^(?:.+\.)?localhost\.?(?::\d+)?$/i;

/** Makes browsers use TLS from now on. They ignore it for addresses without a name. */
export function requireTls(res: ServerResponse): void {
  if (!LOCAL.test(res.req.headers.host ?? '')) res.setHeader('Strict-Transport-Security', TRANSPORT);
}
