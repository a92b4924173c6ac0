import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  configuration,
  MUTATING,
  patched,
  ruleOf,
  startAdmissionReceiver,
  webhookEntry,
} from '../helpers/admission-webhook.js';
import { Authority } from '../helpers/certificates.js';
import {
  converted,
  ConversionWebhook,
  listener,
  listeners,
  listenersIn,
} from '../helpers/conversion-webhook.js';
import { define, DEFINITIONS } from '../helpers/definitions.js';
import type { Json } from '../helpers/http.js';
import { startKubernetesServer, waitFor, type KubernetesServer } from '../helpers/kubernetes.js';
import { removeDirectories } from '../helpers/store.js';
import { openStream, streamText } from '../helpers/watching.js';

const NAME = `${DEFINITIONS}/listeners.net.example.com`;

let authority: Authority;
let webhook: ConversionWebhook;
let server: KubernetesServer;

beforeAll(() => {
  authority = new Authority();
});
beforeEach(async () => {
  webhook = new ConversionWebhook(authority);
  await webhook.start();
  server = await startKubernetesServer();
});
afterEach(async () => {
  await webhook.stop();
  await server.close();
});
afterAll(removeDirectories);

/** The definition is stored and served. */
const serve = (options?: Parameters<typeof listeners>[1]) =>
  define(server, listeners(webhook.client, options));
/** Replaces the definition. */
const change = async (definition: object) => {
  expect((await server.send('PUT', NAME, { body: definition })).status).toBe(200);
};
const v1 = (name: string, spec: object = { host: 'a', port: 1 }, metadata = {}) =>
  listener('v1', name, spec, metadata);
const v2 = (name: string, spec: object = { hostPort: 'a:1' }, metadata = {}) =>
  listener('v2', name, spec, metadata);
const create = (version: 'v1' | 'v2', object: object) => server.post(listenersIn(version), object);
const specs = ({ items }: Json): unknown[] => (items as readonly { spec: unknown }[]).map(({ spec }) => spec);

