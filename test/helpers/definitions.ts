import type { DaemonProcess } from './daemon.js';
import type { HttpAnswer, Json } from './http.js';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A definition of gadgets; `change` may change its parts. */
export function gadgets(change: (spec: Spec) => void = () => undefined, annotations = {}) {
  const spec: Spec = {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget', shortNames: ['gd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', default: 1, minimum: 0 },
                  colour: { type: 'string' },
                },
              },
              status: { type: 'object', properties: { ready: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  };
  change(spec);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${spec.names.plural}.${spec.group}`, annotations },
    spec,
  };
}

/** A definition of plans, which are in no namespace. */
export function plans() {
  return gadgets((spec) => {
    spec.scope = 'Cluster';
    spec.names = { plural: 'plans', kind: 'Plan' };
  });
}

export const PLANS = '/apis/shop.example.com/v1/plans';

export function plan(name: string, further: object = {}) {
  return { ...gadget(name, {}, further), kind: 'Plan' };
}

export interface Spec {
  group: string;
  scope: string;
  names: { plural: string; kind: string; shortNames?: string[] };
  versions: Version[];
}

interface Version {
  name: string;
  served: boolean;
  storage: boolean;
  subresources?: object;
  selectableFields?: object[];
  schema: { openAPIV3Schema: { type: string; properties: Record<string, unknown> } };
}

export const gadgetsIn = (namespace: string, version = 'v1'): string =>
  `/apis/shop.example.com/${version}/namespaces/${namespace}/gadgets`;

export function gadget(name: string, spec: object = {}, further: object = {}) {
  return { apiVersion: 'shop.example.com/v1', kind: 'Gadget', metadata: { name, ...further }, spec };
}

type Sender = Pick<DaemonProcess, 'send' | 'get'>;

export function define(daemon: Sender, definition: object): Promise<HttpAnswer> {
  return daemon.send('POST', DEFINITIONS, { body: definition });
}

/** The conditions of a definition, as `type=status reason`. */
export function conditionsOf({ status }: Json): string[] {
  const { conditions = [] } = status as {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
    }[];
  };
  return conditions.map((one) => `${one.type}=${one.status} ${one.reason}`);
}
