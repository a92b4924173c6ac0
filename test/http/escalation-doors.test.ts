import { describe, expect, it } from 'vitest';
import { ROLE_BINDINGS, ROLES, TOKENS, USERS } from '../../src/access/models.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import type { HttpAnswer } from '../helpers/http.js';
import { memoRule, registerNotes } from '../helpers/limited-notes.js';

const t = useGuardedLibrary({ register: registerNotes, mcp: 'write' });
const BASE = '/apis/access.platform.run/v1alpha1';
const GROUP = 'access.platform.run';
const VERBS = ['get', 'list', 'create', 'update', 'patch', 'delete'];
const KINDS = ['roles', 'rolebindings', 'users', 'tokens', 'sessions'];
/** May write everything about access, but not give more than it has. */
const WRITER = { apiGroups: [GROUP], resources: KINDS, verbs: VERBS };
const ALL = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };

const object = (kind: string, name: string, members: object): object => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind,
  metadata: { name },
  ...members,
});
const boundTo = (user: string, role: string): object => ({
  roleRef: { apiGroup: GROUP, kind: 'Role', name: role },
  subjects: [{ kind: 'User', name: user }],
});
const STRONG: readonly (readonly [plural: string, kind: string, name: string, members: object])[] = [
  ['roles', 'Role', 'ann', { rules: [WRITER, ALL] }],
  ['roles', 'Role', 'more', { rules: [memoRule(['get'])] }],
  ['rolebindings', 'RoleBinding', 'ann-more', boundTo('ann', 'strong')],
  ['rolebindings', 'RoleBinding', 'ann-later', boundTo('ann', 'not-there-yet')],
  ['users', 'User', 'ann', { spec: { groups: ['admins'] } }],
];

/** A user who writes access, and roles with more rights than it has. */
async function writer(): Promise<string> {
  const service = t.service();
  await service.create(ROLES, { metadata: { name: 'strong' }, rules: [ALL] });
  const admins = { roleRef: { kind: 'Role', name: 'strong' }, subjects: [{ kind: 'Group', name: 'admins' }] };
  await service.create(ROLE_BINDINGS, { metadata: { name: 'admins' }, ...admins });
  await t.tokenFor('root', ALL);
  return t.tokenFor('ann', WRITER);
}

const call = (token: string, tool: string, args: object): Promise<HttpAnswer> =>
  t.as(
    token,
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } },
    'application/json',
  );

