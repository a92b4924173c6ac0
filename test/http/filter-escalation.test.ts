import { describe, expect, it } from 'vitest';
import { AccessControl } from '../../src/access/control.js';
import type { TokenIssuer } from '../../src/access/identity/issued-user.js';
import { ROLE_BINDINGS, ROLES, USERS } from '../../src/access/models.js';
import { DEPENDENCIES } from '../../src/access/policy.js';
import type { AccessRule } from '../../src/access/rules.js';
import { hasCode } from '../../src/errors.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import { memoRule, registerNotes } from '../helpers/limited-notes.js';

const t = useGuardedLibrary({ register: registerNotes, mcp: 'write' });
const GROUP = 'access.platform.run';
const BASE = `/apis/${GROUP}/v1alpha1`;
const API = '/apis/api.platform.run/v1alpha1';
const VERBS = ['get', 'list', 'create', 'update', 'patch', 'delete'];
/** May write everything about access, but not give more than it has. */
const WRITER = { apiGroups: [GROUP], resources: ['roles', 'rolebindings', 'users'], verbs: VERBS };
const READS = ['get', 'list'];

type Spec = { readonly groups?: readonly string[]; readonly disabled?: boolean };

const userWith = (spec: Spec): object => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'User',
  metadata: { name: 'bob' },
  spec: { groups: [], disabled: false, ...spec },
});

/** A role with a filter, and a binding that gives it. */
async function give(filter: string, subject: object, included = false): Promise<void> {
  const rules = [memoRule(READS, { filter })];
  const annotations = { [DEPENDENCIES]: '["inner"]' };
  const service = t.service();
  if (included) await service.create(ROLES, { metadata: { name: 'inner' }, rules });
  await service.create(ROLES, {
    metadata: { name: 'outer', ...(included && { annotations }) },
    rules: included ? [] : rules,
  });
  const binding = { roleRef: { kind: 'Role', name: 'outer' }, subjects: [subject] };
  await service.create(ROLE_BINDINGS, { metadata: { name: 'given' }, ...binding });
}

/** Writes bob. @returns the status, 403 for a refused plan */
type Door = (token: string, before: Spec | undefined, after: Spec) => Promise<number>;

const AT = `${BASE}/users/bob`;
const send = async (token: string, method: string, path: string, body: object, type?: string) =>
  (await t.as(token, method, path, body, type)).status;

const DOORS: readonly (readonly [name: string, door: Door])[] = [
  ['PUT', (token, _, after) => send(token, 'PUT', AT, userWith(after))],
  [
    'a merge patch',
    (token, _, after) => send(token, 'PATCH', AT, { spec: after }, 'application/merge-patch+json'),
  ],
  [
    'a JSON patch',
    (token, _, after) => {
      const steps = Object.entries(after).map(([key, value]) => ({ op: 'add', path: `/spec/${key}`, value }));
      return send(token, 'PATCH', AT, steps, 'application/json-patch+json');
    },
  ],
  ['POST', (token, _, after) => send(token, 'POST', `${BASE}/users`, userWith(after))],
  [
    'an apply',
    (token, _, after) =>
      send(
        token,
        'PATCH',
        `${AT}?fieldManager=m&force=true`,
        userWith(after),
        'application/apply-patch+yaml',
      ),
  ],
  [
    'a dry run',
    (token, before, after) =>
      send(token, before ? 'PUT' : 'POST', `${before ? AT : `${BASE}/users`}?dryRun=All`, userWith(after)),
  ],
  [
    'a batch',
    (token, before, after) => {
      const object = userWith(after);
      const item = before ? { verb: 'update', name: 'bob', object } : { verb: 'create', object };
      return send(token, 'POST', `${API}/batches`, { items: [item] });
    },
  ],
  [
    'a plan',
    async (token, before, after) => {
      const item = before
        ? { verb: 'patch', model: 'users', name: 'bob', patch: { spec: after } }
        : { verb: 'create', model: 'users', object: userWith(after) };
      const params = { name: 'plan', arguments: { items: [item] } };
      const answer = await t.as(
        token,
        'POST',
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        'application/json',
      );
      return answer.text.includes('"isError":true') ? 403 : answer.status;
    },
  ],
  [
    'an undo',
    async (token, before, after) => {
      const service = t.service();
      if (before) await service.update(USERS, 'bob', userWith(after));
      else await service.create(USERS, userWith(after));
      const { metadata } = before
        ? await service.update(USERS, 'bob', userWith(before))
        : await service.delete(USERS, 'bob');
      return send(token, 'POST', `${API}/undos`, { revision: metadata.resourceVersion });
    },
  ],
];
/** Those that cannot create, and those that can do nothing else. */
const ONLY_CHANGES = ['PUT', 'a merge patch', 'a JSON patch'];
const ONLY_CREATES = ['POST'];

