import type { ServerResponse } from 'node:http';

/** Browsers take an answer for what its type says, and not for what it looks like (WHATWG Fetch). */
const NOSNIFF = 'X-Content-Type-Options';
/** Only pages of the service itself may load the answer (WHATWG Fetch). Requests in CORS mode have rules of their own. */
const RESOURCE_POLICY = 'Cross-Origin-Resource-Policy';
/** No page may frame the answer. Pages have policies of their own, which say more. */
const CONTENT_POLICY = 'Content-Security-Policy';

/** Default headers for browsers, on every answer that does not set its own. */
export const BROWSER_HEADERS: Readonly<Record<string, string>> = {
  [NOSNIFF]: 'nosniff',
  [RESOURCE_POLICY]: 'same-origin',
  [CONTENT_POLICY]: "frame-ancestors 'none'",
};

const ENTRIES = Object.entries(BROWSER_HEADERS);

/** Says it of an answer whose head has not been sent, but for what is said already. */
export function setBrowserHeaders(res: ServerResponse): void {
  for (const [name, value] of ENTRIES) if (!res.hasHeader(name)) res.setHeader(name, value);
}

/** Whether the head of an answer has these headers: those of objects and lists are made with them. */
export function hasBrowserHeaders(headers: object | undefined): boolean {
  return (
    headers !== undefined && NOSNIFF in headers && RESOURCE_POLICY in headers && CONTENT_POLICY in headers
  );
}

/** Browsers come back with TLS alone for a year (RFC 6797). */
const TRANSPORT = 'max-age=31536000';
/** Whatever port: on the machine of a developer, others speak plain HTTP under this name. */
const LOCAL = /^(?:.+\.)?localhost\.?(?::\d+)?$/i;

/** Has browsers use TLS from now on. For addresses without a name they take no notice of it. */
export function requireTls(res: ServerResponse): void {
  if (!LOCAL.test(res.req.headers.host ?? '')) res.setHeader('Strict-Transport-Security', TRANSPORT);
}
