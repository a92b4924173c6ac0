import { beforeEach, describe, expect, it } from 'vitest';
import { AdmissionSuite, map, MAPS, MERGE } from '../../helpers/admission-suite.js';
import {
  configuration,
  denied,
  MUTATING,
  patched,
  ruleOf,
  VALIDATING,
  webhookEntry,
} from '../../helpers/admission-webhook.js';

const suite = new AdmissionSuite(2);
const send: AdmissionSuite['send'] = (...given) => suite.send(...given);

async function ask(receiver = suite.hook(), members: object = {}, name = 'one'): Promise<void> {
  await suite.server.post(
    MUTATING,
    configuration('MutatingWebhookConfiguration', name, webhookEntry(receiver, members)),
  );
}

async function validate(receiver = suite.hook(), members: object = {}): Promise<void> {
  await suite.server.post(
    VALIDATING,
    configuration(
      'ValidatingWebhookConfiguration',
      'v',
      webhookEntry(receiver, { name: 'v.example.com', ...members }),
    ),
  );
}

const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';
const KIND = { apiVersion: 'v1', kind: 'ConfigMap' };
const setData = (value: string) => patched({ op: 'add', path: '/data', value: { k: value } });

interface Managers {
  readonly managedFields: readonly { readonly manager: string; readonly fieldsV1: object }[];
}

