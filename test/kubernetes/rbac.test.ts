import { describe, expect, it } from 'vitest';
import { TOKENS } from '../../src/access/models.js';
import { sweepTokens } from '../../src/access/sweep.js';
import { openKubernetes } from '../../src/kubernetes/open.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';

const { as, tokenFor, service } = useGuardedLibrary({
  register: async (opened) => {
    await openKubernetes({ ...opened, logger: SILENT, kinds: 'full' });
  },
});

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const ALL = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
const READ_MAPS = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] };
const MAPS = '/api/v1/namespaces/default/configmaps';
const OTHER_MAPS = '/api/v1/namespaces/kube-public/configmaps';

function role(name: string, ...rules: readonly object[]): object {
  return { metadata: { name }, rules };
}

function binding(name: string, kind: string, of: string, ...subjects: readonly object[]): object {
  return { metadata: { name }, roleRef: { apiGroup: GROUP, kind, name: of }, subjects };
}

const user = (name: string): object => ({ kind: 'User', name });
const account = (name: string, namespace = 'default'): object => ({
  kind: 'ServiceAccount',
  name,
  namespace,
});

async function made(token: string, path: string, object: object): Promise<void> {
  const answer = await as(token, 'POST', path, object);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
}

async function status(token: string, path: string, method = 'GET', body?: object): Promise<number> {
  return (await as(token, method, path, body)).status;
}

const inDefault = (plural: string): string => `${RBAC}/namespaces/default/${plural}`;

/** Makes a token of a service account. */
async function accountToken(admin: string, name: string, spec: object = {}): Promise<string> {
  const answer = await as(admin, 'POST', `/api/v1/namespaces/default/serviceaccounts/${name}/token`, {
    spec,
  });
  return (answer.json().status as { token: string }).token;
}