async function throughEachDoor(
  token: string,
  before: Spec | undefined,
  after: Spec,
): Promise<Readonly<Record<string, number>>> {
  const answers: Record<string, number> = {};
  const service = t.service();
  for (const [name, door] of DOORS) {
    if ((before ? ONLY_CREATES : ONLY_CHANGES).includes(name)) continue;
    await service.delete(USERS, 'bob').catch(() => undefined);
    if (before) await service.create(USERS, userWith(before));
    answers[name] = await door(token, before, after);
  }
  return answers;
}

const BOB = { kind: 'User', name: 'bob' };
const STAFF = { kind: 'Group', name: 'staff' };
const EVERYBODY = { kind: 'Group', name: 'system:authenticated' };

describe('a user who may write users, but not escalate', () => {
  it.each<[string, filter: string, subject: object, before: Spec | undefined, after: Spec, included?: true]>([
    ['a group that a filter names', 'spec.team in groups', BOB, {}, { groups: ['sales'] }],
    ['a group of a label', 'metadata.labels["team"] in groups', BOB, {}, { groups: ['sales'] }],
    ['the group of a text', '"audit" in groups', BOB, {}, { groups: ['lunch', 'audit'] }],
    [
      'a group among other conditions',
      'spec.title == "a" && spec.team in groups',
      BOB,
      {},
      { groups: ['s'] },
    ],
    ['a group of an included role', 'spec.team in groups', BOB, {}, { groups: ['sales'] }, true],
    [
      'a group beside that with the role',
      'spec.team in groups',
      STAFF,
      { groups: ['staff'] },
      { groups: ['staff', 'sales'] },
    ],
    ['a group where all users have the role', 'spec.team in groups', EVERYBODY, {}, { groups: ['sales'] }],
    ['no longer an excluded group', '!("interns" in groups)', BOB, { groups: ['interns'] }, { groups: [] }],
    ['no longer its excluded team', '!(spec.team in groups)', BOB, { groups: ['a'] }, { groups: ['b'] }],
    ['a new name that a binding waits for', 'spec.title == "a"', BOB, undefined, {}],
    ['a new name that a filter compares', 'spec.owner == user', EVERYBODY, undefined, {}],
    ['a new name and the group of its role', 'spec.owner == user', STAFF, undefined, { groups: ['staff'] }],
    ['a new user with a group', 'spec.team in groups', EVERYBODY, undefined, { groups: ['sales'] }],
    ['a new user without a group', '!("interns" in groups)', EVERYBODY, undefined, {}],
    ['an end of its lock', 'spec.title == "a"', BOB, { disabled: true }, { disabled: false }],
  ])('gives nobody %s', async (_, filter, subject, before, after, included) => {
    await give(filter, subject, included);
    const answers = await throughEachDoor(await t.tokenFor('ann', WRITER), before, after);
    const refused = Object.fromEntries(Object.keys(answers).map((door) => [door, 403]));
    expect(answers).toEqual(refused);
  });

  const WHOLE = memoRule(READS);
  const ESCALATE: AccessRule = { ...WRITER, verbs: [...VERBS, 'escalate'] };
  it.each<[string, filter: string, before: Spec | undefined, after: Spec, ...rules: AccessRule[]]>([
    ['another group than that of a text', '"audit" in groups', {}, { groups: ['lunch'] }, WRITER],
    ['fewer groups', 'spec.team in groups', { groups: ['a', 'b'] }, { groups: ['a'] }, WRITER],
    ['one more excluded group', '!("interns" in groups)', {}, { groups: ['interns'] }, WRITER],
    ['a group that no filter of its roles names', 'spec.owner == user', {}, { groups: ['a'] }, WRITER],
    ['a lock', 'spec.team in groups', {}, { disabled: true, groups: ['a'] }, WRITER],
    ['a group, for it sees all of the model', 'spec.team in groups', {}, { groups: ['a'] }, WRITER, WHOLE],
    ['a group, with the verb for it', 'spec.team in groups', {}, { groups: ['a'] }, ESCALATE],
    ['a name, with the verb for it', 'spec.owner == user', undefined, {}, ESCALATE],
  ])('gives a user %s', async (_, filter, before, after, ...rules) => {
    await give(filter, BOB);
    const answers = await throughEachDoor(await t.tokenFor('ann', ...rules), before, after);
    for (const [door, status] of Object.entries(answers))
      expect([door, status]).toEqual([door, expect.toBeOneOf([200, 201])]);
  });

  it('writes and binds no role with a filter, and none that includes one', async () => {
    await give('spec.team in groups', STAFF, true);
    const ann = await t.tokenFor('ann', WRITER);
    const rules = [memoRule(READS, { filter: 'spec.team in groups' })];
    const includes = { annotations: { [DEPENDENCIES]: '["inner"]' } };
    const binding = { roleRef: { kind: 'Role', name: 'outer' }, subjects: [BOB] };
    for (const [method, path, body] of [
      ['POST', 'roles', { metadata: { name: 'own' }, rules }],
      ['POST', 'roles', { metadata: { name: 'own', ...includes }, rules: [] }],
      ['PUT', 'roles/ann', { metadata: { name: 'ann', ...includes }, rules: [WRITER] }],
      ['PUT', 'roles/ann', { metadata: { name: 'ann' }, rules: [WRITER, ...rules] }],
      ['POST', 'rolebindings', { metadata: { name: 'own' }, ...binding }],
    ] as const)
      expect([method, path, (await t.as(ann, method, `${BASE}/${path}`, body)).status]).toEqual([
        method,
        path,
        403,
      ]);
  });

  it('is told which right the filter gives', async () => {
    await give('spec.team in groups', BOB);
    await t.service().create(USERS, userWith({}));
    const ann = await t.tokenFor('ann', WRITER);
    const { message } = (await t.as(ann, 'PUT', AT, userWith({ groups: ['sales'] }))).json();
    expect(message).toBe(
      'user "ann" may not write users "bob": the filter of a role gives the user more by its name or its groups, ' +
        'and grants the right to get memos in group "notes.example.com", which "ann" does not have; ' +
        'that needs the verb escalate on users in group "access.platform.run"',
    );
  });
});

