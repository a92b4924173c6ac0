import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasCode } from '../../src/errors.js';
import { Credentials } from '../../src/webhooks/credentials.js';
import { WEBHOOKS, type Webhook } from '../../src/webhooks/webhook.js';
import { answerWith, startReceiver, type Receiver } from '../helpers/receiver.js';
import { removeDirectories } from '../helpers/store.js';
import { openWorld, type World } from './world.js';

afterAll(removeDirectories);

let world: World;
let receiver: Receiver;

beforeEach(async () => {
  [world, receiver] = await Promise.all([openWorld(), startReceiver()]);
});

afterEach(async () => {
  await world.close();
  await receiver.close();
});

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const PERSONS = [{ group: 'demo.example.com', kind: 'Person' }];
const LAST_APPLIED = 'xsvc.platform.run/last-applied';

const read = async (): Promise<Webhook> => (await world.service.get(WEBHOOKS, 'a')) as Webhook;
const put = (spec: object): Promise<unknown> =>
  world.service.update(WEBHOOKS, 'a', {
    metadata: { name: 'a' },
    spec: { url: receiver.url, models: PERSONS, ...spec },
  });

/** The headers of the next delivery. */
async function delivered(person: string): Promise<Record<string, unknown>> {
  await world.person(person);
  const found = () => receiver.received.find(({ body }) => body.object.metadata.name === person);
  await expect.poll(found, { interval: 20 }).toBeDefined();
  return found()?.headers ?? {};
}

describe('the secret and the headers', () => {
  it('are in no answer, state, change or annotation', async () => {
    const manifest = JSON.stringify({ spec: { secret: SECRET, headers: { 'X-Key': 'hush-1' } } });
    const spec = { url: receiver.url, models: PERSONS, secret: SECRET, headers: { 'X-Key': 'hush-1' } };
    const metadata = { name: 'a', annotations: { [LAST_APPLIED]: manifest } };
    const created = await world.service.create(WEBHOOKS, { metadata, spec });
    await put({ secret: SECRET.replace('Bw', 'Cw'), headers: { 'X-Key': 'hush-2', 'X-Other': 'hush-3' } });
    await world.service.patch(WEBHOOKS, 'a', { spec: { headers: { 'X-Other': 'hush-4' } } }, 'merge');
    const { resourceVersion } = created.object.metadata;
    const answers = [
      created.json.toString(),
      JSON.stringify(await read()),
      JSON.stringify(await world.service.history(WEBHOOKS, 'a')),
      JSON.stringify(await world.service.modelHistory(WEBHOOKS, { before: true })),
      JSON.stringify(await world.service.getAt(WEBHOOKS, 'a', resourceVersion)),
      JSON.stringify(await world.service.list(WEBHOOKS)),
    ].join('\n');
    expect(answers).not.toMatch(/hush-|whsec_/);
    expect((await read()).spec.headers).toEqual({ 'X-Key': '***', 'X-Other': '***' });
    expect(created.object.spec).not.toHaveProperty('secret');
  });

  it('stay when an update does not state them, and when it states what was read', async () => {
    await world.webhook('a', {
      url: receiver.url,
      secret: SECRET,
      headers: { 'X-Key': 'k1', 'X-Two': 'k2' },
    });
    world.deliver();
    const { metadata } = await read();
    // The same secrets are no change.
    await put({ secret: SECRET, headers: { 'X-Key': 'k1', 'X-Two': 'k2' } });
    expect((await read()).metadata).toEqual(metadata);
    await put({ timeout: '5s' });
    expect(await delivered('p-1')).toMatchObject({
      'x-key': 'k1',
      'x-two': 'k2',
      'webhook-signature': expect.any(String) as string,
    });
    const { spec } = await read();
    await world.service.update(WEBHOOKS, 'a', { metadata: { name: 'a' }, spec: { ...spec, timeout: '6s' } });
    expect(await delivered('p-2')).toMatchObject({
      'x-key': 'k1',
      'x-two': 'k2',
      'webhook-signature': expect.any(String) as string,
    });
    await put({ headers: { 'X-Key': '***' }, secret: '' });
    const headers = await delivered('p-3');
    expect(headers).toMatchObject({ 'x-key': 'k1' });
    expect(headers).not.toHaveProperty('x-two');
    expect(headers).not.toHaveProperty('webhook-signature');
  });

  it('come back with an earlier state, and belong to one webhook of one store', async () => {
    const { spec } = await world.webhook('a', { url: receiver.url, headers: { 'X-Key': 'k1' } });
    await put({ headers: { 'X-Key': 'k2' } });
    await put(spec);
    world.deliver();
    expect(await delivered('p-1')).toMatchObject({ 'x-key': 'k1' });
    const stolen = world.service.create(WEBHOOKS, { metadata: { name: 'b' }, spec });
    await expect(stolen).rejects.toThrow('spec.credentials: was not made by this service for this webhook');
    await expect(world.webhook('c', { url: receiver.url, headers: { 'X-Key': '***' } })).rejects.toThrow(
      'spec.headers.X-Key: has no stored value; state it',
    );
    // A later webhook of that name is another one; an undone deletion is not.
    await world.service.delete(WEBHOOKS, 'a');
    await expect(world.webhook('a', { ...spec })).rejects.toThrow(
      'spec.credentials: was not made by this service for this webhook',
    );
    const sealed = new Credentials(Buffer.alloc(32, 1)).seal('a', { secret: SECRET, headers: {} });
    expect(new Credentials(Buffer.alloc(32, 1)).open('a', sealed)).toEqual({ secret: SECRET, headers: {} });
    expect(new Credentials(Buffer.alloc(32, 1)).open('b', sealed)).toBeUndefined();
    expect(new Credentials(Buffer.alloc(32, 2)).open('a', sealed)).toBeUndefined();
    expect(new Credentials(Buffer.alloc(32, 1)).open('a', 'x')).toBeUndefined();
  });
});

