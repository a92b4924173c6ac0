import { isRecord } from '../../lib/json/json.js';
import { isNamespaced } from '../../model/full-name.js';
import { getPath } from '../../model/resource.js';
import type { NamedModel } from '../named-model.js';

type Members = Readonly<Record<string, unknown>>;

/** The metadata of objects, with the keys of its lists. */
export function metadataDefinition(metadata: Members): Members {
  const properties = isRecord(metadata.properties) ? metadata.properties : {};
  return {
    ...metadata,
    properties: {
      ...properties,
      finalizers: keyed(properties.finalizers, 'set'),
      ownerReferences: keyed(properties.ownerReferences, 'map', 'uid'),
    },
  };
}

function keyed(list: unknown, type: 'set' | 'map', key?: string): Members {
  return {
    ...(isRecord(list) ? list : { type: 'array', items: { type: 'string' } }),
    'x-kubernetes-list-type': type,
    ...(key !== undefined && {
      'x-kubernetes-list-map-keys': [key],
      'x-kubernetes-patch-merge-key': key,
    }),
    'x-kubernetes-patch-strategy': 'merge',
  };
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

const queryText = (name: string): object => ({ name, in: 'query', type: 'string' });
const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'].map(queryText);
const pathText = (name: string): object => ({ name, in: 'path', required: true, type: 'string' });

/** The paths of a model. Clients look for the kinds of their operations, and for parameters of writes. */
export function swaggerPaths(model: NamedModel): Readonly<Record<string, object>> {
  const { resource, object, page } = model;
  const { group, version, kind } = resource;
  const definition = (name: string): object => ({ schema: { $ref: `#/definitions/${name}` } });
  const operation = (method: Method, action: string, answer: string): object => {
    const takesBody = method === 'post' || method === 'put' || method === 'patch';
    const body = { name: 'body', in: 'body', required: true, ...definition(object) };
    return {
      [method]: {
        'x-kubernetes-action': action,
        'x-kubernetes-group-version-kind': { group, version, kind },
        ...(takesBody && { parameters: [body, ...WRITE_PARAMETERS] }),
        responses: { '200': { description: 'OK', ...definition(answer) } },
      },
    };
  };
  const list = operation('get', 'list', page);
  const isInNamespace = isNamespaced(resource);
  const path = getPath(resource, isInNamespace ? '{namespace}' : undefined);
  const namespace = isInNamespace ? [pathText('namespace')] : [];
  const changes = [operation('put', 'put', object), operation('patch', 'patch', object)];
  const item = [operation('get', 'get', object), ...changes, operation('delete', 'delete', object)];
  return {
    [path]: { ...list, ...operation('post', 'post', object), parameters: namespace },
    ...(isInNamespace && { [getPath(resource)]: list }),
    [`${path}/{name}`]: Object.assign({}, ...item, {
      parameters: [...namespace, pathText('name')],
    }) as object,
  };
}