describe('a mutating webhook', () => {
  it('changes the object of a create, which validating webhooks see', async () => {
    await ask();
    await validate(suite.hook(1));
    suite.hook().decide = () => setData('set');
    const answer = await send('POST', MAPS, map('a'));
    expect(answer.body).toMatchObject({ data: { k: 'set' } });
    expect((await send('GET', `${MAPS}/a`)).body).toMatchObject({ data: { k: 'set' } });
    expect(suite.hook().requests[0]?.object?.metadata).not.toHaveProperty('uid');
    expect(suite.hook(1).requests).toHaveLength(1);
    expect(suite.hook(1).requests[0]?.object).toMatchObject({ data: { k: 'set' } });
  });

  it('sees no generated name', async () => {
    await ask();
    suite.hook().decide = () => setData('set');
    const { body } = await send('POST', MAPS, { metadata: { generateName: 'gen-' } });
    expect(body.metadata.name).toMatch(/^gen-.{5,}$/);
    expect(body).toMatchObject({ data: { k: 'set' } });
    expect(suite.hook().requests[0]).not.toHaveProperty('name');
    expect(suite.hook().requests[0]?.object?.metadata).not.toHaveProperty('name');
  });

  it('changes the object of updates, patches and applies', async () => {
    await suite.server.post(MAPS, map('a', { data: { k: '0' } }));
    await ask();
    suite.hook().decide = ({ object }) =>
      patched({ op: 'add', path: '/metadata/labels', value: { seen: String(object?.data !== undefined) } });
    for (const [method, body, type] of [
      ['PUT', { metadata: { name: 'a' }, data: { k: '1' } }, 'application/json'],
      ['PATCH', { data: { k: '2' } }, MERGE],
      ['PATCH', [{ op: 'replace', path: '/data/k', value: '3' }], JSON_PATCH],
      ['PATCH', { data: { k: '4' } }, 'application/strategic-merge-patch+json'],
    ] as const) {
      const { body: changed } = await send(method, `${MAPS}/a`, body, type);
      expect(changed.metadata.labels).toEqual({ seen: 'true' });
    }
    const apply = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: '5' } };
    const applied = await send('PATCH', `${MAPS}/a?fieldManager=m&force=true`, apply, APPLY);
    expect(applied.body).toMatchObject({ data: { k: '5' }, metadata: { labels: { seen: 'true' } } });
    const created = await send(
      'PATCH',
      `${MAPS}/b?fieldManager=m`,
      { ...apply, metadata: { name: 'b' } },
      APPLY,
    );
    expect(created.status).toBe(201);
    expect(created.body.metadata.labels).toEqual({ seen: 'true' });
    expect(suite.hook().requests.map(({ operation }) => operation)).toEqual([
      ...Array<string>(5).fill('UPDATE'),
      'CREATE',
    ]);
  });

  it('owns nothing that it sets, and takes nothing from those who own it', async () => {
    await ask();
    suite.hook().decide = () => setData('set');
    const apply = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { l: '1' } } };
    const { body } = await send('PATCH', `${MAPS}/a?fieldManager=m`, apply, APPLY);
    expect(body).toMatchObject({ data: { k: 'set' } });
    const { managedFields } = body.metadata as unknown as Managers;
    expect(managedFields).toHaveLength(1);
    expect(managedFields[0]).toMatchObject({
      manager: 'm',
      operation: 'Apply',
      fieldsV1: { 'f:metadata': { 'f:labels': { 'f:l': {} } } },
    });
    expect(JSON.stringify(managedFields)).not.toContain('f:data');
    expect(suite.hook().requests[0]?.object?.metadata.managedFields).toHaveLength(1);
    const again = await send('PATCH', `${MAPS}/a?fieldManager=m`, apply, APPLY);
    expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  it('makes an object valid that lacks what the schema requires', async () => {
    await suite.server.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: {
              status: {},
              scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
            },
            schema: {
              openAPIV3Schema: {
                type: 'object',
                required: ['spec'],
                properties: {
                  spec: {
                    type: 'object',
                    required: ['size'],
                    properties: {
                      size: { type: 'integer', maximum: 10 },
                      color: { type: 'string', default: 'red' },
                      replicas: { type: 'integer' },
                    },
                  },
                  status: { type: 'object', properties: { replicas: { type: 'integer' } } },
                },
              },
            },
          },
        ],
      },
    });
    const widgets = '/apis/example.com/v1/namespaces/default/widgets';
    const size = (value: unknown) => patched({ op: 'add', path: '/spec/size', value });
    const one = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a' },
      spec: { unknown: 1 },
    };
    expect((await send('POST', widgets, one)).status).toBe(422);
    await ask(suite.hook(), { rules: [ruleOf('example.com', '*/*')] });
    expect((await send('POST', widgets, one)).status).toBe(422);
    suite.hook().decide = () => size(3);
    const { status, body } = await send('POST', widgets, one);
    expect(status).toBe(201);
    expect(body.spec).toEqual({ size: 3, color: 'red' });
    // Defaults and pruning come before.
    expect(suite.hook().requests.at(-1)?.object?.spec).toEqual({ color: 'red' });
    const applied = await send(
      'PATCH',
      `${widgets}/b?fieldManager=m`,
      { ...one, metadata: { name: 'b' }, spec: { color: 'blue' } },
      APPLY,
    );
    expect(applied.status).toBe(201);
    expect(applied.body.metadata.managedFields).toMatchObject([
      { manager: 'm', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:color': {} } } },
    ]);
    suite.hook().decide = () => size(11);
    const invalid = await send('POST', widgets, { ...one, metadata: { name: 'c' } });
    expect(invalid.status).toBe(422);
    expect(invalid.body.details.causes[0]?.field).toBe('spec.size');
    suite.hook().decide = () => patched({ op: 'add', path: '/status', value: { replicas: 2 } });
    const put = await send('PATCH', `${widgets}/a/status`, { status: { replicas: 1 } }, MERGE);
    expect(put.body.status).toEqual({ replicas: 2 });
    expect(suite.hook().requests.at(-1)).toMatchObject({
      subResource: 'status',
      requestSubResource: 'status',
    });
    suite.hook().decide = () => patched({ op: 'replace', path: '/spec/replicas', value: 7 });
    const scaled = await send('PATCH', `${widgets}/a/scale`, { spec: { replicas: 5 } }, MERGE);
    expect(scaled.body).toMatchObject({ kind: 'Scale', spec: { replicas: 7 } });
    expect(suite.hook().requests.at(-1)).toMatchObject({
      subResource: 'scale',
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      object: { kind: 'Scale', spec: { replicas: 5 } },
    });
    expect((await send('GET', `${widgets}/a`)).body.spec).toEqual({ size: 3, color: 'red', replicas: 7 });
  });

  it('sees in a batch what earlier items have become', async () => {
    await ask();
    suite.hook().decide = ({ object }) => {
      const { n = '0' } = (object?.data ?? {}) as { readonly n?: string };
      return patched({ op: 'add', path: '/data', value: { n: `${n}1` } });
    };
    const resource = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
    const { status } = await send('POST', '/apis/api.platform.run/v1alpha1/batches', {
      items: [
        { verb: 'create', object: resource },
        { verb: 'patch', ...resource, name: 'a', namespace: 'default', patch: { data: { m: '1' } } },
      ],
    });
    expect(status).toBe(200);
    expect((await send('GET', `${MAPS}/a`)).body.data).toEqual({ n: '011' });
  });

  it('may refuse, and what it changed is not stored then', async () => {
    await ask();
    suite.hook().decide = () => denied('no');
    expect((await send('POST', MAPS, map('a'))).body.message).toBe(
      'admission webhook "check.example.com" denied the request: no',
    );
  });
});

