import { describe, expect, it } from 'vitest';
import { getDependencies, Policy } from '../../src/access/policy.js';
import { isAllowed } from '../../src/access/rules.js';
import type { ExtensionObject } from '../../src/model/object.js';

const KEY = 'rbac.authorization.platform.run/dependencies';

function object(
  kind: string,
  name: string,
  rest: object,
  annotations?: Record<string, string>,
): ExtensionObject {
  const metadata = {
    name,
    uid: name,
    generation: 1,
    version: 0,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00.000Z',
    updateTimestamp: '2026-01-01T00:00:00.000Z',
    ...(annotations && { annotations }),
  };
  return { apiVersion: 'access.platform.run/v1alpha1', kind, metadata, ...rest };
}

/** A role that lets its resource, which is called like it, be listed. */
function role(name: string, dependencies?: string): ExtensionObject {
  const rules = [{ apiGroups: ['example.com'], resources: [name], verbs: ['list'] }];
  return object('Role', name, { rules }, dependencies === undefined ? undefined : { [KEY]: dependencies });
}

function binding(roleName: string, ...users: string[]): ExtensionObject {
  return object('RoleBinding', `${roleName}-${users.join('-')}`, {
    roleRef: { kind: 'Role', name: roleName },
    subjects: users.map((name) => ({ kind: 'User', name })),
  });
}

/** The resources that a user may list. */
function listable(
  policy: Policy,
  user: string,
  resources: readonly string[],
  groups: readonly string[] = [],
): readonly string[] {
  const rules = policy.rulesFor({ user, groups });
  return resources.filter((resource) => isAllowed(rules, { verb: 'list', group: 'example.com', resource }));
}

/** The policy of roles and bindings. */
function policyOf(roles: readonly ExtensionObject[], bindings: readonly ExtensionObject[]): Policy {
  return new Policy(new Map(roles.map((one) => [one.metadata.name, one])), bindings);
}

const NAMES = ['a', 'b', 'c', 'd'];

describe('the permissions of a user', () => {
  it('are the union of the roles of all bindings', () => {
    const policy = policyOf(
      NAMES.map((name) => role(name)),
      [binding('a', 'ada', 'bert'), binding('b', 'ada')],
    );
    expect(listable(policy, 'ada', NAMES)).toEqual(['a', 'b']);
    expect(listable(policy, 'bert', NAMES)).toEqual(['a']);
    expect(listable(policy, 'cleo', NAMES)).toEqual([]);
  });

  it('include the roles that roles depend on, also in a circle', () => {
    const roles = [role('a', '["b"]'), role('b', '["c", "missing"]'), role('c', '["a"]'), role('d')];
    const policy = policyOf(roles, [binding('a', 'ada')]);
    expect(listable(policy, 'ada', NAMES)).toEqual(['a', 'b', 'c']);
  });

  it('are none for a role that does not exist', () => {
    expect(policyOf([role('a')], [binding('b', 'ada')]).rulesFor({ user: 'ada', groups: [] })).toEqual([]);
  });

  it('are none for names that every object inherits', () => {
    const policy = policyOf([role('constructor')], [binding('constructor', 'ada')]);
    expect(policy.rulesFor({ user: 'constructor', groups: ['__proto__'] })).toEqual([]);
    expect(policy.rulesFor({ user: '__proto__', groups: ['constructor'] })).toEqual([]);
  });

  it('include those of groups, which are no users of the same name', () => {
    const ofGroup = { ...binding('b'), subjects: [{ kind: 'Group', name: 'ada' }] };
    const policy = policyOf(
      NAMES.map((name) => role(name)),
      [binding('a', 'ada'), ofGroup],
    );
    expect(listable(policy, 'ada', NAMES)).toEqual(['a']);
    expect(listable(policy, 'bert', NAMES, ['ada'])).toEqual(['b']);
    expect(listable(policy, 'ada', NAMES, ['other', 'ada'])).toEqual(['a', 'b']);
    // A name that looks like several.
    expect(listable(policy, 'bert', NAMES, ['x","ada'])).toEqual([]);
    expect(listable(policy, 'bert', NAMES, ['x', 'ada'])).toEqual(['b']);
  });
});

it.each(['', 'b', '{"b": 1}', '"b"', 'null', '[1, null, ["b"]]'])(
  'an annotation that is no list of names includes nothing (%s)',
  (text) => {
    expect(getDependencies(role('a', text))).toEqual([]);
  },
);