describe('a user who may write roles, but not escalate', () => {
  it('gets no further right by an apply, a batch, a dry run or a plan', async () => {
    const ann = await writer();
    for (const [plural, kind, name, members] of STRONG) {
      const whole = object(kind, name, members);
      const at = `${BASE}/${plural}/${name}`;
      const force = 'fieldManager=m&force=true';
      for (const [method, target, body, type] of [
        ['PATCH', `${at}?${force}`, whole, 'application/apply-patch+yaml'],
        ['PATCH', `${at}?${force}&dryRun=All`, whole, 'application/apply-patch+yaml'],
        ['PUT', at, whole, undefined],
        ['PATCH', at, members, 'application/merge-patch+json'],
        [
          'POST',
          '/apis/api.platform.run/v1alpha1/batches',
          { items: [{ verb: 'create', object: whole }] },
          undefined,
        ],
      ] as const) {
        const { status, text } = await t.as(ann, method, target, body, type);
        const isMissing = status === 404 && (method === 'PUT' || type === 'application/merge-patch+json');
        const isTaken = status === 409 && method === 'POST';
        if (!isMissing && !isTaken)
          expect([method, target, status, text]).toEqual([method, target, 403, text]);
      }
      const planned = await call(ann, 'plan', {
        items: [
          name === 'ann'
            ? { verb: 'patch', model: plural, name, patch: members }
            : { verb: 'create', model: plural, object: whole },
        ],
      });
      expect(planned.text).toContain('"isError":true');
      expect(planned.text).not.toContain('"plan"');
    }
    expect((await t.as(ann, 'GET', '/apis/notes.example.com/v1/memos')).status).toBe(403);
  });

  it('gets no right back by an undo', async () => {
    const ann = await writer();
    const service = t.service();
    await service.create(ROLE_BINDINGS, { metadata: { name: 'ann-strong' }, ...boundTo('ann', 'strong') });
    await service.delete(ROLE_BINDINGS, 'ann-strong');
    const gone = await service.modelHistory(ROLE_BINDINGS, {}, {});
    const revision = gone.items[0]?.resourceVersion;
    for (const force of [false, true]) {
      const body = { revision, force };
      const answer = await t.as(ann, 'POST', '/apis/api.platform.run/v1alpha1/undos', body);
      expect(answer.status).toBe(403);
      expect((await call(ann, 'undo', body)).text).toContain('"isError":true');
    }
    const user = (await service.get(USERS, 'ann')).metadata;
    const put = { ...object('RoleBinding', 'ann-strong', boundTo('ann', 'strong')) };
    expect((await t.as(ann, 'POST', `${BASE}/rolebindings`, put)).status).toBe(403);
    expect(user.name).toBe('ann');
    expect(await service.listNames(ROLE_BINDINGS)).not.toContain('ann-strong');
  });

  it('makes no token or session of another user, by any door', async () => {
    const ann = await writer();
    const { uid } = (await t.service().get(USERS, 'root')).metadata;
    const expirationTimestamp = '2999-01-01T00:00:00Z';
    const spec = { user: 'root', userUID: uid, sha256: '0'.repeat(64), expirationTimestamp };
    const name = 'a'.repeat(20);
    for (const [plural, kind, more] of [
      ['tokens', 'Token', {}],
      ['sessions', 'Session', { groups: ['admins'] }],
    ] as const) {
      const whole = object(kind, name, { spec: { ...spec, ...more } });
      const made = await t.as(ann, 'POST', `${BASE}/${plural}`, whole);
      const target = `${BASE}/${plural}/${name}?fieldManager=m`;
      const applied = await t.as(ann, 'PATCH', target, whole, 'application/apply-patch+yaml');
      expect([plural, made.status, applied.status]).toEqual([plural, 403, 403]);
      const planned = await call(ann, 'plan', { items: [{ verb: 'create', model: plural, object: whole }] });
      expect(planned.text).toContain('"isError":true');
    }
    const names = await t.service().listNames(TOKENS);
    const own = names.find((one) => ann.includes(one)) ?? '';
    const stolen = { spec: { user: 'root', userUID: uid } };
    const target = `${BASE}/tokens/${own}`;
    const applied = object('Token', own, stolen);
    for (const [query, body, type] of [
      ['', stolen, 'application/merge-patch+json'],
      ['?fieldManager=m&force=true', applied, 'application/apply-patch+yaml'],
    ] as const)
      expect([type, (await t.as(ann, 'PATCH', `${target}${query}`, body, type)).status]).toEqual([type, 403]);
  });
});

describe('a user without any right', () => {
  it('applies nothing to its own tokens, and sees none of others by newer doors', async () => {
    await t.tokenFor('root', ALL);
    const eve = await t.tokenFor('eve');
    const names = await t.service().listNames(TOKENS);
    const own = names.find((one) => eve.includes(one)) ?? '';
    const other = names.find((one) => one !== own) ?? '';
    const apply = object('Token', own, { spec: { expirationTimestamp: '2999-01-01T00:00:00Z' } });
    const target = `${BASE}/tokens/${own}?fieldManager=m&force=true`;
    expect((await t.as(eve, 'PATCH', target, apply, 'application/apply-patch+yaml')).status).toBe(403);
    for (const accept of [
      'application/json;as=Table;v=v1;g=meta.k8s.io',
      'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      'application/yaml',
    ]) {
      const list = await t.as(eve, 'GET', `${BASE}/tokens?includeObject=Object`, undefined, undefined, {
        accept,
      });
      expect([list.text.includes(own), list.text.includes(other)]).toEqual([true, false]);
    }
    for (const [method, path, status] of [
      ['GET', `tokens/${other}`, 404],
      ['GET', `tokens/${own}/history`, 403],
      ['GET', 'tokens/-/history', 403],
      ['GET', 'tokens?watch=true', 403],
      ['GET', `tokens/${own}?watch=true`, 403],
      ['DELETE', `tokens/${other}`, 404],
      ['DELETE', 'tokens', 405],
      ['GET', 'sessions', 403],
    ] as const)
      expect([method, path, (await t.as(eve, method, `${BASE}/${path}`)).status]).toEqual([
        method,
        path,
        status,
      ]);
  });
});
