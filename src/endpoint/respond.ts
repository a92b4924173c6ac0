import type { EndpointResponse } from './route.js';

/**
 * An answer made by {@link respond}. Only instances of it (and the web's `Response`) are taken for answers with a
 * status: a plain object with a member `status` is a value, as every model object has one.
 */
export class EndpointAnswer implements EndpointResponse {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/**
 * An answer with a status and headers: `return respond(201, person, { Location: path })`.
 * @param status 200 to 599
 * @param body sent as JSON; a stream or bytes as they are, as is a text for which `headers` has a `Content-Type`;
 *   undefined: no body
 * @throws TypeError when the status is no such number
 */
export function respond(
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): EndpointAnswer {
  if (Number.isInteger(status) && status >= 200 && status <= 599)
    return new EndpointAnswer(status, body, headers);
  throw new TypeError(`respond: the status must be an integer from 200 to 599, got ${String(status)}`);
}