describe('a user whose groups an issuer or a certificate states', () => {
  const issuer: TokenIssuer = {
    identify: () => Promise.reject(new Error('not used')),
    uidOf: (user) => (user.startsWith('oidc-') ? user : undefined),
  };

  it.each<[string, before: Spec, after: Spec | undefined, hasCertificates: boolean, names: string[]]>([
    ['no group that a filter of any group names', {}, { groups: ['sales'] }, false, ['oidc-ann']],
    ['no roles back by the end of its lock', { disabled: true }, {}, false, ['oidc-ann']],
    ['no roles back by the end of its object', { disabled: true }, undefined, false, ['oidc-ann']],
    ['none of these with a certificate', {}, { groups: ['sales'] }, true, ['ann', 'oidc-ann']],
    ['nor that with a certificate', { disabled: true }, undefined, true, ['ann', 'oidc-ann']],
  ])('gets %s', async (_, before, after, hasCertificates, refused) => {
    await give('spec.team in groups', STAFF);
    await t.tokenFor('writer', WRITER);
    const service = t.service();
    const control = new AccessControl(service, undefined, issuer, hasCertificates);
    const identity = await control.identityOf('writer');
    const results: string[] = [];
    for (const name of ['ann', 'oidc-ann']) {
      await service.create(USERS, { metadata: { name }, spec: before });
      const write = control.admit<unknown>(identity, (admission) =>
        after === undefined
          ? service.delete(USERS, name, { admission })
          : service.update(USERS, name, { metadata: { name }, spec: after }, { admission }),
      );
      await write.catch((error: unknown) => {
        if (hasCode(error, 'Forbidden')) results.push(name);
      });
    }
    expect(results).toEqual(refused);
  });
});