describe('a role of Kubernetes', () => {
  it('counts in its namespace alone', async () => {
    const admin = await tokenFor('admin', ALL);
    const ada = await tokenFor('ada');
    expect(await status(ada, MAPS)).toBe(403);
    await made(admin, inDefault('roles'), role('reader', READ_MAPS));
    await made(admin, inDefault('rolebindings'), binding('ada', 'Role', 'reader', user('ada')));
    await made(admin, MAPS, { metadata: { name: 'a' } });
    await made(admin, OTHER_MAPS, { metadata: { name: 'b' } });
    expect(await status(ada, MAPS)).toBe(200);
    expect(await status(ada, `${MAPS}/a`)).toBe(200);
    expect(await status(ada, OTHER_MAPS)).toBe(403);
    expect(await status(ada, `${OTHER_MAPS}/b`)).toBe(403);
    expect(await status(ada, '/api/v1/configmaps')).toBe(403);
    expect(await status(ada, MAPS, 'POST', { metadata: { name: 'c' } })).toBe(403);
    const { message } = (await as(ada, 'GET', OTHER_MAPS)).json();
    expect(message).toContain('list configmaps in group "" in namespace "kube-public"');
    await as(admin, 'DELETE', `${inDefault('rolebindings')}/ada`);
    expect(await status(ada, MAPS)).toBe(403);
  });

  it('counts everywhere when the cluster has its binding, and in a namespace when that has it', async () => {
    const admin = await tokenFor('admin', ALL);
    const [ada, bob] = [await tokenFor('ada'), await tokenFor('bob')];
    await made(admin, `${RBAC}/clusterroles`, role('reader', READ_MAPS));
    await made(admin, inDefault('rolebindings'), binding('ada', 'ClusterRole', 'reader', user('ada')));
    await made(admin, `${RBAC}/clusterrolebindings`, binding('bob', 'ClusterRole', 'reader', user('bob')));
    expect([await status(ada, MAPS), await status(ada, OTHER_MAPS)]).toEqual([200, 403]);
    expect([await status(bob, MAPS), await status(bob, OTHER_MAPS)]).toEqual([200, 200]);
    expect(await status(bob, '/api/v1/configmaps')).toBe(200);
  });

  it('allows writes of every kind in its namespace', async () => {
    const admin = await tokenFor('admin', ALL);
    const ada = await tokenFor('ada');
    await made(admin, inDefault('roles'), role('all', ALL));
    await made(admin, inDefault('rolebindings'), binding('ada', 'Role', 'all', user('ada')));
    await made(ada, MAPS, { metadata: { name: 'a' }, data: { x: '1' } });
    await made(admin, OTHER_MAPS, { metadata: { name: 'a' } });
    const stored = (await as(ada, 'GET', `${MAPS}/a`)).json();
    expect(await status(ada, `${MAPS}/a`, 'PUT', { ...stored, data: { x: '2' } })).toBe(200);
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const web = { metadata: { name: 'web' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };
    await made(ada, deployments, web);
    const scale = (await as(ada, 'GET', `${deployments}/web/scale`)).json();
    expect(await status(ada, `${deployments}/web/scale`, 'PUT', { ...scale, spec: { replicas: 2 } })).toBe(
      200,
    );
    const shown = (await as(ada, 'GET', `${deployments}/web`)).json();
    expect(await status(ada, `${deployments}/web/status`, 'PUT', { ...shown, status: { replicas: 2 } })).toBe(
      200,
    );
    const batch = (namespace: string): Promise<number> =>
      status(ada, '/apis/api.platform.run/v1alpha1/batches', 'POST', {
        items: [
          {
            verb: 'create',
            object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b', namespace } },
          },
        ],
      });
    expect([await batch('kube-public'), await batch('default')]).toEqual([403, 200]);
    expect(await status(ada, `${MAPS}/a`, 'DELETE')).toBe(200);
    expect(await status(ada, MAPS, 'DELETE')).toBe(200);
    expect(await status(ada, OTHER_MAPS, 'DELETE')).toBe(403);
    expect(await status(ada, `${OTHER_MAPS}/a`, 'DELETE')).toBe(403);
    expect(await status(ada, '/api/v1/namespaces', 'POST', { metadata: { name: 'mine' } })).toBe(403);
  });

  it('leaves the limits of other roles as they are', async () => {
    const admin = await tokenFor('admin', ALL);
    const ada = await tokenFor('ada', { ...READ_MAPS, fields: { read: ['metadata'] } });
    await made(admin, inDefault('roles'), role('reader', READ_MAPS));
    await made(admin, inDefault('rolebindings'), binding('ada', 'Role', 'reader', user('ada')));
    await made(admin, MAPS, { metadata: { name: 'a' }, data: { x: '1' } });
    await made(admin, OTHER_MAPS, { metadata: { name: 'b' }, data: { x: '1' } });
    expect((await as(ada, 'GET', `${MAPS}/a`)).json().data).toEqual({ x: '1' });
    expect((await as(ada, 'GET', `${OTHER_MAPS}/b`)).json()).not.toHaveProperty('data');
    const { items } = (await as(ada, 'GET', '/api/v1/configmaps')).json() as unknown as {
      items: { metadata: { name: string }; data?: object }[];
    };
    expect(items.map(({ metadata, data }) => [metadata.name, data !== undefined])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  it('combines the rules of roles with its labels, from their next change on', async () => {
    const admin = await tokenFor('admin', ALL, { nonResourceURLs: ['*'], verbs: ['*'] });
    const ada = await tokenFor('ada');
    const matchLabels = { 'example.com/part': 'yes' };
    await made(admin, `${RBAC}/clusterroles`, {
      metadata: { name: 'whole' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels }] },
      rules: [ALL],
    });
    await made(admin, `${RBAC}/clusterrolebindings`, binding('ada', 'ClusterRole', 'whole', user('ada')));
    expect(await status(ada, MAPS)).toBe(403);
    await made(admin, `${RBAC}/clusterroles`, {
      metadata: { name: 'part', labels: matchLabels },
      rules: [READ_MAPS],
    });
    expect(await status(ada, MAPS)).toBe(200);
    expect(await status(ada, '/api/v1/namespaces/default/secrets')).toBe(403);
  });

  it('exists for viewers and editors, and leaves out Secrets for viewers', async () => {
    const admin = await tokenFor('admin', ALL);
    const [ada, bob] = [await tokenFor('ada'), await tokenFor('bob')];
    await made(admin, inDefault('rolebindings'), binding('v', 'ClusterRole', 'view', user('ada')));
    await made(admin, inDefault('rolebindings'), binding('e', 'ClusterRole', 'edit', user('bob')));
    const secrets = '/api/v1/namespaces/default/secrets';
    expect([await status(ada, MAPS), await status(ada, secrets)]).toEqual([200, 403]);
    expect([await status(bob, MAPS), await status(bob, secrets)]).toEqual([200, 200]);
    expect(await status(ada, '/api/v1/namespaces/default')).toBe(200);
    expect(await status(ada, '/api/v1/namespaces/kube-public')).toBe(403);
  });

  it('allows a sub-resource of all resources', async () => {
    const admin = await tokenFor('admin', ALL);
    const ada = await tokenFor('ada');
    const scales = { apiGroups: ['*'], resources: ['*/scale'], verbs: ['get'] };
    await made(admin, inDefault('roles'), role('scales', scales));
    await made(admin, inDefault('rolebindings'), binding('ada', 'Role', 'scales', user('ada')));
    const target = '/apis/apps/v1/namespaces/default/deployments/web';
    expect([await status(ada, `${target}/scale`), await status(ada, target)]).toEqual([404, 403]);
  });
});

describe('a role that gives more than its writer has', () => {
  const roles = { apiGroups: [GROUP], resources: ['*'], verbs: ['create', 'update', 'get', 'patch'] };

  it('is refused, unless the writer may escalate', async () => {
    const admin = await tokenFor('admin', ALL);
    const ada = await tokenFor('ada', roles, READ_MAPS);
    expect(await status(ada, inDefault('roles'), 'POST', role('same', READ_MAPS))).toBe(201);
    const refused = await as(ada, 'POST', inDefault('roles'), role('more', ALL));
    expect([refused.status, refused.json().message]).toEqual([403, expect.stringContaining('escalate')]);
    await made(admin, inDefault('roles'), role('up', { ...roles, verbs: ['escalate'] }));
    await made(admin, inDefault('rolebindings'), binding('up', 'Role', 'up', user('ada')));
    expect(await status(ada, inDefault('roles'), 'POST', role('more', ALL))).toBe(201);
    expect(await status(ada, `${RBAC}/namespaces/kube-public/roles`, 'POST', role('more', ALL))).toBe(403);
    expect(await status(ada, `${RBAC}/clusterroles`, 'POST', role('more', ALL))).toBe(403);
  });

  it('is not given by a binding, unless the writer may bind it', async () => {
    const admin = await tokenFor('admin', ALL);
    const ada = await tokenFor('ada', roles, {
      apiGroups: [GROUP],
      resources: ['clusterroles'],
      resourceNames: ['edit'],
      verbs: ['bind'],
    });
    await made(admin, inDefault('roles'), role('reader', READ_MAPS));
    const give = (kind: string, name: string): Promise<number> =>
      status(
        ada,
        inDefault('rolebindings'),
        'POST',
        binding(`${kind}-${name}`.toLowerCase(), kind, name, user('x')),
      );
    expect(await give('Role', 'reader')).toBe(403);
    expect(await give('ClusterRole', 'cluster-admin')).toBe(403);
    expect(await give('ClusterRole', 'edit')).toBe(201);
    expect(await give('Role', 'absent')).toBe(403);
    const combined = { metadata: { name: 'c' }, aggregationRule: { clusterRoleSelectors: [] } };
    expect(await status(ada, `${RBAC}/clusterroles`, 'POST', combined)).toBe(403);
  });

  it('may get annotations from a writer without its rights', async () => {
    const admin = await tokenFor('admin', ALL);
    const ada = await tokenFor('ada', roles);
    await made(admin, inDefault('roles'), role('more', ALL));
    const stored = (await as(admin, 'GET', `${inDefault('roles')}/more`)).json();
    const annotated = {
      ...stored,
      metadata: { ...stored.metadata, annotations: { a: 'b' }, labels: { a: 'b' } },
    };
    expect(await status(ada, `${inDefault('roles')}/more`, 'PUT', annotated)).toBe(200);
  });

  it('gets no labels from a writer without its rights: another role may combine it by them', async () => {
    const admin = await tokenFor('admin', ALL);
    const ada = await tokenFor('ada', roles);
    await made(admin, `${RBAC}/clusterroles`, role('more', ALL));
    const path = `${RBAC}/clusterroles/more`;
    const stored = (await as(admin, 'GET', path)).json();
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    const labelled = { ...stored, metadata: { ...stored.metadata, labels } };
    const refused = await as(ada, 'PUT', path, labelled);
    expect([refused.status, refused.json().message]).toEqual([403, expect.stringContaining('verb escalate')]);
    expect(await status(admin, path, 'PUT', labelled)).toBe(200);
  });
});

describe('roles and bindings of a wrong form', () => {
  it('are refused with the place of each fault', async () => {
    const admin = await tokenFor('admin', ALL);
    const faults = async (path: string, body: object): Promise<unknown> => {
      const answer = await as(admin, 'POST', path, body);
      const { causes } = answer.json().details;
      return [answer.status, ...causes.map(({ field }) => field)];
    };
    const rules = [{ apiGroups: [''] }, { verbs: ['get'] }, { verbs: ['get'], nonResourceURLs: ['/x'] }];
    expect(await faults(inDefault('roles'), role('a', ...rules))).toEqual([422, 'rules[0].verbs']);
    expect(await faults(inDefault('roles'), role('a', ...rules.slice(1)))).toEqual([
      422,
      'rules[0].apiGroups',
      'rules[0].resources',
      'rules[1].nonResourceURLs',
    ]);
    expect(await faults(inDefault('roles'), { metadata: { name: 'a' }, rules: { verbs: [] } })).toEqual([
      422,
      'rules',
    ]);
    const wrong = binding(
      'a',
      'Role',
      '',
      { kind: 'Robot', name: 'r' },
      { kind: 'ServiceAccount', name: 'x' },
    );
    expect(await faults(`${RBAC}/clusterrolebindings`, wrong)).toEqual([
      422,
      'roleRef.kind',
      'roleRef.name',
      'subjects[0].kind',
      'subjects[1].namespace',
    ]);
    expect(
      await status(
        admin,
        `${RBAC}/clusterroles?fieldValidation=Strict`,
        'POST',
        role('a', { ...ALL, filter: 'x' }),
      ),
    ).toBe(400);
    await made(admin, `${RBAC}/clusterroles`, role('a', { ...ALL, unknown: 1 }));
    expect((await as(admin, 'GET', `${RBAC}/clusterroles/a`)).json().rules).toEqual([ALL]);
  });

  it('give nothing while their role is absent, and never change it', async () => {
    const admin = await tokenFor('admin', ALL);
    const ada = await tokenFor('ada');
    await made(admin, inDefault('rolebindings'), binding('ada', 'Role', 'late', user('ada')));
    expect(await status(ada, MAPS)).toBe(403);
    await made(admin, inDefault('roles'), role('late', READ_MAPS));
    expect(await status(ada, MAPS)).toBe(200);
    const stored = (await as(admin, 'GET', `${inDefault('rolebindings')}/ada`)).json();
    const moved = { ...stored, roleRef: { apiGroup: GROUP, kind: 'Role', name: 'other' } };
    expect(await status(admin, `${inDefault('rolebindings')}/ada`, 'PUT', moved)).toBe(422);
  });
});

describe('a service account', () => {
  const TOKEN = '/api/v1/namespaces/default/serviceaccounts/default/token';

  it('has tokens with its name, its groups and its rights', async () => {
    const admin = await tokenFor('admin', ALL);
    const token = await accountToken(admin, 'default', { expirationSeconds: 900 });
    const who = await as(token, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(who.json().status).toEqual({
      userInfo: {
        username: 'system:serviceaccount:default:default',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
    });
    expect(await status(token, MAPS)).toBe(403);
    await made(admin, inDefault('roles'), role('reader', READ_MAPS));
    await made(admin, inDefault('rolebindings'), binding('sa', 'Role', 'reader', account('default')));
    expect(await status(token, MAPS)).toBe(200);
    const group = { kind: 'Group', name: 'system:serviceaccounts:default' };
    await made(admin, `${RBAC}/clusterrolebindings`, binding('all', 'ClusterRole', 'view', group));
    expect(await status(token, OTHER_MAPS)).toBe(200);
    const review = { spec: { token } };
    const answer = await as(admin, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
    expect(answer.json().status).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:default:default' },
    });
  });

  it('loses its tokens when it is deleted, also when it is made again', async () => {
    const admin = await tokenFor('admin', ALL);
    await made(admin, '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const token = await accountToken(admin, 'robot');
    const review = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
    expect(await status(token, review, 'POST', { spec: { namespace: 'default' } })).toBe(201);
    await as(admin, 'DELETE', '/api/v1/namespaces/default/serviceaccounts/robot');
    expect(await status(token, review, 'POST', { spec: {} })).toBe(401);
    await made(admin, '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    expect(await status(token, review, 'POST', { spec: {} })).toBe(401);
    expect((await as(token, 'GET', MAPS)).json().message).toContain('which was deleted');
  });

  it('keeps its tokens when old ones are deleted, until the account is gone', async () => {
    const admin = await tokenFor('admin', ALL);
    await made(admin, '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const kept = await accountToken(admin, 'default');
    await accountToken(admin, 'robot');
    const before = await service().listNames(TOKENS);
    await sweepTokens(service());
    expect(await service().listNames(TOKENS)).toEqual(before);
    await as(admin, 'DELETE', '/api/v1/namespaces/default/serviceaccounts/robot');
    await sweepTokens(service());
    expect(await service().listNames(TOKENS)).toHaveLength(before.length - 1);
    const review = { spec: { token: kept } };
    const answer = await as(admin, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
    expect(answer.json().status).toMatchObject({ authenticated: true });
  });

  it('has tokens that end, and no others', async () => {
    const admin = await tokenFor('admin', ALL);
    const answer = await as(admin, 'POST', TOKEN, { spec: {} });
    const { kind, spec, status: state } = answer.json();
    expect([answer.status, kind, spec, answer.headers['cache-control']]).toEqual([
      201,
      'TokenRequest',
      { audiences: [], expirationSeconds: 3_600 },
      'no-store',
    ]);
    const { expirationTimestamp } = state as { expirationTimestamp: string };
    expect(Date.parse(expirationTimestamp) - service().now().getTime()).toBeLessThanOrEqual(3_600_000);
    const long = await as(admin, 'POST', TOKEN, { spec: { expirationSeconds: 2 ** 32 } });
    expect([long.status, long.json().spec.expirationSeconds, long.headers.warning]).toEqual([
      201,
      31_536_000,
      '299 - "requested expiration of 4294967296 seconds shortened to 31536000 seconds"',
    ]);
    for (const wrong of [
      { expirationSeconds: 599 },
      { expirationSeconds: 2 ** 32 + 1 },
      { expirationSeconds: '900' },
      { expirationSeconds: 900.5 },
      { audiences: ['vault'] },
      { boundObjectRef: { kind: 'Pod', name: 'x' } },
    ])
      expect(await status(admin, TOKEN, 'POST', { spec: wrong })).toBe(422);
    expect(await status(admin, TOKEN, 'POST', { kind: 'Pod' })).toBe(400);
    expect(await status(admin, TOKEN.replace('default/token', 'nobody/token'), 'POST', {})).toBe(404);
    expect(await status(admin, TOKEN, 'GET')).toBe(405);
  });

  it('gives tokens only to senders with the right, which may be about one account', async () => {
    const admin = await tokenFor('admin', ALL);
    const ada = await tokenFor('ada');
    expect(await status(ada, TOKEN, 'POST', {})).toBe(403);
    const rule = {
      apiGroups: [''],
      resources: ['serviceaccounts/token'],
      resourceNames: ['default'],
      verbs: ['create'],
    };
    await made(admin, inDefault('roles'), role('tokens', rule));
    await made(admin, inDefault('rolebindings'), binding('ada', 'Role', 'tokens', user('ada')));
    expect(await status(ada, TOKEN, 'POST', {})).toBe(201);
    expect(await status(ada, TOKEN.replace('/default/service', '/kube-public/service'), 'POST', {})).toBe(
      403,
    );
  });

  it('is no user whose tokens or rights others can take', async () => {
    const admin = await tokenFor('admin', ALL);
    await made(
      admin,
      `${RBAC}/clusterrolebindings`,
      binding('sa', 'ClusterRole', 'cluster-admin', account('default')),
    );
    const { metadata } = (
      await as(admin, 'GET', '/api/v1/namespaces/default/serviceaccounts/default')
    ).json();
    const ada = await tokenFor('ada', {
      apiGroups: ['access.platform.run'],
      resources: ['tokens', 'users'],
      verbs: ['create'],
    });
    const spec = {
      user: 'system:serviceaccount:default:default',
      userUID: metadata.uid,
      sha256: 'a'.repeat(64),
    };
    const tokens = '/apis/access.platform.run/v1alpha1/tokens';
    expect(await status(ada, tokens, 'POST', { metadata: { name: 'a'.repeat(20) }, spec })).toBe(403);
    const users = '/apis/access.platform.run/v1alpha1/users';
    expect(await status(ada, users, 'POST', { metadata: { name: spec.user } })).toBe(422);
    expect(
      await status(ada, users, 'POST', { metadata: { name: 'm' }, spec: { groups: ['system:masters'] } }),
    ).toBe(422);
  });
});

describe('reviews', () => {
  const REVIEW = '/apis/authorization.k8s.io/v1';
  const maps = { verb: 'list', resource: 'configmaps', version: 'v1' };

  it('ask about a namespace', async () => {
    const admin = await tokenFor('admin', ALL);
    const ada = await tokenFor('ada');
    await made(admin, inDefault('roles'), role('reader', READ_MAPS));
    await made(admin, inDefault('rolebindings'), binding('ada', 'Role', 'reader', user('ada')));
    const isAllowed = async (token: string, path: string, spec: object): Promise<unknown> =>
      (await as(token, 'POST', `${REVIEW}/${path}`, { spec })).json().status;
    const own = (namespace: string): Promise<unknown> =>
      isAllowed(ada, 'selfsubjectaccessreviews', { resourceAttributes: { ...maps, namespace } });
    expect(await own('default')).toMatchObject({ allowed: true });
    expect(await own('kube-public')).toMatchObject({ allowed: false });
    expect(await own('')).toMatchObject({ allowed: false });
    const attributes = { user: 'ada', resourceAttributes: { ...maps, namespace: 'default' } };
    expect(await isAllowed(admin, 'subjectaccessreviews', attributes)).toMatchObject({ allowed: true });
    expect(await isAllowed(admin, 'namespaces/default/localsubjectaccessreviews', attributes)).toMatchObject({
      allowed: true,
    });
    const masters = { groups: ['system:masters'], resourceAttributes: { ...maps, namespace: 'other' } };
    expect(await isAllowed(admin, 'subjectaccessreviews', masters)).toMatchObject({ allowed: true });
    const rulesIn = async (namespace: string): Promise<number> => {
      const answer = await as(ada, 'POST', `${REVIEW}/selfsubjectrulesreviews`, { spec: { namespace } });
      return (answer.json().status as { resourceRules: unknown[] }).resourceRules.length;
    };
    expect([await rulesIn('default'), await rulesIn('kube-public')]).toEqual([1, 0]);
  });
});
