import { badRequest } from '../../errors.js';
import type { JsonObject } from '../../model/object.js';
import { EVERYWHERE } from '../../openapi/common.js';
import { objectAnswer, queryParameter } from '../../openapi/platform.js';
import { anyObject, kindSchema, objectSchema, text } from '../../openapi/schema-parts.js';
import { parseQuery } from '../routes/parameters.js';
import { sendValue } from '../answer/respond.js';
import { splitUrl } from '../routes/route.js';
import type { PlatformHandler, PlatformEndpoint } from './endpoint.js';
import type { Peers } from './peers.js';
import type { ControllerReports } from './platform.js';

const CONTROLLER_VERSION = 'controller.platform.run/v1alpha1';
const TOPIC = 'controllers';

/** Controllers exist only in memory, so this is not a generated route, and is read-only. */
export const CONTROLLERS: PlatformEndpoint = {
  method: 'GET',
  path: `/apis/${CONTROLLER_VERSION}/controllers`,
  operation: {
    operationId: 'ListControllers',
    summary: 'State of the controllers, or their reports about one object',
    parameters: [
      queryParameter('resource', 'With name: the object, as `<plural>.<group>`.'),
      queryParameter('name', 'With resource: the name of the object.'),
    ],
    answer: objectAnswer('The controllers.', 'ControllerList'),
    errors: ['BadRequest', ...EVERYWHERE],
    schemas: {
      ControllerList: kindSchema(CONTROLLER_VERSION, 'ControllerList', {
        metadata: { type: 'object' },
        leader: objectSchema(
          {
            holder: { ...text, description: 'Name of the process; empty without a leader.' },
            token: { type: 'integer', description: 'Increases with each change of the holder.' },
            isSelf: { type: 'boolean', description: 'True when the answering process is the leader.' },
          },
          { description: 'The leader: the process on the store that runs the controllers.' },
        ),
        items: { type: 'array', items: anyObject },
      }),
    },
  },
  handler: ({ controllers, peers }) => controllers && listHandler(controllers, peers),
};

function listHandler(reports: ControllerReports, peers: Peers | undefined): PlatformHandler {
  const getList = (search: string): ControllerList => {
    const query = parseQuery(search);
    return {
      apiVersion: CONTROLLER_VERSION,
      kind: 'ControllerList',
      metadata: {},
      leader: { ...reports.leader() },
      items: getItems(reports, query.resource, query.name),
    };
  };
  peers?.onAsked(TOPIC, (search) => Promise.resolve(JSON.stringify(getList(search))));
  return async (req, res) => {
    const { search } = splitUrl(req.originalUrl);
    const own = getList(search);
    const others = own.leader.isSelf ? [] : ((await peers?.ask(TOPIC, search)) ?? []);
    const lists = [own, ...others.map((answer) => JSON.parse(answer) as ControllerList)];
    // The process that runs the controllers has the reports.
    sendValue(res, 200, lists.find(({ leader }) => leader.isSelf) ?? own);
  };
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
