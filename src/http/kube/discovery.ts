import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { notFound } from '../../errors.js';
import type { Models } from '../../service/models.js';
import {
  aggregatedCore,
  aggregatedGroups,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from '../platform/discovery.js';
import { addGet } from '../platform/get-route.js';
import { shapeNegotiation, shapeType, type AcceptedShape } from './accept.js';
import { sendAs, sendValue } from '../answer/respond.js';

/** All models in one answer, which saves clients a request for each group and version. */
const AGGREGATED: AcceptedShape = {
  kind: 'APIGroupDiscoveryList',
  group: 'apidiscovery.k8s.io',
  versions: ['v2', 'v2beta1'],
};
const aggregatedVersion = shapeNegotiation(AGGREGATED);

/** Mounts the discovery of Kubernetes clients: groups, versions and models. */
export function addDiscovery(app: Express, models: Models): void {
  const add = (path: string, handler: Parameters<typeof addGet>[2]): void =>
    addGet(app, path, handler, 'discovery');
  add('/api', (req, res) => sendEither(req, res, aggregatedCore, apiVersions));
  add('/apis', (req, res) =>
    sendEither(
      req,
      res,
      (version) => aggregatedGroups(models.list(), version),
      () => apiGroupList(models.list()),
    ),
  );
  add('/api/:version', (req, res) =>
    sendFound(req, res, apiResourceList(models.list(), '', String(req.params.version))),
  );
  add('/apis/:group', (req, res) => sendFound(req, res, apiGroup(models.list(), String(req.params.group))));
  add('/apis/:group/:version', (req, res) =>
    sendFound(req, res, apiResourceList(models.list(), String(req.params.group), String(req.params.version))),
  );
}

function sendFound(req: IncomingMessage, res: ServerResponse, document: object | undefined): void {
  if (document === undefined) throw notFound('no model of this group and version is served');
  sendValue(req, res, 200, document);
}

/** Sends the aggregated form if the client requests it, otherwise the ordinary one. */
function sendEither(
  req: IncomingMessage,
  res: ServerResponse,
  aggregated: (version: string) => object,
  ordinary: () => object,
): void {
  const version = aggregatedVersion(req.headers.accept);
  if (version === undefined) {
    sendValue(req, res, 200, ordinary());
    return;
  }
  // Clients distinguish the forms by the type of the answer.
  const body = Buffer.from(JSON.stringify(aggregated(version)));
  sendAs(req, res, 200, { format: 'json', body }, { 'Content-Type': shapeType(AGGREGATED, version) });
}