describe('an object of a kind that a webhook converts', () => {
  it('is read and written in each version', async () => {
    await define(server, listeners(webhook.client));
    const made = await create('v1', v1('one', { host: 'a', port: 80 }));
    expect(made.json()).toMatchObject({
      apiVersion: 'net.example.com/v1',
      spec: { host: 'a', port: 80, weight: 1 },
    });
    expect((await server.get(listenersIn('v2', 'one'))).json().spec).toEqual({ hostPort: 'a:80', weight: 1 });
    const body = { ...made.json(), spec: { host: 'b', port: 81 } };
    const updated = await server.send('PUT', listenersIn('v1', 'one'), { body });
    expect(updated.status).toBe(200);
    expect(updated.json().metadata.generation).toBe(2);
    expect((await server.get(listenersIn('v2', 'one'))).json().spec).toEqual({ hostPort: 'b:81', weight: 1 });
    const patched = await server.send('PATCH', listenersIn('v2', 'one'), {
      body: { spec: { hostPort: 'c:82' } },
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    expect(patched.status).toBe(200);
    expect((await server.get(listenersIn('v1', 'one'))).json().spec).toEqual({
      host: 'c',
      port: 82,
      weight: 1,
    });
    expect(specs((await server.get(listenersIn('v1'))).json())).toEqual([{ host: 'c', port: 82, weight: 1 }]);
  });

  it('is asked for once in each state, also for metadata that changes', async () => {
    await serve();
    await create('v2', v2('one'));
    webhook.calls.length = 0;
    for (let i = 0; i < 3; i++) await server.get(listenersIn('v1', 'one'));
    await server.get(listenersIn('v1'));
    expect(webhook.calls).toHaveLength(1);
    const body = { metadata: { labels: { tier: 'web' } } };
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    await server.send('PATCH', listenersIn('v2', 'one'), { body, headers });
    expect((await server.get(listenersIn('v1', 'one'))).json().metadata.labels).toEqual({ tier: 'web' });
    expect(webhook.calls).toHaveLength(2);
    await Promise.all([1, 2, 3].map(() => server.get(`${listenersIn('v1')}?labelSelector=tier=web`)));
    expect(webhook.calls).toHaveLength(2);
  });

  it('is shared by reads at the same time', async () => {
    await serve();
    await create('v2', v2('one'));
    webhook.calls.length = 0;
    const answers = await Promise.all(Array.from({ length: 10 }, () => server.get(listenersIn('v1', 'one'))));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(webhook.calls).toHaveLength(1);
  });

  it('gets a name from a prefix, and keeps labels and annotations that the webhook sets', async () => {
    await serve();
    webhook.answer = (review) => {
      const answer = converted(review);
      for (const { metadata } of answer.response.convertedObjects)
        metadata.annotations = { ...metadata.annotations, name: String(metadata.name) };
      return answer;
    };
    const metadata = { generateName: 'made-', annotations: { kept: 'yes' } };
    for (let i = 0; i < 3; i++) {
      const made = (await create('v1', { ...v1(''), metadata })).json().metadata;
      const name = String(made.name);
      expect(name).toMatch(/^made-[a-z0-9]+$/u);
      const stored = (await server.get(listenersIn('v2', name))).json().metadata;
      expect(stored.annotations).toEqual({ kept: 'yes', name });
    }
  });

  it('is applied in a version, by managers that apply in another one', async () => {
    await serve();
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const apply = (version: 'v1' | 'v2', manager: string, spec: object, more = '') =>
      server.send('PATCH', `${listenersIn(version, 'one')}?fieldManager=${manager}${more}`, {
        body: JSON.stringify(listener(version, 'one', spec)),
        headers,
      });
    expect((await apply('v1', 'first', { host: 'a', port: 1 })).status).toBe(201);
    const conflict = await apply('v2', 'second', { hostPort: 'b:2' });
    expect(conflict.status).toBe(409);
    expect(conflict.json().details.causes.map(({ field }) => field)).toEqual(['.spec.host', '.spec.port']);
    expect((await apply('v2', 'second', { weight: 5 })).status).toBe(200);
    expect((await apply('v2', 'second', { hostPort: 'b:2', weight: 5 }, '&force=true')).status).toBe(200);
    const after = (await server.get(listenersIn('v1', 'one'))).json();
    expect(after.spec).toEqual({ host: 'b', port: 2, weight: 5 });
    expect((await apply('v1', 'first', { host: 'a', port: 2 })).status).toBe(409);
    const forced = await apply('v1', 'first', { host: 'a', port: 2 }, '&force=true');
    expect(forced.json().spec).toEqual({ host: 'a', port: 2, weight: 5 });
  });

  it('has a status in each version', async () => {
    await serve();
    await create('v1', v1('one'));
    const body = { status: { ready: true } };
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const patched = await server.send('PATCH', `${listenersIn('v1', 'one')}/status`, { body, headers });
    expect(patched.json().status).toEqual({ ready: true });
    const { status, spec } = (await server.get(listenersIn('v2', 'one'))).json();
    expect({ status, spec }).toEqual({ status: { ready: true }, spec: { hostPort: 'a:1', weight: 1 } });
  });

  it('has a history in each version', async () => {
    await serve();
    await create('v2', v2('one'));
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    for (const port of [2, 3, 4])
      await server.send('PATCH', listenersIn('v2', 'one'), {
        body: { spec: { hostPort: `a:${port}` } },
        headers,
      });
    webhook.calls.length = 0;
    const history = (await server.get(`${listenersIn('v1', 'one')}/history`)).json();
    const changes = history.items.map((item) => item.changes);
    expect(JSON.stringify(changes)).toContain('spec.port');
    expect(JSON.stringify(changes)).not.toContain('hostPort');
    expect(webhook.calls).toHaveLength(1);
  });

  it('is read as it was', async () => {
    await serve();
    const made = (await create('v2', v2('one'))).json();
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    await server.send('PATCH', listenersIn('v2', 'one'), { body: { spec: { hostPort: 'b:2' } }, headers });
    const revision = String(made.metadata.resourceVersion);
    const past = `${listenersIn('v1', 'one')}?resourceVersion=${revision}&resourceVersionMatch=Exact`;
    expect((await server.get(past)).json().spec).toEqual({ host: 'a', port: 1, weight: 1 });
  });

  it('is written in batches with a call for all of them', async () => {
    await serve();
    const items = Array.from({ length: 20 }, (_, i) => ({
      verb: 'create',
      object: v1(`n${i}`, { host: `h${i}`, port: i }, { namespace: 'default' }),
    }));
    const answer = await server.send('POST', '/apis/api.platform.run/v1alpha1/batches', { body: { items } });
    expect(answer.status).toBe(200);
    expect(webhook.calls.map(({ request }) => request.objects.length)).toEqual([20, 20]);
  });
});

describe('many objects', () => {
  const COUNT = 1_200;

  it('are listed with a call for 500 of them', { timeout: 120_000 }, async () => {
    await serve();
    for (let at = 0; at < COUNT; at += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, i) => create('v2', v2(`n${at + i}`, { hostPort: `h:${at + i}` }))),
      );
    webhook.calls.length = 0;
    const list = (await server.get(listenersIn('v1'))).json();
    const ports = (specs(list) as { port: number }[]).map(({ port }) => port).sort((a, b) => a - b);
    expect(ports).toEqual(Array.from({ length: COUNT }, (_, i) => i));
    expect(webhook.calls.length).toBeLessThanOrEqual(3);
    expect(webhook.calls.map(({ request }) => request.objects.length).sort((a, b) => b - a)[0]).toBe(500);
    await server.get(listenersIn('v1'));
    expect(webhook.calls.length).toBeLessThanOrEqual(3);
    await webhook.stop();
    expect((await server.get(`${listenersIn('v1')}?limit=700`)).json().items).toHaveLength(700);
  });
});

