import { describe, expect, it } from 'vitest';
import { AdmissionSuite, MAPS, MERGE } from '../../helpers/admission-suite.js';
import {
  configuration,
  MUTATING,
  patched,
  ruleOf,
  VALIDATING,
  webhookEntry,
} from '../../helpers/admission-webhook.js';

const suite = new AdmissionSuite(1);
const send: AdmissionSuite['send'] = (...given) => suite.send(...given);

const asked = (): unknown[] =>
  suite.hook().requests.map(({ name, operation }) => `${operation} ${name ?? ''}`);

describe('a webhook is asked', () => {
  it('about the namespaces that its selector matches, and about all that are in none', async () => {
    await suite.server.post('/api/v1/namespaces', { metadata: { name: 'prod', labels: { env: 'prod' } } });
    await suite.validate({
      namespaceSelector: { matchExpressions: [{ key: 'env', operator: 'In', values: ['prod'] }] },
      rules: [ruleOf('', '*'), ruleOf('rbac.authorization.k8s.io', 'clusterroles')],
    });
    await suite.server.post(MAPS, { metadata: { name: 'a' } });
    await suite.server.post('/api/v1/namespaces/prod/configmaps', { metadata: { name: 'b' } });
    await suite.server.post('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'c' } });
    // A namespace is judged by its own labels.
    await suite.server.post('/api/v1/namespaces', { metadata: { name: 'other' } });
    await suite.server.post('/api/v1/namespaces', { metadata: { name: 'more', labels: { env: 'prod' } } });
    expect(asked()).toEqual(['CREATE b', 'CREATE c', 'CREATE more']);
    expect(suite.hook().requests.at(-1)?.namespace).toBe('more');
  });

  it('when its selector matches the object before or after the write', async () => {
    await suite.validate({ objectSelector: { matchLabels: { watched: 'yes' } } });
    await suite.server.post(MAPS, { metadata: { name: 'a' } });
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
    await suite.validate({ rules });
    await suite.server.post(MAPS, { metadata: { name: 'a' } });
    await send('PATCH', `${MAPS}/a`, { data: { k: '1' } }, MERGE);
    expect(asked()).toEqual(expected);
  });

  it('when its conditions hold', async () => {
    await suite.validate({
      matchConditions: [
        { name: 'not-ours', expression: '!request.userInfo.username.startsWith("system:node")' },
        { name: 'changed', expression: 'oldObject == null || object.data != oldObject.data' },
      ],
    });
    await suite.server.post(MAPS, { metadata: { name: 'a' }, data: { k: '1' } });
    await send('PATCH', `${MAPS}/a`, { metadata: { labels: { l: '1' } } }, MERGE);
    await send('PATCH', `${MAPS}/a`, { data: { k: '2' } }, MERGE);
    expect(suite.hook().requests.map(({ object }) => object?.data)).toEqual([{ k: '1' }, { k: '2' }]);
  });

  it('and a condition without a value refuses the write, or leaves the webhook out when failures are ignored', async () => {
    const matchConditions = [{ name: 'c', expression: 'object.data.missing == "1"' }];
    await suite.validate({ matchConditions });
    const { status, body } = await send('POST', MAPS, { metadata: { name: 'a' } });
    expect(status).toBe(403);
    expect(body.message).toContain('configmaps "a" is forbidden: matchConditions[0] "c"');
    const webhooks = [webhookEntry(suite.hook(), { matchConditions, failurePolicy: 'Ignore' })];
    await send('PATCH', `${VALIDATING}/one`, { webhooks }, MERGE);
    await suite.server.post(MAPS, { metadata: { name: 'a' } });
    expect(asked()).toEqual([]);
  });

  it('by its rules about another version, in which it sees the object, unless it wants only that version', async () => {
    const v1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
    const rules = [{ ...ruleOf('autoscaling', 'horizontalpodautoscalers'), apiVersions: ['v2'] }];
    await suite.server.post(
      MUTATING,
      configuration(
        'MutatingWebhookConfiguration',
        'm',
        webhookEntry(suite.hook(), { rules, name: 'm.example.com' }),
      ),
    );
    suite.hook().decide = () => patched({ op: 'add', path: '/spec/metrics', value: [] });
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 70,
    };
    await suite.server.post(v1, { metadata: { name: 'a' }, spec });
    expect(suite.hook().requests[0]).toMatchObject({
      kind: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
      resource: { version: 'v2' },
      requestKind: { version: 'v1' },
      requestResource: { version: 'v1' },
      object: { apiVersion: 'autoscaling/v2', spec: { metrics: [{ resource: { name: 'cpu' } }] } },
    });
    await send(
      'PATCH',
      `${MUTATING}/m`,
      { webhooks: [webhookEntry(suite.hook(), { rules, matchPolicy: 'Exact' })] },
      MERGE,
    );
    await suite.server.post(v1, { metadata: { name: 'b' }, spec });
    expect(suite.hook().requests).toHaveLength(1);
  });
});
