import { negotiation } from '../answer/accept.js';
import { sendTagged } from '../docs/send.js';
import { withStoredModels, type PlatformEndpoint } from '../platform/endpoint.js';

const ASKED = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const CONTENT_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** Field 1, `swagger`, of the message `Document`: the string `2.0`. */
const DOCUMENT = Buffer.from([0x0a, 0x03, 0x32, 0x2e, 0x30]);

const isAsked = negotiation([
  ['application/json', false],
  [ASKED, true],
]);

/**
 * In JSON, the document of all models. In protobuf, a document without types, for kubectl: up to 1.28 it reads one before it
 * sends any object, and later versions read it for files with a `List`. So kubectl validates nothing itself, and the service
 * validates the objects.
 */
export const OPENAPI_V2: PlatformEndpoint = {
  method: 'GET',
  path: '/openapi/v2',
  handler: ({ models, swagger }) =>
    withStoredModels(models, (req, res) => {
      if (!isAsked(req.headers.accept)) {
        sendTagged(req, res, swagger.document(models.list()));
        return;
      }
      res.writeHead(200, { 'Content-Type': CONTENT_TYPE, 'Content-Length': DOCUMENT.length });
      res.end(req.method === 'HEAD' ? undefined : DOCUMENT);
    }),
};