describe('several mutating webhooks', () => {
  const append =
    (letter: string) => (request: { readonly object: Readonly<Record<string, unknown>> | null }) => {
      const { k = '' } = (request.object?.data ?? {}) as { readonly k?: string };
      return setData(`${k}${letter}`);
    };

  it('are asked one after another, by the names of their configurations', async () => {
    await ask(suite.hook(1), {}, 'two');
    await ask(suite.hook(), {}, 'one');
    suite.hook().decide = append('a');
    suite.hook(1).decide = append('b');
    expect((await send('POST', MAPS, map('x'))).body.data).toEqual({ k: 'ab' });
  });

  it('are asked once more when they want it and a later one has changed the object, and no more often', async () => {
    await ask(suite.hook(), { reinvocationPolicy: 'IfNeeded' }, 'one');
    await ask(suite.hook(1), { reinvocationPolicy: 'IfNeeded', name: 'other.example.com' }, 'two');
    suite.hook().decide = append('a');
    suite.hook(1).decide = append('b');
    // Each of them would go on for ever.
    expect((await send('POST', MAPS, map('x'))).body.data).toEqual({ k: 'abab' });
    expect(suite.hook().requests).toHaveLength(2);
  });
});

describe('a patch of a webhook', () => {
  beforeEach(async () => {
    await suite.server.post(MAPS, map('a', { data: { k: '0' } }));
    await ask();
  });

  it.each(['uid', 'creationTimestamp', 'generation', 'managedFields', 'deletionTimestamp'])(
    'does no harm to metadata.%s',
    async (field) => {
      suite.hook().decide = () => patched({ op: 'add', path: `/metadata/${field}`, value: 'nonsense' });
      const before = (await send('GET', `${MAPS}/a`)).body;
      const { status } = await send('PATCH', `${MAPS}/a`, { data: { k: '1' } }, MERGE);
      expect([200, 409]).toContain(status);
      const after = (await send('GET', `${MAPS}/a`)).body;
      expect(after.metadata.uid).toBe(before.metadata.uid);
      expect(after.metadata.creationTimestamp).toBe(before.metadata.creationTimestamp);
      expect(after.metadata.deletionTimestamp).toBeUndefined();
      const created = await send('POST', MAPS, map('b'));
      expect(created.status).toBe(201);
      expect(JSON.stringify(created.body.metadata)).not.toContain('nonsense');
    },
  );

  it.each([
    ['name', 'b', 400],
    ['namespace', 'kube-public', 400],
    ['resourceVersion', '1', 409],
  ])('that changes metadata.%s refuses the write', async (field, value, status) => {
    suite.hook().decide = () => patched({ op: 'replace', path: `/metadata/${field}`, value });
    expect((await send('PATCH', `${MAPS}/a`, { data: { k: '1' } }, MERGE)).status).toBe(status);
    expect((await send('GET', `${MAPS}/a`)).body.data).toEqual({ k: '0' });
  });

  it.each([
    [patched({ op: 'remove', path: '/nothing' })],
    [patched({ op: 'replace', path: '', value: 3 })],
    [{ allowed: true, patchType: 'JSONPatch', patch: Buffer.from('{"op":1}').toString('base64') }],
    [{ allowed: true, patchType: 'JSONPatch', patch: '%%%' }],
    [{ allowed: true, patchType: 'MergePatch', patch: Buffer.from('[]').toString('base64') }],
    [{ allowed: true, patch: Buffer.from('[]').toString('base64') }],
  ])('that cannot be applied is an error of the webhook: %j', async (decision) => {
    suite.hook().decide = () => decision;
    const { status, body } = await send('PATCH', `${MAPS}/a`, { data: { k: '1' } }, MERGE);
    expect(status).toBe(500);
    expect(body.message).toContain('webhook "check.example.com"');
    expect((await send('GET', `${MAPS}/a`)).body.data).toEqual({ k: '0' });
  });

  it('may rename a new object, but never move it, nor rename what a path names', async () => {
    const change = (field: string, value: string): void => {
      suite.hook().decide = () => patched({ op: 'replace', path: `/metadata/${field}`, value });
    };
    const apply = (name: string) =>
      send('PATCH', `${MAPS}/${name}?fieldManager=m`, { ...KIND, ...map(name) }, APPLY);
    change('name', 'renamed');
    expect((await send('POST', MAPS, map('b'))).body.metadata.name).toBe('renamed');
    const applied = await apply('c');
    expect([applied.status, applied.body.message]).toEqual([
      400,
      'an admission webhook changed metadata.name from "c" to "renamed"; ' +
        'a webhook may neither move nor rename an object',
    ]);
    change('namespace', 'kube-public');
    for (const answer of [await send('POST', MAPS, map('d')), await apply('e')]) {
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain('metadata.namespace from "default" to "kube-public"');
    }
    const everywhere = await send('GET', '/api/v1/configmaps');
    expect(everywhere.body.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'renamed']);
  });

  it.each(['apiVersion', 'kind'])(
    'that changes or removes the %s is an error of the webhook',
    async (field) => {
      for (const operation of [{ op: 'replace', value: 'v2' }, { op: 'remove' }]) {
        suite.hook().decide = () => patched({ ...operation, path: `/${field}` });
        const { status, body } = await send('POST', MAPS, map('b'));
        expect(status).toBe(500);
        expect(body.message).toContain(
          `the patch of the admission webhook "check.example.com" cannot be applied: it must leave ${field} as it is`,
        );
      }
    },
  );

  it('of a deletion is an error', async () => {
    suite.hook().decide = () => setData('1');
    const { status, body } = await send('DELETE', `${MAPS}/a`);
    expect(status).toBe(500);
    expect(body.message).toContain(
      'attempted to modify the object, which is not supported for this operation',
    );
  });

  it('that a number would change is refused', async () => {
    const patch = '[{"op":"add","path":"/metadata/labels","value":9007199254740993}]';
    suite.hook().decide = () => ({ ...patched(), patch: Buffer.from(patch).toString('base64') });
    const { status, body } = await send('PATCH', `${MAPS}/a`, { data: { k: '1' } }, MERGE);
    expect(status).toBe(500);
    expect(body.message).toContain('[0].value: the integer 9007199254740993 cannot be represented exactly');
  });

  it('that makes the object invalid is refused', async () => {
    suite.hook().decide = () => patched({ op: 'add', path: '/data/x', value: 7 });
    expect((await send('PATCH', `${MAPS}/a`, { data: { k: '1' } }, MERGE)).status).toBe(422);
  });
});