describe('a webhook', () => {
  const CASES: [spec: Record<string, unknown>, field: string][] = [
    [{ secret: 'whsec_short' }, 'spec.secret'],
    [{ secret: 'hunter2' }, 'spec.secret'],
    [{ url: 'ftp://example.com/' }, 'spec.url'],
    [{ url: 'http://me:pw@example.com/' }, 'spec.url'],
    [{ url: 'nowhere' }, 'spec.url'],
    [{ models: [] }, 'spec.models'],
    [{ models: [{ group: 'demo.example.com', kind: 'Nobody' }] }, 'spec.models[0]'],
    [{ models: [{ group: 'delivery.platform.run', kind: 'Webhook' }] }, 'spec.models[0]'],
    [{ events: ['CREATED'] }, 'spec.events[0]'],
    [{ labelSelector: 'a=(' }, 'spec.labelSelector'],
    [{ fieldSelector: 'spec.nothing=1' }, 'spec.fieldSelector'],
    [{ fieldSelector: 'spec.age=old' }, 'spec.fieldSelector'],
    [{ filter: 'spec.age >' }, 'spec.filter'],
    [{ headers: { Host: 'x' } }, 'spec.headers.Host'],
    [{ headers: { 'webhook-id': 'x' } }, 'spec.headers.webhook-id'],
    [{ headers: { 'X-Key': 'a\r\nX-Other: b' } }, 'spec.headers.X-Key'],
    [{ headers: { 'X Key': 'a' } }, 'spec.headers.X Key'],
    [{ timeout: '10m' }, 'spec.timeout'],
    [{ timeout: 'soon' }, 'spec.timeout'],
    [{ maxAttempts: 0 }, 'spec.maxAttempts'],
    [{ payload: 'all' }, 'spec.payload'],
  ];

  it('that is wrong is refused, and the fault is named', async () => {
    for (const [spec, field] of CASES) {
      const error: unknown = await world
        .webhook('a', { url: receiver.url, ...spec })
        .catch((cause: unknown) => cause);
      expect(
        hasCode(error, 'Invalid') ? error.details.causes?.map((cause) => cause.field) : error,
        field,
      ).toEqual([field]);
      // Values of headers and secrets are in no message.
      expect(String(error)).not.toMatch(/hunter2|X-Other/);
    }
  });

  it('whose addresses are not allowed says so and sends nothing', async () => {
    await world.webhook('a', { url: receiver.url });
    world.deliver([]);
    await world.person('ann');
    await expect
      .poll(async () => (await world.status('a')).lastError)
      .toContain('the address 127.0.0.1 is loopback; an operator can allow it with --webhook-allow');
    expect(receiver.received).toEqual([]);
  });

  it('that is deleted leaves nothing', async () => {
    receiver.answer = answerWith(500);
    await world.webhook('a', { url: receiver.url, maxAttempts: 1 });
    world.deliver();
    await world.person('ann');
    await expect.poll(() => world.status('a')).toMatchObject({ failed: 1 });
    await world.service.delete(WEBHOOKS, 'a');
    const left = async (): Promise<number> => {
      const { metaKey, under } = await import('../../src/store/index/keys.js');
      const ranges = [under(metaKey('webhook/')), under(metaKey('deadletter/'))];
      const snapshot = world.store.engine.snapshot();
      const found = await Promise.all(ranges.map(async (range) => snapshot.scan(range, { limit: 10 })));
      snapshot.close();
      return found.flat().length;
    };
    await expect.poll(left).toBe(0);
  });
});