describe('a watch in another version', () => {
  it('gets the objects and their changes', async () => {
    await serve();
    await create('v2', v2('one', { hostPort: 'a:1' }));
    const stream = await openStream(`${server.url}${listenersIn('v1')}?watch=true`);
    await stream.take(1);
    await create('v2', v2('two', { hostPort: 'b:2' }));
    await server.send('DELETE', listenersIn('v2', 'one'));
    const events = await stream.take(3);
    expect(events.map(({ type, object }) => [type, object.spec])).toEqual([
      ['ADDED', { host: 'a', port: 1, weight: 1 }],
      ['ADDED', { host: 'b', port: 2, weight: 1 }],
      ['DELETED', { host: 'a', port: 1, weight: 1 }],
    ]);
    stream.destroy();
  });

  it('ends with an error when the webhook is gone, and gets the change afterwards', async () => {
    await serve();
    const made = (await create('v2', v2('one'))).json();
    const from = `${server.url}${listenersIn('v1')}?watch=true&resourceVersion=${String(made.metadata.resourceVersion)}`;
    const stream = await openStream(from);
    await webhook.stop();
    await create('v2', v2('two', { hostPort: 'b:2' }));
    const [event] = await stream.take(1);
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 500 } });
    await stream.ended;
    await webhook.start();
    const again = await openStream(from);
    expect((await again.take(1)).map(streamText)).toEqual([expect.stringContaining('two')]);
    again.destroy();
  });
});

