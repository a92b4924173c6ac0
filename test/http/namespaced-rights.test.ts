import { describe, expect, it } from 'vitest';
import { actionOn, refuseAction } from '../../src/access/rules.js';
import { findAction } from '../../src/http/platform/rights.js';
import type { FindModel } from '../../src/http/routes/route.js';
import type { Resource } from '../../src/model/resource.js';

const resource = (group: string, plural: string, scope?: 'Namespaced'): Resource => ({
  group,
  version: 'v1',
  kind: plural,
  plural,
  singular: plural,
  shortNames: [],
  categories: [],
  columns: [],
  schema: {},
  indexes: [],
  storageVersion: 'v1',
  ...(scope !== undefined && { scope }),
});

const MODELS = [
  resource('shop.example.com', 'widgets', 'Namespaced'),
  resource('', 'namespaces'),
  resource('', 'secrets', 'Namespaced'),
  resource('app.example.com', 'namespaces'),
];
const findModel: FindModel = (group, version, plural) =>
  MODELS.find((one) => one.group === group && one.version === version && one.plural === plural);

describe('the right that a request needs', () => {
  it.each([
    ['GET', '/apis/shop.example.com/v1/namespaces/a/widgets', { verb: 'list', resource: 'widgets' }],
    ['GET', '/apis/shop.example.com/v1/widgets', { verb: 'list', resource: 'widgets' }],
    [
      'GET',
      '/apis/shop.example.com/v1/namespaces/a/widgets?watch=true',
      { verb: 'watch', resource: 'widgets' },
    ],
    [
      'PUT',
      '/apis/shop.example.com/v1/namespaces/a/widgets/x',
      { verb: 'update', resource: 'widgets', name: 'x' },
    ],
    [
      'PATCH',
      '/apis/shop.example.com/v1/namespaces/a/widgets/x/status',
      { verb: 'patch', resource: 'widgets', name: 'x', subresource: 'status' },
    ],
    ['POST', '/api/v1/namespaces/a/secrets', { verb: 'create', resource: 'secrets' }],
    ['GET', '/api/v1/namespaces/a/unknown/x', { verb: 'get', resource: 'unknown', name: 'x' }],
    ['GET', '/api/v1/namespaces/a', { verb: 'get', resource: 'namespaces', name: 'a' }],
    [
      'PUT',
      '/api/v1/namespaces/a/finalize',
      { verb: 'update', resource: 'namespaces', name: 'a', subresource: 'finalize' },
    ],
    [
      'POST',
      '/apis/app.example.com/v1/namespaces/a/restart',
      { verb: 'create', resource: 'namespaces', name: 'a', subresource: 'restart' },
    ],
    ['GET', '/api/v1/%6eamespaces/a/secrets/x', { verb: 'get', resource: 'secrets', name: 'x' }],
  ])('of %s %s is that on the kind of the path', (method, url, expected) => {
    expect(findAction(method, url, findModel)).toMatchObject(expected);
  });

  it('names an object and its namespace', () => {
    const secrets = { group: '', plural: 'secrets', scope: 'Namespaced' } as const;
    expect(actionOn('get', secrets, 'a/x')).toEqual({
      verb: 'get',
      group: '',
      resource: 'secrets',
      namespace: 'a',
      name: 'x',
    });
  });

  it('names an object of the cluster, with a slash that no such object has', () => {
    const action = actionOn('get', { group: '', plural: 'nodes' }, 'a/x');
    expect(refuseAction('user "ada"', action).details).toEqual({ group: '', name: 'a/x' });
  });
});
