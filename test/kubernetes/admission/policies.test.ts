import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ruleOf } from '../../helpers/admission-webhook.js';
import { define, DEFINITIONS, gadget, gadgets, gadgetsIn } from '../../helpers/definitions.js';
import { startKubernetesServer, waitFor, type KubernetesServer } from '../../helpers/kubernetes.js';
import { removeDirectories } from '../../helpers/store.js';

let server: KubernetesServer;
const MAPS = '/api/v1/namespaces/default/configmaps';
const GROUP = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${GROUP}/validatingadmissionpolicies`;
const BINDINGS = `${GROUP}/validatingadmissionpolicybindings`;
const MERGE = 'application/merge-patch+json';

beforeEach(async () => {
  server = await startKubernetesServer({ kinds: 'full' });
});
afterEach(() => server.close());
afterAll(removeDirectories);

async function send(method: string, target: string, body?: object, type?: string) {
  const headers = type === undefined ? {} : { 'Content-Type': type };
  const answer = await server.send(method, target, { ...(body && { body }), headers });
  return { status: answer.status, headers: answer.headers, body: answer.json() };
}

const CONSTRAINTS = { resourceRules: [ruleOf('', 'configmaps')] };

function policy(spec: object, name = 'p'): object {
  return { metadata: { name }, spec: { matchConstraints: CONSTRAINTS, ...spec } };
}

async function validate(spec: object, binding: object = {}): Promise<void> {
  await server.post(POLICIES, policy(spec));
  await bind(binding);
}

async function bind(spec: object, name = 'b'): Promise<void> {
  await server.post(BINDINGS, {
    metadata: { name },
    spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
  });
}

const map = (name: string, data?: object, labels?: object): object => ({
  metadata: { name, ...(labels && { labels }) },
  ...(data && { data }),
});

const SMALL = { expression: '!has(object.data) || size(object.data) <= 1' };

describe('a policy of admission', () => {
  it('refuses what breaks a validation, once it is bound', async () => {
    await server.post(POLICIES, policy({ validations: [SMALL] }));
    await server.post(MAPS, map('a', { k: '1', l: '2' }));
    await bind({});
    const { status, body } = await send('POST', MAPS, map('b', { k: '1', l: '2' }));
    expect(status).toBe(422);
    expect(body).toMatchObject({
      reason: 'Invalid',
      message:
        "configmaps \"b\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: " +
        'failed expression: !has(object.data) || size(object.data) <= 1',
    });
    expect((await send('POST', MAPS, map('b', { k: '1' }))).status).toBe(201);
    expect((await send('PATCH', `${MAPS}/b`, { data: { l: '2' } }, MERGE)).status).toBe(422);
    expect((await send('DELETE', `${BINDINGS}/b`)).status).toBe(200);
    expect((await send('PATCH', `${MAPS}/b`, { data: { l: '2' } }, MERGE)).status).toBe(200);
  });

  it('says its message, computed or fixed, with its reason', async () => {
    await validate({
      variables: [
        { name: 'keys', expression: 'has(object.data) ? size(object.data) : 0' },
        { name: 'isLarge', expression: 'variables.keys > 1' },
      ],
      validations: [
        {
          expression: '!variables.isLarge',
          messageExpression: '"has " + string(variables.keys) + " keys"',
          reason: 'Forbidden',
        },
        { expression: 'object.metadata.name != "bad"', message: 'bad name' },
      ],
    });
    const large = await send('POST', MAPS, map('a', { k: '1', l: '2' }));
    expect(large.status).toBe(403);
    expect(large.body.message).toContain('denied request: has 2 keys');
    const bad = await send('POST', MAPS, map('bad'));
    expect(bad.status).toBe(422);
    expect(bad.body.message).toContain('denied request: bad name');
  });

  it('sees the old object, the request, and the namespace', async () => {
    await server.post('/api/v1/namespaces', { metadata: { name: 'strict', labels: { level: 'high' } } });
    await validate({
      validations: [
        { expression: 'request.operation != "DELETE" || oldObject.metadata.name != "kept"', message: 'kept' },
        {
          expression: 'oldObject == null || object == null || object.data == oldObject.data',
          message: 'fixed',
        },
        {
          expression:
            '!has(namespaceObject.metadata.labels) || !("level" in namespaceObject.metadata.labels)',
          message: 'strict',
        },
      ],
    });
    await server.post(MAPS, map('kept', { k: '1' }));
    expect((await send('DELETE', `${MAPS}/kept`)).body.message).toContain('denied request: kept');
    expect((await send('PATCH', `${MAPS}/kept`, { data: { k: '2' } }, MERGE)).body.message).toContain(
      ': fixed',
    );
    const strict = await send('POST', '/api/v1/namespaces/strict/configmaps', map('a'));
    expect(strict.body.message).toContain(': strict');
  });

  it('may only warn', async () => {
    await validate(
      { validations: [{ ...SMALL, message: 'too many' }] },
      { validationActions: ['Warn', 'Audit'] },
    );
    const { status, headers } = await send('POST', MAPS, map('a', { k: '1', l: '2' }));
    expect(status).toBe(201);
    expect(headers.warning).toContain(
      "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': too many",
    );
  });

  it('counts where the policy and the binding match', async () => {
    await validate(
      {
        matchConstraints: {
          resourceRules: [ruleOf('', '*')],
          excludeResourceRules: [{ ...ruleOf('', 'configmaps'), resourceNames: ['free'] }],
        },
        matchConditions: [{ name: 'named', expression: 'object.metadata.name != "other"' }],
        validations: [{ expression: 'false', message: 'no' }],
      },
      { matchResources: { objectSelector: { matchLabels: { checked: 'yes' } } } },
    );
    const labels = { checked: 'yes' };
    expect((await send('POST', MAPS, map('a', {}, labels))).status).toBe(422);
    expect((await send('POST', MAPS, map('a'))).status).toBe(201);
    expect((await send('POST', MAPS, map('free', {}, labels))).status).toBe(201);
    expect((await send('POST', MAPS, map('other', {}, labels))).status).toBe(201);
    const secrets = '/api/v1/namespaces/default/secrets';
    expect((await send('POST', secrets, map('free', {}, labels))).status).toBe(422);
  });

  it('compares with parameters', async () => {
    await validate(
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: { resourceRules: [ruleOf('', 'secrets')] },
        validations: [
          { expression: 'size(object.metadata.name) <= int(params.data.max)', message: 'too long' },
        ],
      },
      { paramRef: { name: 'limits', namespace: 'kube-public', parameterNotFoundAction: 'Deny' } },
    );
    const secrets = '/api/v1/namespaces/default/secrets';
    const missing = await send('POST', secrets, map('a'));
    expect(missing.status).toBe(422);
    expect(missing.body.message).toContain('no params found');
    await server.post('/api/v1/namespaces/kube-public/configmaps', map('limits', { max: '3' }));
    expect((await send('POST', secrets, map('abc'))).status).toBe(201);
    expect((await send('POST', secrets, map('abcd'))).body.message).toContain('too long');
    const selector = { matchLabels: { kind: 'limit' } };
    await send(
      'PATCH',
      `${BINDINGS}/b`,
      { spec: { paramRef: { name: null, selector, parameterNotFoundAction: 'Allow', namespace: null } } },
      MERGE,
    );
    expect((await send('POST', secrets, map('abcd'))).status).toBe(201);
    await server.post(MAPS, map('one', { max: '5' }, { kind: 'limit' }));
    await server.post(MAPS, map('two', { max: '4' }, { kind: 'limit' }));
    expect((await send('POST', secrets, map('abcde'))).status).toBe(422);
  });

  it('without a value fails, unless failures are ignored', async () => {
    await validate({ validations: [{ expression: 'object.data.missing == "1"' }] });
    const { status, body } = await send('POST', MAPS, map('a'));
    expect(status).toBe(422);
    expect(body.message).toContain('expression \'object.data.missing == "1"\' resulted in error: ');
    await send('PATCH', `${POLICIES}/p`, { spec: { failurePolicy: 'Ignore' } }, MERGE);
    expect((await send('POST', MAPS, map('a'))).status).toBe(201);
  });

  it('has a limit for the steps of all its expressions, and says so', async () => {
    const data = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 'v']));
    const tooMany =
      /takes too long to check, most of it for policies; .* \(in ValidatingAdmissionPolicy 'p'\)$/;
    const once = 'object.data.all(k, size(k) > 0)';
    const squared = 'object.data.all(k, object.data.all(l, l != ""))';
    for (const [spec, message] of [
      [{ validations: [{ expression: once }] }, undefined],
      [{ validations: [{ expression: squared }] }, tooMany],
      [{ validations: Array.from({ length: 1_000 }, () => ({ expression: once })) }, tooMany],
      [
        {
          variables: Array.from({ length: 300 }, (_, i) => ({
            name: `v${i}`,
            expression: i === 0 ? once : `variables.v${i - 1} && ${once}`,
          })),
          validations: [{ expression: 'variables.v299' }],
        },
        tooMany,
      ],
      [{ validations: [{ expression: 'false', messageExpression: `string(${squared})` }] }, tooMany],
      [
        { matchConditions: [{ name: 'c', expression: squared }], validations: [{ expression: 'true' }] },
        /takes too long to check, most of it for match conditions; .* \(in ValidatingAdmissionPolicy 'p'\)$/,
      ],
    ] as const) {
      await validate(spec);
      const { status, body } = await send('POST', `${MAPS}?dryRun=All`, map('a', data));
      if (message === undefined) expect(status).toBe(201);
      else expect([spec, body.message]).toEqual([spec, expect.stringMatching(message)]);
      await send('DELETE', `${BINDINGS}/b`);
      await send('DELETE', `${POLICIES}/p`);
    }
  });

  it.each([
    ['1 / 0 == 1', 'division by zero'],
    ['9223372036854775807 + size(object.metadata.name) > 0', 'the int does not fit into 64 bits'],
    ['object.data.a.b == 1', 'there is no "data"'],
    ['object.metadata.name', 'it is not true or false'],
  ])('whose validation %s has no value says why', async (expression, reason) => {
    await validate({ validations: [{ expression }] });
    const { status, body } = await send('POST', MAPS, map('a'));
    expect(status).toBe(422);
    expect(body.message).toContain(`expression '${expression}' resulted in error: ${reason}`);
  });

  it('may have any text in its expressions and messages', async () => {
    await validate({ validations: [{ expression: '"\u0000😀é".size() == 2', message: 'a\u0000b 😀' }] });
    const { status, body } = await send('POST', MAPS, map('a'));
    expect(status).toBe(422);
    expect(body.message).toMatch(/denied request: a.b 😀$/su);
  });

  it('whose kind of parameters is gone refuses, unless failures are ignored', async () => {
    const limits = gadgets();
    expect((await define(server, limits)).status).toBe(201);
    await server.post(gadgetsIn('default'), gadget('limit'));
    await validate(
      {
        paramKind: { apiVersion: 'shop.example.com/v1', kind: 'Gadget' },
        validations: [{ expression: 'params.spec.size == 1' }],
      },
      { paramRef: { name: 'limit', parameterNotFoundAction: 'Allow' } },
    );
    expect((await send('POST', MAPS, map('a'))).status).toBe(201);
    await send('DELETE', `${DEFINITIONS}/${limits.metadata.name}`);
    await waitFor(
      () => send('GET', `${DEFINITIONS}/${limits.metadata.name}`),
      ({ status }) => status === 404,
    );
    const { status, body } = await send('POST', MAPS, map('b'));
    expect(status).toBe(422);
    expect(body.message).toContain('paramKind kind `shop.example.com/v1, Kind=Gadget` not known');
    await send('PATCH', `${POLICIES}/p`, { spec: { failurePolicy: 'Ignore' } }, MERGE);
    expect((await send('POST', MAPS, map('b'))).status).toBe(201);
  });

  it('never concerns policies', async () => {
    await validate({
      matchConstraints: { resourceRules: [ruleOf('*', '*/*')] },
      validations: [{ expression: 'false' }],
    });
    expect((await send('POST', MAPS, map('a'))).status).toBe(422);
    expect((await send('DELETE', `${BINDINGS}/b`)).status).toBe(200);
    expect((await send('DELETE', `${POLICIES}/p`)).status).toBe(200);
    expect((await send('POST', MAPS, map('a'))).status).toBe(201);
  });
});

describe('a stored policy', () => {
  it.each([
    [{ validations: [] }, 'spec.validations'],
    [{ matchConstraints: {}, validations: [SMALL] }, 'spec.matchConstraints.resourceRules'],
    [{ validations: [{ expression: 'object.' }] }, 'spec.validations[0].expression'],
    [{ validations: [{ expression: '1' }] }, 'spec.validations[0].expression'],
    [{ validations: [{ expression: 'params.a' }] }, 'spec.validations[0].expression'],
    [{ validations: [{ expression: 'variables.unknown' }] }, 'spec.validations[0].expression'],
    [{ validations: [{ ...SMALL, messageExpression: '1' }] }, 'spec.validations[0].messageExpression'],
    [{ validations: [{ ...SMALL, reason: 'Because' }] }, 'spec.validations[0].reason'],
    [{ validations: [SMALL], variables: [{ name: 'a b', expression: '1' }] }, 'spec.variables[0].name'],
    [{ validations: [SMALL], variables: [{ name: 'a', expression: '(' }] }, 'spec.variables[0].expression'],
    [{ validations: [SMALL], failurePolicy: 'Perhaps' }, 'spec.failurePolicy'],
    [{ validations: [SMALL], paramKind: { kind: 'A' } }, 'spec.paramKind.apiVersion'],
  ])('with %j is refused at %s', async (spec, field) => {
    const { status, body } = await send('POST', POLICIES, policy(spec));
    expect(status).toBe(422);
    expect(body.details.causes.map((cause) => cause.field)).toContain(field);
  });

  it.each([
    [{ validationActions: [] }, 'spec.validationActions'],
    [{ validationActions: ['Deny', 'Warn'] }, 'spec.validationActions'],
    [{ validationActions: ['Other'] }, 'spec.validationActions[0]'],
    [{ policyName: '' }, 'spec.policyName'],
    [{ paramRef: { parameterNotFoundAction: 'Allow' } }, 'spec.paramRef'],
    [{ paramRef: { name: 'a' } }, 'spec.paramRef.parameterNotFoundAction'],
  ])('needs a binding without %j: it is refused at %s', async (spec, field) => {
    const body = { metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'], ...spec } };
    const answer = await send('POST', BINDINGS, body);
    expect(answer.status).toBe(422);
    expect(answer.body.details.causes.map((cause) => cause.field)).toContain(field);
  });
});