describe('a webhook that does not answer as it should', () => {
  const refused = async (answer: ConversionWebhook['answer'], text: string) => {
    await serve();
    await create('v2', v2('one'));
    await create('v2', v2('two'));
    webhook.answer = answer;
    for (const target of [listenersIn('v1', 'one'), listenersIn('v1')]) {
      const { status, ...got } = await server.get(target);
      expect({ status, reason: got.json().reason }).toEqual({ status: 500, reason: 'InternalError' });
      expect(got.json().message).toContain('conversion webhook for net.example.com/v2, Kind=Listener ');
      expect(got.json().message).toContain(text);
    }
    const written = await server.send('POST', listenersIn('v1'), { body: v1('three') });
    expect(written.status).toBe(500);
    expect(written.json().message).toContain(text);
    webhook.answer = converted;
    expect((await server.get(listenersIn('v1', 'one'))).status).toBe(200);
    expect((await server.get(listenersIn('v1'))).json().items).toHaveLength(2);
    expect((await server.get(listenersIn('v2', 'three'))).status).toBe(404);
  };
  type Answer = ReturnType<typeof converted>;
  const spoiled =
    (spoil: (response: Answer['response']) => object): ConversionWebhook['answer'] =>
    (review) => {
      const answer = converted(review);
      return { ...answer, response: { ...answer.response, ...spoil(answer.response) } };
    };
  const changed = (change: object) =>
    spoiled(({ convertedObjects }) => ({
      convertedObjects: convertedObjects.map((object) => ({ ...object, ...change })),
    }));
  const renamed = (metadata: object) =>
    spoiled(({ convertedObjects }) => ({
      convertedObjects: convertedObjects.map((object) => ({
        ...object,
        metadata: { ...object.metadata, ...metadata },
      })),
    }));

  it.each<[string, ConversionWebhook['answer'], string]>([
    ['is no JSON', () => 'Hello', 'its answer is no JSON object'],
    ['is another object', () => ({ kind: 'Other' }), 'expected webhook response of'],
    ['has no response', ({ apiVersion, kind }) => ({ apiVersion, kind }), 'failed: no response provided'],
    ['has another uid', spoiled(() => ({ uid: 'other' })), 'got "other"'],
    [
      'refuses',
      spoiled(() => ({ result: { status: 'Failure', message: 'no such port' } })),
      'failed: no such port',
    ],
    ['has no result', spoiled(() => ({ result: undefined })), "response.result.status was '', not 'Success'"],
    ['has too few objects', spoiled(() => ({ convertedObjects: [] })), 'returned 0 objects, expected'],
    [
      'has objects of another kind',
      changed({ kind: 'Other' }),
      'invalid kind (expected Listener, received Other)',
    ],
    [
      'has objects in another version',
      changed({ apiVersion: 'net.example.com/v3' }),
      'invalid groupVersion (expected',
    ],
    ['has objects with other names', renamed({ name: 'other' }), 'must have the same name: '],
    ['has objects with other uids', renamed({ uid: 'other' }), 'must have the same uid: '],
    [
      'has objects without metadata',
      changed({ metadata: undefined }),
      'missing metadata in converted object',
    ],
    ['has invalid labels', renamed({ labels: { a: '-' } }), 'metadata.labels'],
    ['has labels that are no texts', renamed({ labels: { a: 1 } }), 'metadata.labels'],
  ])('is reported when its answer %s', (_name, answer, text) => refused(answer, text));

  it('is reported when the objects come in another order', async () => {
    await serve();
    await create('v2', v2('one'));
    await create('v2', v2('two'));
    webhook.answer = spoiled(({ convertedObjects }) => ({ convertedObjects: convertedObjects.toReversed() }));
    const { status, ...list } = await server.get(listenersIn('v1'));
    expect(status).toBe(500);
    expect(list.json().message).toContain('must have the same name: ');
  });

  it('cannot change other metadata than labels and annotations, nor set unknown fields', async () => {
    await serve();
    await create('v2', v2('one'));
    webhook.answer = spoiled(({ convertedObjects }) => ({
      convertedObjects: convertedObjects.map((object) => ({
        ...object,
        metadata: {
          ...object.metadata,
          finalizers: ['a.example.com/b'],
          resourceVersion: '1',
          labels: { a: 'b' },
        },
        spec: { ...object.spec, unknown: true },
        more: 1,
      })),
    }));
    const one = (await server.get(listenersIn('v1', 'one'))).json();
    const stored = (await server.get(listenersIn('v2', 'one'))).json();
    expect(one.metadata).toEqual({ ...stored.metadata, labels: { a: 'b' } });
    expect(one.spec).toEqual({ host: 'a', port: 1, weight: 1 });
    expect(one).not.toHaveProperty('more');
  });

  it('is named when it is dead, and asked again as soon as it is back', async () => {
    await serve();
    await create('v2', v2('one'));
    await webhook.stop();
    for (let i = 0; i < 2; i++) {
      const { status, ...got } = await server.get(listenersIn('v1', 'one'));
      expect(status).toBe(500);
      expect(got.json().message).toMatch(
        /^conversion webhook for net\.example\.com\/v2, Kind=Listener failed: Post "https:.*ECONNREFUSED/u,
      );
    }
    expect((await server.get(listenersIn('v2', 'one'))).status).toBe(200);
    await webhook.start();
    expect((await server.get(listenersIn('v1', 'one'))).json().spec).toEqual({
      host: 'a',
      port: 1,
      weight: 1,
    });
  });

  it('does not hinder deletions while it is dead', async () => {
    await serve();
    for (const name of ['one', 'two', 'three']) await create('v2', v2(name));
    await change(listeners(webhook.client, { storage: 'v1' }));
    await webhook.stop();
    const gone = await server.send('DELETE', listenersIn('v1', 'one'));
    expect(gone.status).toBe(200);
    expect((await server.send('DELETE', listenersIn('v2', 'two'))).status).toBe(200);
    expect((await server.send('DELETE', NAME)).status).toBe(200);
    await waitFor(
      () => server.get(NAME),
      ({ status }) => status === 404,
    );
  });

  it('does not keep a finalizer of a deleted object while it is dead', async () => {
    await serve();
    for (const name of ['one', 'two'])
      await create('v2', v2(name, undefined, { finalizers: ['example.com/held'] }));
    await change(listeners(webhook.client, { storage: 'v1' }));
    await webhook.stop();
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    for (const [version, name] of [
      ['v1', 'one'],
      ['v2', 'two'],
    ] as const) {
      expect((await server.send('DELETE', listenersIn(version, name))).status).toBe(200);
      const body = { metadata: { finalizers: null } };
      expect((await server.send('PATCH', listenersIn(version, name), { body, headers })).status).toBe(200);
    }
    expect((await server.get(listenersIn('v1'))).json().items).toEqual([]);
  });

  it('gets no more calls for a definition that needs it no longer', async () => {
    await serve();
    await create('v2', v2('one'));
    await webhook.stop();
    const { conversion: _, ...spec } = listeners(webhook.client).spec;
    await change({ ...listeners(webhook.client), spec });
    expect((await server.get(listenersIn('v1', 'one'))).json().spec).toEqual({ weight: 1 });
  });

  it('may be slow: others are answered, and callers share the result', async () => {
    await serve();
    await create('v2', v2('one'));
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    webhook.calls.length = 0;
    webhook.answer = async (review) => {
      await released;
      return converted(review);
    };
    const waiting = [1, 2, 3].map(() => server.get(listenersIn('v1', 'one')));
    await waitFor(
      () => Promise.resolve(webhook.calls.length),
      (count) => count === 1,
    );
    expect((await create('v2', v2('two'))).status).toBe(201);
    release();
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
    expect(webhook.calls).toHaveLength(1);
  });
});

