import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configuration, MUTATING, ruleOf, VALIDATING } from '../../helpers/admission-webhook.js';
import { startKubernetesServer, type KubernetesServer } from '../../helpers/kubernetes.js';
import { removeDirectories } from '../../helpers/store.js';

let server: KubernetesServer;

beforeAll(async () => {
  server = await startKubernetesServer({ kinds: 'full' });
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

const NEEDED = {
  name: 'a.example.com',
  clientConfig: { url: 'https://127.0.0.1/x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

async function post(members: object, target = `${VALIDATING}?dryRun=All`) {
  const object = configuration('ValidatingWebhookConfiguration', 'c', { ...NEEDED, ...members });
  const answer = await server.send('POST', target, { body: object });
  return { status: answer.status, body: answer.json() };
}

describe('a configuration of webhooks', () => {
  it('gets the defaults of Kubernetes', async () => {
    const service = { namespace: 'n', name: 's' };
    const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
    const object = configuration('MutatingWebhookConfiguration', 'c', {
      ...NEEDED,
      clientConfig: { service },
      rules: [rule],
    });
    const answer = await server.post(MUTATING, object);
    expect(answer.json().webhooks).toEqual([
      {
        ...NEEDED,
        clientConfig: { service: { ...service, port: 443 } },
        rules: [{ ...rule, scope: '*' }],
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
        reinvocationPolicy: 'Never',
      },
    ]);
    const other = await post({});
    expect(other.body.webhooks).not.toHaveProperty('0.reinvocationPolicy');
  });

  it.each([
    [{ name: 'example.com' }, 'name', 'should be a domain with at least three segments separated by dots'],
    [{ clientConfig: {} }, 'clientConfig', 'exactly one of url or service is required'],
    [
      { clientConfig: { url: 'https://h/', service: { namespace: 'n', name: 's' } } },
      'clientConfig',
      'exactly one of url or service is required',
    ],
    [{ clientConfig: { url: 'http://h/' } }, 'clientConfig.url', "'https' is the only allowed URL scheme"],
    [
      { clientConfig: { url: 'https://u:p@h/' } },
      'clientConfig.url',
      'user information is not permitted in the URL',
    ],
    [{ clientConfig: { url: 'https://h/#f' } }, 'clientConfig.url', 'fragments are not permitted in the URL'],
    [
      { clientConfig: { url: 'https://h/?q=1' } },
      'clientConfig.url',
      'query parameters are not permitted in the URL',
    ],
    [{ clientConfig: { url: 'nothing' } }, 'clientConfig.url', 'url must be a valid URL'],
    [
      { clientConfig: { service: { namespace: 'n', name: 's', port: 70_000 } } },
      'clientConfig.service.port',
      'port is not valid',
    ],
    [
      { clientConfig: { service: { namespace: 'n', name: 's', path: 'x' } } },
      'clientConfig.service.path',
      "must start with a '/'",
    ],
    [
      { clientConfig: { url: 'https://h/', caBundle: 'bm8=' } },
      'clientConfig.caBundle',
      'must be certificates in PEM',
    ],
    [{ sideEffects: 'Some' }, 'sideEffects', 'supported values: "None", "NoneOnDryRun"'],
    [{ sideEffects: undefined }, 'sideEffects', ''],
    [{ admissionReviewVersions: ['v1beta1'] }, 'admissionReviewVersions', 'must include at least one of v1'],
    [{ admissionReviewVersions: ['v1', 'v1'] }, 'admissionReviewVersions[1]', 'duplicate version'],
    [{ timeoutSeconds: 31 }, 'timeoutSeconds', 'the timeout value must be between 1 and 30 seconds'],
    [{ timeoutSeconds: 0 }, 'timeoutSeconds', 'the timeout value must be between 1 and 30 seconds'],
    [{ failurePolicy: 'Perhaps' }, 'failurePolicy', 'supported values: "Fail", "Ignore"'],
    [{ matchPolicy: 'Perhaps' }, 'matchPolicy', 'supported values: "Equivalent", "Exact"'],
    [{ rules: [ruleOf('', '')] }, 'rules[0].resources[0]', 'is required'],
    [{ rules: [{ ...ruleOf('', 'a'), operations: ['READ'] }] }, 'rules[0].operations[0]', 'supported values'],
    [
      { rules: [{ ...ruleOf('', 'a'), operations: ['*', 'CREATE'] }] },
      'rules[0].operations',
      "if '*' is present",
    ],
    [
      { rules: [{ ...ruleOf('', 'a'), resources: ['*/*', 'b'] }] },
      'rules[0].resources',
      "if '*/*' is present",
    ],
    [
      { rules: [{ ...ruleOf('', 'a'), resources: ['a/*', 'a/b'] }] },
      'rules[0].resources[1]',
      "if 'a/*' is present",
    ],
    [{ rules: [{ ...ruleOf('', 'a'), scope: 'Some' }] }, 'rules[0].scope', 'supported values'],
    [
      { objectSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      'objectSelector.matchExpressions[0].values',
      'must be specified',
    ],
    [
      { matchConditions: [{ name: 'a', expression: 'object.' }] },
      'matchConditions[0].expression',
      'compilation failed',
    ],
    [
      { matchConditions: [{ name: 'a', expression: '1' }] },
      'matchConditions[0].expression',
      'must be a bool',
    ],
    [
      { matchConditions: Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: 'true' })) },
      'matchConditions',
      'must have at most 64 items',
    ],
  ])('with %j is refused at %s', async (members, field, message) => {
    const { status, body } = await post(members);
    expect(status).toBe(422);
    const cause = body.details.causes.find((one) => one.field === `webhooks[0].${field}`);
    expect(cause?.message).toContain(message);
  });

  it('has each name once', async () => {
    const object = configuration('ValidatingWebhookConfiguration', 'c', NEEDED, NEEDED);
    const answer = await server.send('POST', VALIDATING, { body: object });
    expect(answer.status).toBe(422);
    expect(answer.json().details.causes).toMatchObject([
      { field: 'webhooks[1]', reason: 'FieldValueDuplicate' },
    ]);
  });
});
