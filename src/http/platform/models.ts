import type { Express } from 'express';
import { badRequest, formatExcerpt } from '../../errors.js';
import type { Service } from '../../service/service.js';
import type { Models } from '../../service/models.js';
import type { AccessGuard } from '../guards/access-guard.js';
import { addGet } from './get-route.js';
import { unknownParameters } from '../routes/known-parameters.js';
import { parseQuery, single } from '../routes/parameters.js';
import { addWarnings, sendValue } from '../answer/respond.js';
import { splitUrl } from '../routes/route.js';
import type { Startup } from '../guards/startup.js';

/** The path of the served models as data, which the command line needs from a remote service. */
export const MODELS_PATH = '/apis/api.platform.run/v1alpha1/models';

interface ModelsOptions {
  readonly service: Service;
  readonly models: Models;
  /** Undefined when everything is served at once. */
  readonly startup?: Startup;
}

/** Metadata of the list itself. */
interface ListHead {
  /** False while plugins start for the first time: models may be missing. */
  readonly complete: boolean;
  /** The plugins that are starting, or wait to start. */
  readonly starting?: readonly string[];
}

/**
 * `GET` of the served models. With `changedAfter=<revision>` it returns only models that the sender may list and
 * whose objects changed after it, each with the revision of its last change. While plugins start, the list is marked
 * as incomplete.
 */
export function addModels(
  app: Express,
  { service, models, startup }: ModelsOptions,
  guard: AccessGuard | undefined,
): void {
  addGet(app, MODELS_PATH, async (req, res) => {
    const query = parseQuery(splitUrl(req.originalUrl).search);
    addWarnings(res, unknownParameters(query, 'models'));
    const after = single(query, 'changedAfter');
    const list = { apiVersion: 'api.platform.run/v1alpha1', kind: 'ModelList' };
    if (after === undefined) {
      sendValue(req, res, 200, { ...list, metadata: getHead(startup), items: models.list() });
      return;
    }
    const changed = await service.changedModels(getRevision(after));
    const items = changed.models
      .filter(({ resource }) => guard?.mayList(req, resource) ?? true)
      .map(({ resource, revision }) => ({ ...resource, lastChange: String(revision) }));
    const metadata = { resourceVersion: String(changed.revision), ...getHead(startup) };
    sendValue(req, res, 200, { ...list, metadata, items });
  });
}

function getHead(startup: Startup | undefined): ListHead {
  return startup?.isOver === false ? { complete: false, starting: startup.left() } : { complete: true };
}

function getRevision(text: string): number {
  const revision = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(revision)) return revision;
  throw badRequest(
    `changedAfter: "${formatExcerpt(text)}" is not a revision; use metadata.resourceVersion of a list`,
  );
}
