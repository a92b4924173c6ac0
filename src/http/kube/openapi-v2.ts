import { notFound } from '../../errors.js';
import { negotiation } from '../answer/accept.js';
import type { PlatformEndpoint } from '../platform/endpoint.js';

const ASKED = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const CONTENT_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** Field 1, `swagger`, of the message `Document`: the string `2.0`. */
const DOCUMENT = Buffer.from([0x0a, 0x03, 0x32, 0x2e, 0x30]);

const isAsked = negotiation([
  ['application/json', false],
  [ASKED, true],
]);

/**
 * Only for kubectl: up to 1.28 it reads this document before it sends any object, and later versions read it for
 * files with a `List`. The document describes no type, so kubectl validates nothing itself, and the service validates
 * the objects. The real descriptions are OpenAPI 3.
 */
export const OPENAPI_V2: PlatformEndpoint = {
  method: 'GET',
  path: '/openapi/v2',
  handler: () => (req, res) => {
    if (!isAsked(req.headers.accept)) {
      throw notFound('OpenAPI 2 is not supported; see /openapi/v3 and /v3/api-docs');
    }
    res.writeHead(200, { 'Content-Type': CONTENT_TYPE, 'Content-Length': DOCUMENT.length });
    res.end(req.method === 'HEAD' ? undefined : DOCUMENT);
  },
};
