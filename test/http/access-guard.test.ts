import { describe, expect, it } from 'vitest';
import { findAction } from '../../src/http/platform/rights.js';
import type { Resource } from '../../src/model/resource.js';

const PERSONS: Resource = {
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Person',
  plural: 'persons',
} as Resource;

const find = (group: string, version: string, plural: string): Resource | undefined =>
  `${group}/${version}/${plural}` === 'demo.example.com/v1/persons' ? PERSONS : undefined;

function asked(request: string): string {
  const [method = '', url = ''] = request.split(' ');
  const action = findAction(method, url, find);
  if (action === undefined) return 'a batch';
  if ('path' in action) return `${action.verb} path ${action.path}`;
  const { verb, group, resource, subresource, name } = action;
  return [verb, group, resource, name ?? '-', subresource ?? '-'].join(' ');
}

const BASE = '/apis/demo.example.com/v1/persons';
const CONSOLE = '/apis/console.api.demo.example.com/v1/persons';

describe('the rights that a request needs', () => {
  it.each([
    [`GET ${BASE}`, 'list demo.example.com persons - -'],
    [`GET ${BASE}/`, 'list demo.example.com persons - -'],
    [`HEAD ${BASE}?page=2`, 'list demo.example.com persons - -'],
    [`GET ${BASE}?watch=true`, 'watch demo.example.com persons - -'],
    [`GET ${BASE}?watch=false&watch=1`, 'watch demo.example.com persons - -'],
    [`GET ${BASE}?watch=True`, 'watch demo.example.com persons - -'],
    [`GET ${BASE}?watch=0`, 'list demo.example.com persons - -'],
    [`GET ${BASE}/ada`, 'get demo.example.com persons ada -'],
    [`GET ${BASE}/ada?watch=1`, 'watch demo.example.com persons ada -'],
    [`GET ${BASE}/ada/status?watch=1`, 'get demo.example.com persons ada status'],
    [`POST ${BASE}`, 'create demo.example.com persons - -'],
    [`PUT ${BASE}/ada`, 'update demo.example.com persons ada -'],
    [`PUT ${BASE}/ada/status`, 'update demo.example.com persons ada status'],
    [`PATCH ${BASE}/ada`, 'patch demo.example.com persons ada -'],
    [`DELETE ${BASE}/ada`, 'delete demo.example.com persons ada -'],
    [`OPTIONS ${BASE}`, 'options demo.example.com persons - -'],
    [`GET ${CONSOLE}?watch=true`, 'list console.api.demo.example.com persons - -'],
    [`GET ${CONSOLE}/ada`, 'get console.api.demo.example.com persons ada -'],
    [`POST ${CONSOLE}/ada/address`, 'create console.api.demo.example.com persons ada address'],
    [`GET ${CONSOLE}/ada/address/home`, 'get console.api.demo.example.com persons ada address/home'],
    ['GET /api/v1/things/a', 'get  things a -'],
    [`GET /apis/demo.example.com/v1/p%65rsons`, 'list demo.example.com persons - -'],
    ['GET /apis', 'get path /apis'],
    ['GET /apis/demo.example.com/v1', 'get path /apis/demo.example.com/v1'],
    ['GET /metrics?x=1', 'get path /metrics'],
    ['GET /metrics/recent?since=1h', 'get path /metrics'],
    ['GET /metrics/log?from=1h', 'get path /metrics'],
    ['GET /metrics/recent/', 'get path /metrics/recent/'],
    ['POST /apis/api.platform.run/v1alpha1/batches', 'a batch'],
    ['GET /apis/api.platform.run/v1alpha1/batches', 'list api.platform.run batches - -'],
    ['GET /APIS/demo.example.com/v1/persons', 'get path /APIS/demo.example.com/v1/persons'],
    ['GET //apis/demo.example.com/v1/persons', 'get path //apis/demo.example.com/v1/persons'],
  ])('%s', (request, expected) => {
    expect(asked(request)).toBe(expected);
  });

  it.each([
    `GET http://127.0.0.1${BASE}`,
    'GET *',
    `GET ${BASE}%2Fada`,
    `GET ${BASE}/ada%2fstatus`,
    `GET ${BASE}/%ff`,
    `GET ${BASE}?watch=yes`,
    `GET ${BASE}?watch=`,
  ])('is refused when it could be read in two ways: %s', (request) => {
    expect(() => asked(request)).toThrow(expect.objectContaining({ code: 'BadRequest' }));
  });
});
