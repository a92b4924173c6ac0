import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ruleOf } from '../../helpers/admission-webhook.js';
import { define, gadget, gadgets, gadgetsIn } from '../../helpers/definitions.js';
import { startKubernetesServer, type KubernetesServer } from '../../helpers/kubernetes.js';
import { removeDirectories } from '../../helpers/store.js';

let server: KubernetesServer;
const MAPS = '/api/v1/namespaces/default/configmaps';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const GROUP = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = 40;
/** Some 140,000 steps for the values below. */
const QUADRATIC = 'object.data.all(k, object.data.all(l, k != l || object.data[k] == "v"))';
const DATA = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, 'v']));

beforeEach(async () => {
  server = await startKubernetesServer({ kinds: 'full' });
});
afterEach(() => server.close());
afterAll(removeDirectories);

async function bindPolicies(
  count: number,
  expression: string,
  rule = ruleOf('', 'configmaps'),
): Promise<void> {
  for (let i = 0; i < count; i++) {
    const matchConstraints = { resourceRules: [rule] };
    await server.post(`${GROUP}/validatingadmissionpolicies`, {
      metadata: { name: `p${i}` },
      spec: { matchConstraints, validations: [{ expression }] },
    });
    await server.post(`${GROUP}/validatingadmissionpolicybindings`, {
      metadata: { name: `b${i}` },
      spec: { policyName: `p${i}`, validationActions: ['Deny'] },
    });
  }
}

const map = (name: string): object => ({ metadata: { name }, data: DATA });

describe('policies of a write', () => {
  it('share the steps of the write, whatever their number', async () => {
    await bindPolicies(3, QUADRATIC);
    expect((await server.send('POST', MAPS, { body: map('a') })).status).toBe(201);
    await bindMore();
    const { status, text } = await server.send('POST', MAPS, { body: map('b') });
    expect(status).toBe(422);
    expect(text).toMatch(/most of it for policies; .* \(in Valid/);
    expect((await server.send('GET', `${MAPS}/b`)).status).toBe(404);
  });

  it('share them with the rules of the definition', async () => {
    const squared = (list: string) => `${list}.all(x, ${list}.all(y, x != y || x == "v"))`;
    const words = { type: 'array', items: { type: 'string', maxLength: 9 }, maxItems: 200 };
    const rules = ['1', '2', '3'].map((which) => ({ rule: `${squared('self')} || self.size() == ${which}` }));
    await define(
      server,
      gadgets(({ versions: [version] }) => {
        const properties = { plain: words, ruled: { ...words, 'x-kubernetes-validations': rules } };
        Object.assign(version?.schema.openAPIV3Schema.properties ?? {}, {
          spec: { type: 'object', properties },
        });
      }),
    );
    const answerTo = async (field: string) => {
      const body = gadget(field, { [field]: Array.from({ length: 180 }, () => 'v') });
      const { status, text } = await server.send('POST', `${gadgetsIn('default')}?dryRun=All`, { body });
      return [status, text];
    };
    const created = [201, expect.any(String)];
    expect(await answerTo('ruled')).toEqual(created);
    const all = squared('(has(object.spec.plain) ? object.spec.plain : object.spec.ruled)');
    await bindPolicies(10, all, ruleOf('shop.example.com', 'gadgets'));
    expect(await answerTo('plain')).toEqual(created);
    expect(await answerTo('ruled')).toEqual([422, expect.stringContaining('takes too long to check')]);
  });

  it('share those of the batch with the policies of its other objects', async () => {
    await bindPolicies(8, QUADRATIC);
    const items = Array.from({ length: 200 }, (_, i) => ({
      verb: 'create',
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        ...map(`m${i}`),
        metadata: { name: `m${i}`, namespace: 'default' },
      },
    }));
    const { status, text } = await server.send('POST', BATCHES, { body: { items } });
    expect(status).toBe(413);
    expect(text).toContain('together take too long to check');
    expect((await server.send('GET', MAPS)).json()).toMatchObject({ items: [] });
  });
});

const many = <T>(value: (at: number) => T): T[] => Array.from({ length: 20_000 }, (_, at) => value(at));
const expressionOf = (at: number): string => `object.metadata.name != 'name${at}'`;

it.each<[string, object]>([
  ['validations', { validations: many((at) => ({ expression: expressionOf(at) })) }],
  [
    'variables',
    {
      variables: many((at) => ({ name: `name${at}`, expression: expressionOf(at) })),
      validations: [{ expression: 'true' }],
    },
  ],
  [
    'match conditions',
    { matchConditions: many((at) => ({ name: `name${at}`, expression: expressionOf(at) })) },
  ],
])('a policy whose expressions take too long to compile is refused: %s', async (_, spec) => {
  const matchConstraints = { resourceRules: [ruleOf('', 'configmaps')] };
  const body = { metadata: { name: 'p' }, spec: { matchConstraints, ...spec } };
  const { status, text } = await server.send('POST', `${GROUP}/validatingadmissionpolicies`, { body });
  expect([status, text]).toEqual([
    422,
    expect.stringMatching(/takes too long to check, most of it for expressions/),
  ]);
});

async function bindMore(): Promise<void> {
  for (let i = 3; i < POLICIES; i++)
    await server.post(`${GROUP}/validatingadmissionpolicybindings`, {
      metadata: { name: `b${i}` },
      spec: { policyName: 'p0', validationActions: ['Deny'] },
    });
}
