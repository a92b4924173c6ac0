import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';

const GROUP = 'slow.example.com';
const ITEMS = 400;
const THINGS = `/apis/${GROUP}/v1/things`;
const API = '/apis/api.platform.run/v1alpha1';

@GVK({ group: GROUP, version: 'v1', kind: 'Thing', plural: 'things', singular: 'thing' })
class Thing extends AbstractExtension {
  static readonly schema = { type: 'object', properties: { spec: { type: 'object' } } };
}

/** Checks of objects, each of which takes a time. */
const checks = { count: 0, ms: 0 };

function validate(): [] {
  checks.count++;
  for (const until = performance.now() + checks.ms; performance.now() < until;);
  return [];
}

const t = useGuardedLibrary({
  register: (test) => test.register(Thing, undefined, { validate }),
  mcp: 'write',
});
const ALL = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
const objects = Array.from({ length: ITEMS }, (_, i) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Thing',
  metadata: { name: `t-${i}` },
  spec: { n: 1 },
}));

/** Sends a request, and leaves when the service has judged some of its objects. */
async function leave(token: string, target: string, body: object): Promise<void> {
  Object.assign(checks, { count: 0, ms: 5 });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const sent = request(new URL(target, t.url()), { method: 'POST', headers });
  sent.on('error', () => undefined);
  sent.end(JSON.stringify(body));
  await expect.poll(() => checks.count, { interval: 1 }).toBeGreaterThan(10);
  sent.destroy();
  let before = -1;
  while (before !== checks.count) {
    before = checks.count;
    await sleep(200);
  }
  checks.ms = 0;
  expect(checks.count).toBeLessThan(ITEMS);
}

describe('a request of many objects whose client leaves', () => {
  it('ends, and stores nothing: a batch', async () => {
    const token = await t.tokenFor('ann', ALL);
    const items = objects.map((object) => ({ verb: 'create', object }));
    await leave(token, `${API}/batches`, { items });
    expect((await t.as(token, 'GET', THINGS)).json().total).toBe(0);
  });

  it('ends: a plan of an agent', async () => {
    const token = await t.tokenFor('ann', ALL);
    const items = objects.map((object) => ({ verb: 'create', model: 'things', object }));
    const params = { name: 'plan', arguments: { items } };
    await leave(token, '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  });

  it('ends, and takes nothing back: an undo', async () => {
    const token = await t.tokenFor('ann', ALL);
    const write = async (verb: string, n: number) => {
      const items = objects.map((object) => ({
        verb,
        name: object.metadata.name,
        object: { ...object, spec: { n } },
      }));
      return (await t.as(token, 'POST', `${API}/batches?return=none`, { items })).json();
    };
    await write('create', 1);
    const { metadata } = await write('update', 2);
    await leave(token, `${API}/undos`, { revision: metadata.resourceVersion });
    const { items } = (await t.as(token, 'GET', THINGS)).json();
    expect(new Set(items.map(({ spec }) => (spec as { n: number }).n))).toEqual(new Set([2]));
  });
});
