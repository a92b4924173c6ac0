import type { Express } from 'express';
import { badRequest } from '../../errors.js';
import type { ControllerMeasures } from '../../controller/running-controller.js';
import type { JsonObject } from '../../model/object.js';
import { addGet } from './get-route.js';
import { parseQuery } from '../routes/parameters.js';
import type { Peers } from './peers.js';
import { sendValue } from '../answer/respond.js';
import { splitUrl } from '../routes/route.js';

/** Reports about the controllers of this process. */
export interface ControllerReports {
  /** The one process on the store that runs the controllers. The holder is empty while no process does. */
  leader(): { readonly holder: string; readonly token: number; readonly isSelf: boolean };
  /** One object for each controller, by name. */
  list(): readonly JsonObject[];
  /**
   * The report of each controller of a model about one object: the last error, the next attempt, and the state of the
   * work.
   * @param resource `<plural>.<group>`
   */
  about(resource: string, name: string): readonly JsonObject[];
  /** The outstanding work and durations of each controller, by name. */
  measures(): readonly ControllerMeasures[];
}

/** The path of the controllers. They exist only in memory, so this is not a generated route, and is read-only. */
export const CONTROLLERS_PATH = '/apis/controller.platform.run/v1alpha1/controllers';

const TOPIC = 'controllers';

/** `GET` of all controllers, or with `resource=<plural>.<group>&name=<name>` of their reports about one object. */
export function addControllers(app: Express, reports: ControllerReports, peers?: Peers): void {
  const getList = (search: string): ControllerList => {
    const query = parseQuery(search);
    return {
      apiVersion: 'controller.platform.run/v1alpha1',
      kind: 'ControllerList',
      metadata: {},
      leader: { ...reports.leader() },
      items: getItems(reports, query.resource, query.name),
    };
  };
  peers?.onAsked(TOPIC, (search) => Promise.resolve(JSON.stringify(getList(search))));
  addGet(app, CONTROLLERS_PATH, async (req, res) => {
    const { search } = splitUrl(req.originalUrl);
    const own = getList(search);
    const others = own.leader.isSelf ? [] : ((await peers?.ask(TOPIC, search)) ?? []);
    const lists = [own, ...others.map((text) => JSON.parse(text) as ControllerList)];
    // The process that runs the controllers has the reports.
    sendValue(req, res, 200, lists.find(({ leader }) => leader.isSelf) ?? own);
  });
}

interface ControllerList extends JsonObject {
  readonly leader: { readonly holder: string; readonly token: number; readonly isSelf: boolean };
}

function getItems(reports: ControllerReports, resource: unknown, name: unknown): JsonObject[] {
  if (resource === undefined && name === undefined) return [...reports.list()];
  if (typeof resource !== 'string' || typeof name !== 'string') {
    throw badRequest(
      'resource and name are needed together, each once: ?resource=persons.demo.example.com&name=ann',
    );
  }
  return [...reports.about(resource, name)];
}