describe('a definition whose storage version changes', () => {
  it('keeps the stored objects, which are converted from both versions', async () => {
    await define(server, listeners(webhook.client, { storage: 'v1', selectable: true }));
    await create('v1', v1('old', { host: 'a', port: 1 }));
    await change(listeners(webhook.client, { selectable: true }));
    await create('v1', v1('new', { host: 'a', port: 2 }));
    await waitFor(
      () => server.get(listenersIn('v2')),
      ({ status }) => status === 200,
    );
    expect(specs((await server.get(listenersIn('v2'))).json())).toEqual([
      { hostPort: 'a:2', weight: 1 },
      { hostPort: 'a:1', weight: 1 },
    ]);
    for (const port of [1, 2]) {
      const selected = await server.get(`${listenersIn('v2')}?fieldSelector=spec.hostPort=a:${port}`);
      expect(specs(selected.json())).toEqual([{ hostPort: `a:${port}`, weight: 1 }]);
    }
    expect((await server.get(NAME)).json().status).toMatchObject({ storedVersions: ['v1', 'v2'] });
    expect(specs((await server.get(listenersIn('v1'))).json())).toEqual([
      { host: 'a', port: 2, weight: 1 },
      { host: 'a', port: 1, weight: 1 },
    ]);
  });

  it('makes no calls when no index needs them', async () => {
    await define(server, listeners(webhook.client, { storage: 'v1' }));
    await create('v1', v1('old', { host: 'a', port: 1 }));
    webhook.calls.length = 0;
    await change(listeners(webhook.client));
    expect((await server.get(listenersIn('v1', 'old'))).status).toBe(200);
    expect(webhook.calls).toEqual([]);
    expect((await server.get(listenersIn('v2', 'old'))).json().spec).toEqual({ hostPort: 'a:1', weight: 1 });
  });

  it('or that needs the webhook no longer, is followed by requests that wait for it', async () => {
    await serve();
    await create('v2', v2('one'));
    const answers: (() => void)[] = [];
    webhook.answer = (review) => new Promise((resolve) => answers.push(() => resolve(converted(review))));
    const listing = server.get(listenersIn('v1'));
    const creating = server.send('POST', listenersIn('v1'), { body: v1('two') });
    const applying = server.send('PATCH', `${listenersIn('v1', 'one')}?fieldManager=m&force=true`, {
      body: v1('one', { weight: 7 }),
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    await waitFor(
      () => Promise.resolve(answers.length),
      (count) => count === 2,
    );
    const definition = listeners(webhook.client);
    await change({ ...definition, spec: { ...definition.spec, conversion: { strategy: 'None' } } });
    for (const answer of answers) answer();
    expect((await listing).status).toBe(200);
    expect([(await creating).status, (await applying).status]).toEqual([201, 200]);
    // Without a conversion, each version has the fields that both know.
    for (const version of ['v1', 'v2'] as const)
      expect((await server.get(listenersIn(version, 'two'))).json().spec).toEqual({ weight: 1 });
    expect((await server.get(listenersIn('v2', 'one'))).json().spec).toEqual({ hostPort: 'a:1', weight: 7 });
  });

  it('serves the kind when the webhook is back, if an index needs it', { timeout: 60_000 }, async () => {
    await define(server, listeners(webhook.client, { storage: 'v1', selectable: true }));
    await create('v1', v1('old', { host: 'a', port: 1 }));
    await webhook.stop();
    await change(listeners(webhook.client, { selectable: true }));
    const { status, ...refused } = await server.get(listenersIn('v2'));
    expect(status).toBe(503);
    expect(refused.json().message).toContain('conversion webhook for net.example.com/v1');
    await webhook.start();
    const selected = await waitFor(
      () => server.get(`${listenersIn('v2')}?fieldSelector=spec.hostPort=a:1`),
      (answer) => answer.status === 200,
    );
    expect(selected.json().items).toHaveLength(1);
  });
});

describe('with a webhook of admission', () => {
  it('both are asked, and one that answers differently each time is asked once', async () => {
    await server.close();
    server = await startKubernetesServer({ kinds: 'full' });
    await serve();
    const hook = await startAdmissionReceiver();
    hook.decide = () =>
      patched({ op: 'add', path: '/metadata/annotations', value: { random: String(Math.random()) } });
    const rules = [{ ...ruleOf('net.example.com', 'listeners', 'CREATE'), apiVersions: ['v2'] }];
    await server.post(
      MUTATING,
      configuration('MutatingWebhookConfiguration', 'one', webhookEntry(hook, { rules })),
    );
    const made = (await create('v1', { ...v1(''), metadata: { generateName: 'made-' } })).json();
    expect(hook.requests.map(({ object }) => object?.apiVersion)).toEqual(['net.example.com/v2']);
    const stored = (await server.get(listenersIn('v2', String(made.metadata.name)))).json();
    expect(stored.metadata.annotations).toEqual(made.metadata.annotations);
    await hook.stop();
  });
});

describe('a webhook with large answers', () => {
  const SIZE = 1_000_000;

  it('is asked for few objects at a time', { timeout: 60_000 }, async () => {
    await serve();
    const text = 'x'.repeat(SIZE);
    for (let i = 0; i < 20; i++) await create('v2', v2(`n${i}`, { hostPort: `${text}:${i}` }));
    const list = (await server.get(listenersIn('v1'))).json();
    expect((specs(list) as { port: number }[]).map(({ port }) => port).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i),
    );
    expect(Math.max(...webhook.calls.map(({ request }) => request.objects.length))).toBeLessThanOrEqual(8);
  });

  it('is reported when an answer is too long', async () => {
    await serve();
    await create('v2', v2('one'));
    webhook.answer = () => ' '.repeat(33 * 1024 * 1024);
    const { status, ...got } = await server.get(listenersIn('v1', 'one'));
    expect(status).toBe(500);
    expect(got.json().message).toContain('its answer is longer than');
  });
});

describe('reviews of conversions', () => {
  it('are of the first version that is known, and unstored objects have no revision', async () => {
    await define(server, listeners(webhook.client, { reviews: ['v3', 'v1beta1', 'v1'] }));
    webhook.answer = (review) => ({ response: { ...converted(review).response, uid: undefined } });
    await create('v1', v1('one'));
    const [{ apiVersion, kind, request } = { request: undefined }] = webhook.calls;
    expect({ apiVersion, kind }).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      kind: 'ConversionReview',
    });
    expect(request?.desiredAPIVersion).toBe('net.example.com/v2');
    expect(request?.objects[0]?.metadata).not.toHaveProperty('resourceVersion');
  });
});
