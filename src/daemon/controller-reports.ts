import type { ControllerManager } from '../controller/manager.js';
import { controllerObject } from '../controller/status.js';
import type { ControllerReports } from '../http/platform/platform.js';
import { resolveResource } from '../model/resolve-resource.js';
import type { Service } from '../service/service.js';
import type { LeaderView } from './leadership.js';

/** The reports of controllers for the HTTP folder. */
export function controllerReports(
  controllers: ControllerManager,
  { models }: Pick<Service, 'models'>,
  leader: () => LeaderView,
): ControllerReports {
  return {
    leader: () => ({ ...leader() }),
    list: () => controllers.list().map(controllerObject),
    about: (resource, name) =>
      controllers
        .getRetries(resolveResource(models.list(), resource), name)
        .map((request) => ({ ...request })),
    measures: () => controllers.measures(),
  };
}
