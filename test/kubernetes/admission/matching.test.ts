import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ALLOWED,
  configuration,
  patched,
  MUTATING,
  ruleOf,
  startAdmissionReceiver,
  VALIDATING,
  webhookEntry,
  type AdmissionReceiver,
} from '../../helpers/admission-webhook.js';
import { startKubernetesServer, type KubernetesServer } from '../../helpers/kubernetes.js';
import { removeDirectories } from '../../helpers/store.js';

let server: KubernetesServer;
let hook: AdmissionReceiver;
const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = 'application/merge-patch+json';

beforeAll(async () => {
  hook = await startAdmissionReceiver();
});
beforeEach(async () => {
  server = await startKubernetesServer({ kinds: 'full' });
  hook.decide = () => ALLOWED;
  hook.requests.length = 0;
});
afterEach(() => server.close());
afterAll(async () => {
  await hook.stop();
  removeDirectories();
});

async function ask(members: object = {}): Promise<void> {
  await server.post(
    VALIDATING,
    configuration('ValidatingWebhookConfiguration', 'one', webhookEntry(hook, members)),
  );
}

async function send(method: string, target: string, body?: object, type?: string) {
  const headers = type === undefined ? {} : { 'Content-Type': type };
  const answer = await server.send(method, target, { ...(body && { body }), headers });
  return { status: answer.status, body: answer.json() };
}

const asked = (): unknown[] => hook.requests.map(({ name, operation }) => `${operation} ${name ?? ''}`);

describe('a webhook is asked', () => {
  it('about the namespaces that its selector matches, and about all that are in none', async () => {
    await server.post('/api/v1/namespaces', { metadata: { name: 'prod', labels: { env: 'prod' } } });
    await ask({
      namespaceSelector: { matchExpressions: [{ key: 'env', operator: 'In', values: ['prod'] }] },
      rules: [ruleOf('', '*'), ruleOf('rbac.authorization.k8s.io', 'clusterroles')],
    });
    await server.post(MAPS, { metadata: { name: 'a' } });
    await server.post('/api/v1/namespaces/prod/configmaps', { metadata: { name: 'b' } });
    await server.post('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'c' } });
    // A namespace is judged by its own labels.
    await server.post('/api/v1/namespaces', { metadata: { name: 'other' } });
    await server.post('/api/v1/namespaces', { metadata: { name: 'more', labels: { env: 'prod' } } });
    expect(asked()).toEqual(['CREATE b', 'CREATE c', 'CREATE more']);
    expect(hook.requests.at(-1)?.namespace).toBe('more');
  });

  it('when its selector matches the object before or after the write', async () => {
    await ask({ objectSelector: { matchLabels: { watched: 'yes' } } });
    await server.post(MAPS, { metadata: { name: 'a' } });
    await send('PATCH', `${MAPS}/a`, { metadata: { labels: { watched: 'yes' } } }, MERGE);
    await send('PATCH', `${MAPS}/a`, { metadata: { labels: { watched: null } } }, MERGE);
    await send('PATCH', `${MAPS}/a`, { data: { k: '1' } }, MERGE);
    expect(asked()).toEqual(['UPDATE a', 'UPDATE a']);
  });

  it.each([
    [[ruleOf('', 'configmaps', 'UPDATE')], ['UPDATE a']],
    [[{ ...ruleOf('', 'configmaps'), scope: 'Cluster' }], []],
    [[{ ...ruleOf('', 'configmaps'), scope: 'Namespaced' }], ['CREATE a', 'UPDATE a']],
    [[{ ...ruleOf('', 'configmaps'), apiVersions: ['v2'] }], []],
    [[ruleOf('apps', '*/*')], []],
    [[ruleOf('', 'configmaps/status')], []],
    [[ruleOf('', '*/status')], []],
    [
      [ruleOf('apps', '*'), ruleOf('', 'configmaps/*')],
      ['CREATE a', 'UPDATE a'],
    ],
  ])('by its rules %j about %j', async (rules, expected) => {
    await ask({ rules });
    await server.post(MAPS, { metadata: { name: 'a' } });
    await send('PATCH', `${MAPS}/a`, { data: { k: '1' } }, MERGE);
    expect(asked()).toEqual(expected);
  });

  it('when its conditions hold', async () => {
    await ask({
      matchConditions: [
        { name: 'not-ours', expression: '!request.userInfo.username.startsWith("system:node")' },
        { name: 'changed', expression: 'oldObject == null || object.data != oldObject.data' },
      ],
    });
    await server.post(MAPS, { metadata: { name: 'a' }, data: { k: '1' } });
    await send('PATCH', `${MAPS}/a`, { metadata: { labels: { l: '1' } } }, MERGE);
    await send('PATCH', `${MAPS}/a`, { data: { k: '2' } }, MERGE);
    expect(hook.requests.map(({ object }) => object?.data)).toEqual([{ k: '1' }, { k: '2' }]);
  });

  it('and a condition without a value refuses the write, or leaves the webhook out when failures are ignored', async () => {
    const matchConditions = [{ name: 'c', expression: 'object.data.missing == "1"' }];
    await ask({ matchConditions });
    const { status, body } = await send('POST', MAPS, { metadata: { name: 'a' } });
    expect(status).toBe(403);
    expect(body.message).toContain('configmaps "a" is forbidden: matchConditions[0] "c"');
    const webhooks = [webhookEntry(hook, { matchConditions, failurePolicy: 'Ignore' })];
    await send('PATCH', `${VALIDATING}/one`, { webhooks }, MERGE);
    await server.post(MAPS, { metadata: { name: 'a' } });
    expect(asked()).toEqual([]);
  });

  it('by its rules about another version, in which it sees the object, unless it wants only that version', async () => {
    const v1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
    const rules = [{ ...ruleOf('autoscaling', 'horizontalpodautoscalers'), apiVersions: ['v2'] }];
    await server.post(
      MUTATING,
      configuration(
        'MutatingWebhookConfiguration',
        'm',
        webhookEntry(hook, { rules, name: 'm.example.com' }),
      ),
    );
    hook.decide = () => patched({ op: 'add', path: '/spec/metrics', value: [] });
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 70,
    };
    await server.post(v1, { metadata: { name: 'a' }, spec });
    expect(hook.requests[0]).toMatchObject({
      kind: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
      resource: { version: 'v2' },
      requestKind: { version: 'v1' },
      requestResource: { version: 'v1' },
      object: { apiVersion: 'autoscaling/v2', spec: { metrics: [{ resource: { name: 'cpu' } }] } },
    });
    await send(
      'PATCH',
      `${MUTATING}/m`,
      { webhooks: [webhookEntry(hook, { rules, matchPolicy: 'Exact' })] },
      MERGE,
    );
    await server.post(v1, { metadata: { name: 'b' }, spec });
    expect(hook.requests).toHaveLength(1);
  });
});
