import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { notFound } from '../../errors.js';
import type { Models } from '../../service/models.js';
import {
  aggregatedCore,
  aggregatedGroups,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  type ServedKind,
} from '../platform/discovery.js';
import { withStoredModels, type PlatformHandler, type PlatformEndpoint } from '../platform/endpoint.js';
import { shapeNegotiation, shapeType, type AcceptedShape } from './accept.js';
import { REVIEW_KINDS } from './reviews.js';
import { alwaysWarn, sendAs, sendValue } from '../answer/respond.js';
import type { Platform } from '../platform/platform.js';

/** All models in one answer, which saves clients a request for each group and version. */
const AGGREGATED: AcceptedShape = {
  kind: 'APIGroupDiscoveryList',
  group: 'apidiscovery.k8s.io',
  versions: ['v2', 'v2beta1'],
};
const aggregatedVersion = shapeNegotiation(AGGREGATED);

function kinds(models: Models): readonly ServedKind[] {
  return [...models.list(), ...REVIEW_KINDS];
}

/** The discovery of Kubernetes clients: groups, versions and models. */
export const DISCOVERY: readonly PlatformEndpoint[] = [
  discovery('/api', ({ models }) => (req, res) => {
    const aggregated = (version: string): object => aggregatedCore(kinds(models), version);
    sendEither(req, res, aggregated, () => apiVersions(kinds(models)));
  }),
  discovery('/apis', ({ models }) => (req, res) => {
    const aggregated = (version: string): object => aggregatedGroups(kinds(models), version);
    sendEither(req, res, aggregated, () => apiGroupList(kinds(models)));
  }),
  documents('/api/:version', ({ models }, { version }) => apiResourceList(kinds(models), '', version)),
  documents('/apis/:group', ({ models }, { group }) => apiGroup(kinds(models), group)),
  documents('/apis/:group/:version', ({ models }, { group, version }) =>
    apiResourceList(kinds(models), group, version),
  ),
];

function discovery(path: string, handler: (platform: Platform) => PlatformHandler): PlatformEndpoint {
  return {
    method: 'GET',
    path,
    warn: alwaysWarn,
    handler: (platform) => withStoredModels(platform.models, handler(platform)),
  };
}

/** @param find returns undefined when no model of the path is served */
function documents(
  path: string,
  find: (platform: Platform, place: { group: string; version: string }) => object | undefined,
): PlatformEndpoint {
  return discovery(path, (platform) => (req: Request, res) => {
    const { group = '', version = '' } = req.params;
    sendFound(req, res, find(platform, { group: String(group), version: String(version) }));
  });
}

function sendFound(req: IncomingMessage, res: ServerResponse, document: object | undefined): void {
  if (document === undefined) throw notFound('no model of this group and version is served');
  sendValue(res, 200, document);
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
    sendValue(res, 200, ordinary());
    return;
  }
  // Clients distinguish the forms by the type of the answer.
  const body = Buffer.from(JSON.stringify(aggregated(version)));
  sendAs(res, 200, { format: 'json', body }, { 'Content-Type': shapeType(AGGREGATED, version) });
}
