import { describe, expect, it } from 'vitest';
import { describeAction, isAllowed, type Action, type AccessRule } from '../../src/access/rules.js';

const GROUP = 'demo.example.com';
const person = (verb: string, more: { name?: string; subresource?: string } = {}): Action => ({
  verb,
  group: GROUP,
  resource: 'persons',
  ...more,
});

describe('a rule', () => {
  const reader: AccessRule = { apiGroups: [GROUP], resources: ['persons'], verbs: ['get', 'list'] };

  it.each([
    { what: 'what it names', action: person('get', { name: 'ada' }), allowed: true },
    { what: 'the whole collection', action: person('list'), allowed: true },
    { what: 'no other verb', action: person('watch'), allowed: false },
    {
      what: 'no sub-resource',
      action: person('get', { name: 'ada', subresource: 'status' }),
      allowed: false,
    },
    { what: 'no other group', action: { ...person('list'), group: 'example.com' }, allowed: false },
    { what: 'no other resource', action: { ...person('list'), resource: 'person' }, allowed: false },
    { what: 'no path', action: { verb: 'get', path: '/metrics' }, allowed: false },
  ])('allows $what', ({ action, allowed }) => {
    expect(isAllowed([reader], action)).toBe(allowed);
  });

  it('allows a sub-resource that it names, and not the resource of it', () => {
    const rules: AccessRule[] = [{ apiGroups: [GROUP], resources: ['persons/status'], verbs: ['update'] }];
    expect(isAllowed(rules, person('update', { name: 'ada', subresource: 'status' }))).toBe(true);
    expect(isAllowed(rules, person('update', { name: 'ada' }))).toBe(false);
  });

  it('allows only the objects that it names, and then no collection', () => {
    const rules: AccessRule[] = [{ ...reader, resourceNames: ['ada'], verbs: ['*'] }];
    expect(isAllowed(rules, person('get', { name: 'ada' }))).toBe(true);
    expect(isAllowed(rules, person('get', { name: 'bert' }))).toBe(false);
    expect(isAllowed(rules, person('list'))).toBe(false);
    expect(isAllowed(rules, person('create'))).toBe(false);
  });

  it('means all by a star, and none by a list that is empty or missing', () => {
    const all: AccessRule = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
    expect(isAllowed([all], person('delete', { name: 'ada', subresource: 'a/b' }))).toBe(true);
    expect(isAllowed([{ ...all, apiGroups: [] }], person('list'))).toBe(false);
    expect(isAllowed([{ resources: ['*'], verbs: ['*'] }], person('list'))).toBe(false);
    expect(isAllowed([{ ...all, verbs: [] }], person('list'))).toBe(false);
    expect(isAllowed([], person('list'))).toBe(false);
  });

  it.each([
    { urls: ['/metrics'], path: '/metrics', allowed: true },
    { urls: ['/metrics'], path: '/metrics/', allowed: false },
    { urls: ['/v3/*'], path: '/v3/api-docs/all', allowed: true },
    { urls: ['/v3/*'], path: '/v3', allowed: false },
    { urls: ['*'], path: '/anything', allowed: true },
    { urls: [], path: '/metrics', allowed: false },
  ])('allows the path $path by $urls: $allowed', ({ urls, path, allowed }) => {
    expect(isAllowed([{ nonResourceURLs: urls, verbs: ['get'] }], { verb: 'get', path })).toBe(allowed);
    expect(isAllowed([{ nonResourceURLs: urls, verbs: ['get'] }], { verb: 'post', path })).toBe(false);
  });

  it('that speaks of paths says nothing of resources', () => {
    expect(isAllowed([{ nonResourceURLs: ['*'], verbs: ['*'] }], person('list'))).toBe(false);
  });
});

it('rules add up', () => {
  const rules: AccessRule[] = [
    { apiGroups: [GROUP], resources: ['persons'], verbs: ['get'] },
    { apiGroups: ['other.example.com'], resources: ['*'], verbs: ['*'] },
  ];
  expect(isAllowed(rules, person('get', { name: 'ada' }))).toBe(true);
  expect(isAllowed(rules, { ...person('delete', { name: 'ada' }), group: 'other.example.com' })).toBe(true);
  expect(isAllowed(rules, person('delete', { name: 'ada' }))).toBe(false);
});

it('the text of an action has its verb, resource and group', () => {
  expect(describeAction(person('list'))).toBe(`list persons in group "${GROUP}"`);
  expect(describeAction(person('update', { name: 'ada', subresource: 'status' }))).toBe(
    `update persons/status "ada" in group "${GROUP}"`,
  );
  expect(describeAction({ verb: 'get', path: '/metrics' })).toBe('get the path /metrics');
});
