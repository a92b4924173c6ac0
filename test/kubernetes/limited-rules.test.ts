import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openKubernetes } from '../../src/kubernetes/open.js';
import { SILENT } from '../../src/lib/log/logger.js';
import {
  ALLOWED,
  configuration,
  MUTATING,
  patched,
  ruleOf,
  startAdmissionReceiver,
  VALIDATING,
  webhookEntry,
  type AdmissionReceiver,
} from '../helpers/admission-webhook.js';
import { DEFINITIONS } from '../helpers/definitions.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import type { HttpAnswer } from '../helpers/http.js';
import { openStream } from '../helpers/watching.js';

const t = useGuardedLibrary({
  register: async (opened) => {
    await openKubernetes({ ...opened, logger: SILENT, kinds: 'full' });
  },
});
const GROUP = 'office.example.com';
const EXPENSES = `/apis/${GROUP}/v1/expenses`;
const ALL = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
const READ = ['get', 'list', 'watch'];
const OWN = { filter: 'spec.owner == user' };
const TITLE = ['spec.owner', 'spec.title'];
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const definition = {
  metadata: { name: `expenses.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Cluster',
    names: { kind: 'Expense', plural: 'expenses', singular: 'expense' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        selectableFields: [{ jsonPath: '.spec.owner' }, { jsonPath: '.spec.account' }],
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' },
        },
        additionalPrinterColumns: [{ name: 'Account', type: 'string', jsonPath: '.spec.account' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['amount'],
                properties: {
                  owner: { type: 'string' },
                  title: { type: 'string' },
                  amount: { type: 'number' },
                  account: { type: 'string' },
                  count: { type: 'integer' },
                },
              },
              status: {
                type: 'object',
                properties: { count: { type: 'integer' }, note: { type: 'string' } },
              },
            },
          },
        },
      },
    ],
  },
};

const expense = (name: string, spec: object, metadata: object = {}): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Expense',
  metadata: { name, ...metadata },
  spec,
});
const rule = (verbs: readonly string[], limits: object = {}, resource = 'expenses') => ({
  apiGroups: [GROUP],
  resources: [resource],
  verbs,
  ...limits,
});

let hook: AdmissionReceiver;
let admin: string;
beforeAll(async () => {
  hook = await startAdmissionReceiver();
});
afterAll(() => hook.stop());
beforeEach(async () => {
  hook.requests.length = 0;
  hook.decide = () => ALLOWED;
  admin = await t.tokenFor('admin', ALL);
  expect((await t.as(admin, 'POST', DEFINITIONS, definition)).status).toBe(201);
  for (const [name, owner, account] of [
    ['train', 'ann', 'CH-1'],
    ['hotel', 'bob', 'CH-2'],
  ] as const) {
    const target = `${EXPENSES}/${name}?fieldManager=kubectl`;
    const spec = { owner, title: name, amount: 1, account, count: 1 };
    expect((await t.as(admin, 'PATCH', target, expense(name, spec), APPLY)).status).toBe(201);
  }
});

const namesIn = (answer: HttpAnswer): unknown[] => answer.json().items.map(({ metadata }) => metadata.name);

async function ask(kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration'): Promise<void> {
  const entry = webhookEntry(hook, { rules: [ruleOf(GROUP, '*/*')] });
  const path = kind.startsWith('Mutating') ? MUTATING : VALIDATING;
  expect((await t.as(admin, 'POST', path, configuration(kind, 'one', entry))).status).toBe(201);
}

describe('an invalid object that a webhook makes valid', () => {
  it('is judged by the rules of its sender all the same', async () => {
    await ask('MutatingWebhookConfiguration');
    hook.decide = () => patched({ op: 'add', path: '/spec/amount', value: 2 });
    const ann = await t.tokenFor(
      'ann',
      rule(READ),
      rule(['create', 'update', 'patch'], { ...OWN, fields: { write: TITLE } }),
    );
    const send = (name: string, spec: object) => t.as(ann, 'POST', EXPENSES, expense(name, spec));
    expect((await send('a', { owner: 'ann', title: 'x' })).status).toBe(201);
    expect((await send('b', { owner: 'bob', title: 'x' })).status).toBe(403);
    expect((await send('c', { owner: 'ann', account: 'CH-9' })).status).toBe(403);
    const patch = { spec: { amount: null, owner: 'bob' } };
    hook.decide = () => patched({ op: 'add', path: '/spec/amount', value: 1 });
    expect((await t.as(ann, 'PATCH', `${EXPENSES}/train`, patch, MERGE)).status).toBe(403);
    const own = await t.tokenFor('cid', rule([...READ, 'create', 'patch'], OWN));
    const stolen = expense('hotel', { owner: 'cid', title: 'x' });
    const applied = await t.as(own, 'PATCH', `${EXPENSES}/hotel?fieldManager=m&force=true`, stolen, APPLY);
    expect(applied.status).toBe(404);
    expect(namesIn(await t.as(admin, 'GET', EXPENSES))).toEqual(['a', 'hotel', 'train']);
    expect((await t.as(admin, 'GET', `${EXPENSES}/hotel`)).json().spec.owner).toBe('bob');
  });
});

describe('a webhook', () => {
  it('is not asked about a write that the rules of its sender refuse', async () => {
    await ask('ValidatingWebhookConfiguration');
    const ann = await t.tokenFor('ann', rule([...READ, 'create', 'update', 'patch', 'delete'], OWN));
    for (const [method, path, body, type, status] of [
      ['PATCH', '/hotel', { spec: { title: 'x' } }, MERGE, 404],
      ['PATCH', '/hotel?fieldManager=m', expense('hotel', { title: 'x' }), APPLY, 404],
      ['DELETE', '/hotel?dryRun=All', undefined, undefined, 404],
      ['POST', '?dryRun=All', expense('x', { owner: 'bob', amount: 1 }), undefined, 403],
      ['PATCH', '/train?dryRun=All', { spec: { owner: 'bob' } }, MERGE, 403],
    ] as const)
      expect([path, (await t.as(ann, method, `${EXPENSES}${path}`, body, type)).status]).toEqual([
        path,
        status,
      ]);
    expect(hook.requests).toEqual([]);
  });
});

describe('doors of kubectl', () => {
  it('show no hidden object and no hidden field', async () => {
    const ann = await t.tokenFor('ann', rule(READ, { ...OWN, fields: { read: ['metadata', 'spec.title'] } }));
    for (const accept of [
      TABLE,
      'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      'application/yaml',
    ]) {
      const { text } = await t.as(ann, 'GET', `${EXPENSES}?includeObject=Object`, undefined, undefined, {
        accept,
      });
      expect(text).toContain('train');
      expect(text).not.toMatch(/hotel|CH-|f:account/);
    }
    for (const accept of [TABLE, 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io']) {
      const stream = await openStream(
        `${t.url()}${EXPENSES}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&includeObject=Object`,
        { authorization: `Bearer ${ann}`, accept },
      );
      await stream.take(2);
      await t.as(admin, 'PATCH', `${EXPENSES}/hotel`, { spec: { account: 'CH-3' } }, MERGE);
      await t.as(
        admin,
        'PATCH',
        `${EXPENSES}/train`,
        { spec: { title: `t${accept.length}`, account: 'CH-4' } },
        MERGE,
      );
      await stream.take(3);
      stream.destroy();
      expect(stream.text).not.toMatch(/hotel|CH-|f:account/);
    }
    for (const [method, path, body, type] of [
      ['GET', '/train/scale', undefined, undefined],
      ['GET', '/train/status', undefined, undefined],
      ['PATCH', '/train/scale', { spec: { replicas: 2 } }, MERGE],
    ] as const) {
      const answer = await t.as(ann, method, `${EXPENSES}${path}`, body, type);
      expect([path, answer.status]).toEqual([path, 403]);
    }
  });

  it('scale and apply only for who has the right to all fields', async () => {
    const ann = await t.tokenFor(
      'ann',
      rule([...READ, 'patch'], { fields: { read: TITLE } }),
      rule([...READ, 'patch', 'update'], { fields: { read: TITLE } }, 'expenses/scale'),
    );
    for (const [method, path, body, type] of [
      ['GET', '/train/scale', undefined, undefined],
      ['PATCH', '/train/scale', { spec: { replicas: 2 } }, MERGE],
      [
        'PATCH',
        '/train/scale?fieldManager=m',
        { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 1 } },
        APPLY,
      ],
      ['PATCH', '/train?fieldManager=m', expense('train', { account: 'CH-1' }), APPLY],
      ['PATCH', '/train?fieldManager=m', expense('train', { account: 'CH-2' }), APPLY],
    ] as const) {
      const answer = await t.as(ann, method, `${EXPENSES}${path}`, body, type);
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.text).not.toMatch(/conflict|kubectl|account/);
    }
  });

  it('delete of a collection only what the sender sees, by fields that it may read', async () => {
    const both = ['deletecollection', 'delete'];
    const ann = await t.tokenFor('ann', rule(['get', 'list'], { fields: { read: TITLE } }), rule(both));
    const probe = await t.as(ann, 'DELETE', `${EXPENSES}?dryRun=All&fieldSelector=spec.account%3DCH-1`);
    expect(probe.status).toBe(403);
    const all = await t.as(ann, 'DELETE', `${EXPENSES}?dryRun=All`);
    expect([all.status, namesIn(all)]).toEqual([200, ['hotel', 'train']]);
    expect(all.text).not.toMatch(/CH-|f:account/);
    const bob = await t.tokenFor('bob', rule(['get', 'list'], OWN), rule(both));
    expect(namesIn(await t.as(bob, 'DELETE', EXPENSES))).toEqual(['hotel']);
    expect(namesIn(await t.as(admin, 'GET', EXPENSES))).toEqual(['train']);
    const eve = await t.tokenFor('eve', rule(both));
    expect(namesIn(await t.as(eve, 'DELETE', EXPENSES))).toEqual(['train']);
  });
});

describe('an update by who may write some fields', () => {
  it('leaves managers and status that it does not state', async () => {
    await t.as(admin, 'PATCH', `${EXPENSES}/train/status`, { status: { note: 'n' } }, MERGE);
    const ann = await t.tokenFor('ann', rule(READ), rule(['update'], { fields: { write: ['spec.title'] } }));
    const { metadata, status: _, ...rest } = (await t.as(ann, 'GET', `${EXPENSES}/train`)).json();
    const { managedFields, ...others } = metadata as { managedFields: unknown };
    const spec = { ...rest.spec, title: 'new' };
    const answer = await t.as(ann, 'PUT', `${EXPENSES}/train`, { ...rest, metadata: others, spec });
    expect([answer.status, answer.json().spec.title]).toEqual([200, 'new']);
    expect(managedFields).toBeDefined();
    expect(answer.json().status).toEqual({ note: 'n' });
    const cleared = { ...rest, metadata: { ...answer.json().metadata, managedFields: [] }, spec };
    expect((await t.as(ann, 'PUT', `${EXPENSES}/train`, cleared)).status).toBe(403);
  });
});
