import type { ServerResponse } from 'node:http';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WEBHOOKS } from '../../src/webhooks/webhook.js';
import { PERSON } from '../helpers/models.js';
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

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const url = (): { url: string } => ({ url: receiver.url });
const change = (name: string, spec: object): Promise<unknown> =>
  world.service.patch(PERSON, name, { spec }, 'merge');
const received = (count: number): Promise<void> =>
  expect.poll(() => receiver.received.length, { timeout: 8_000, interval: 20 }).toBe(count);

describe('a webhook', () => {
  it('sends the changes after its creation, signed as Standard Webhooks says, with the object and the old one', async () => {
    await world.person('before');
    const { metadata } = await world.webhook('a', { ...url(), secret: SECRET, headers: { 'X-Key': 'k1' } });
    await world.person('ann', { age: 1 });
    await change('ann', { age: 2 });
    await world.service.delete(PERSON, 'ann');
    world.deliver();
    await received(3);
    expect(receiver.told()).toEqual(['ADDED ann', 'MODIFIED ann', 'DELETED ann']);
    for (const { text, headers, body } of receiver.received) {
      const verified = new Verifier(SECRET).verify(text, headers as Record<string, string>);
      expect(verified).toEqual(body);
      expect(headers).toMatchObject({
        'x-key': 'k1',
        'webhook-id': body.id,
        'content-type': 'application/json',
      });
      expect(body.id).toContain(metadata.uid);
      expect(body.object.metadata).toMatchObject({ resourceVersion: body.resourceVersion });
      expect(Date.parse(body.time)).toBeGreaterThan(Date.parse(metadata.creationTimestamp) - 1);
    }
    const [added, modified, deleted] = receiver.received.map(({ body }) => body);
    expect(added).not.toHaveProperty('old');
    expect(deleted).not.toHaveProperty('old');
    expect(modified).toMatchObject({ object: { spec: { age: 2 } }, old: { spec: { age: 1 } } });
    await expect.poll(() => world.status('a')).toMatchObject({ pending: 0, delivered: 3, failed: 0 });
  });

  it('sends an object that begins to match as ADDED, and one that stops as DELETED', async () => {
    const selectors = {
      labelSelector: 'team=red',
      fieldSelector: 'spec.active=true',
      filter: 'spec.age > 5',
    };
    await world.webhook('a', { ...url(), ...selectors });
    await world.webhook('b', {
      ...url(),
      events: ['DELETED'],
      payload: 'reference',
      labelSelector: 'team=red',
    });
    await world.person('ann', { age: 3, active: true }, { team: 'red' });
    await world.person('bob', { age: 9, active: true }, { team: 'blue' });
    await change('ann', { age: 6 });
    await change('ann', { age: 7 });
    await change('ann', { active: false });
    await world.service.patch(PERSON, 'ann', { metadata: { labels: { team: 'blue' } } }, 'merge');
    world.deliver();
    await received(4);
    const of = (key: string) =>
      receiver.received.filter(({ body }) => ('spec' in body.object ? 'a' : 'b') === key);
    expect(of('a').map(({ body }) => body.type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    // The last state that matched, with the revision of the change.
    expect(of('a').at(-1)?.body.object).toMatchObject({ spec: { age: 7, active: true } });
    expect(of('b').map(({ body }) => Object.keys(body.object))).toEqual([['apiVersion', 'kind', 'metadata']]);
  });

  it('keeps the order of one object while others go on, and tries again what fails, after Retry-After', async () => {
    let refusals = 1;
    receiver.answer = (one, response, request) => {
      const isRefused = one.body.object.metadata.name === 'slow' && refusals-- > 0;
      answerWith(isRefused ? 503 : 204, { 'retry-after': '2' })(one, response, request);
    };
    await world.webhook('a', url());
    world.deliver();
    await world.person('slow', { age: 0 });
    for (let age = 1; age < 4; age++) await change('slow', { age });
    await world.person('other');
    await expect
      .poll(() => world.status('a'))
      .toMatchObject({ pending: 4, delivered: 1, lastError: 'the receiver answered 503' });
    expect(receiver.told()).toEqual(['ADDED slow', 'ADDED other']);
    await received(6);
    const slow = receiver.received.filter(({ body }) => body.object.metadata.name === 'slow');
    expect(slow.map(({ body }) => body.object.spec)).toMatchObject([0, 0, 1, 2, 3].map((age) => ({ age })));
    const [first = 0, second = 0] = slow.map(({ atMs }) => atMs);
    expect(second - first).toBeGreaterThan(1_990);
  });

  it('does not wait for the receiver of another one, which does not answer', async () => {
    receiver.answer = (one, response, request) => {
      if (request.url !== '/silent') answerWith(204)(one, response, request);
    };
    await world.webhook('silent', { url: new URL('/silent', receiver.url).href });
    await world.webhook('a', url());
    world.deliver();
    // More than are sent at the same time.
    for (let i = 0; i < 40; i++) await world.person(`p-${i}`);
    await expect.poll(() => world.status('a')).toMatchObject({ pending: 0, delivered: 40 });
    expect(await world.status('silent')).toMatchObject({ delivered: 0 });
  });

  it('shares the memory of bodies with all others, so that silent receivers hold few, and loses nothing', async () => {
    const webhooks = 12;
    const objects = 40;
    const open: ServerResponse[] = [];
    let bytes = 0;
    receiver.answer = ({ text }, response) => {
      open.push(response);
      bytes += text.length;
    };
    for (let i = 0; i < webhooks; i++) await world.webhook(`w-${i}`, { ...url(), timeout: '30s' });
    world.deliver();
    for (let i = 0; i < objects; i++) await world.person(`p-${i}`, {}, {}, { text: 'x'.repeat(100_000) });
    // All were read, and those that may be sent are sent.
    for (let i = 0; i < webhooks; i++)
      await expect
        .poll(() => world.status(`w-${i}`), { timeout: 30_000 })
        .toMatchObject({ pending: objects });
    await expect.poll(() => bytes).toBeGreaterThan(8_000_000);
    expect(bytes).toBeLessThan(26_000_000);
    // An end does not wait for the deliveries that wait for memory.
    await world.halt();
    receiver.answer = answerWith(204);
    receiver.received.length = 0;
    world.deliver();
    for (let i = 0; i < webhooks; i++)
      await expect
        .poll(() => world.status(`w-${i}`), { timeout: 30_000 })
        .toMatchObject({ pending: 0, delivered: objects });
    expect(new Set(receiver.received.map(({ body }) => body.id)).size).toBe(webhooks * objects);
  }, 120_000);

  it('that is deleted ends its requests, which nobody answers', async () => {
    let closed = 0;
    receiver.answer = (_one, response) => void response.on('close', () => (closed += 1));
    await world.webhook('a', { ...url(), timeout: '30s' });
    world.deliver();
    for (const name of ['ann', 'bob', 'cy']) await world.person(name);
    await received(3);
    expect(closed).toBe(0);
    await world.service.delete(WEBHOOKS, 'a');
    await expect.poll(() => closed, { timeout: 15_000 }).toBe(3);
    expect(receiver.received).toHaveLength(3);
  });

  it('is disabled by 410, and goes on where it was when it is enabled again', async () => {
    receiver.answer = answerWith(410);
    await world.webhook('a', url());
    world.deliver();
    await world.person('ann');
    await expect
      .poll(() => world.service.get(WEBHOOKS, 'a'))
      .toMatchObject({ spec: { enabled: false }, status: { pending: 1, delivered: 0 } });
    await world.person('bob');
    receiver.answer = answerWith(200);
    await world.service.patch(WEBHOOKS, 'a', { spec: { enabled: true } }, 'merge');
    await received(3);
    expect(receiver.told()).toEqual(['ADDED ann', 'ADDED ann', 'ADDED bob']);
  });

  it('gives a change up after the last attempt and goes on; dead letters are sent again on request', async () => {
    receiver.answer = (one, response, request) =>
      answerWith(one.body.type === 'ADDED' ? 500 : 204)(one, response, request);
    await world.webhook('a', { ...url(), maxAttempts: 1 });
    world.deliver();
    await world.person('ann', { age: 1 });
    await change('ann', { age: 2 });
    await received(2);
    await expect.poll(() => world.status('a')).toMatchObject({ pending: 0, delivered: 1, failed: 1 });
    const { deadLetters, replay } = await import('../../src/webhooks/requests.js');
    const letters = () => deadLetters(world.service, 'a');
    expect(await letters()).toMatchObject({
      items: [
        { type: 'ADDED', kind: 'Person', name: 'ann', attempts: 1, lastError: 'the receiver answered 500' },
      ],
    });
    receiver.answer = answerWith(200);
    expect(await replay(world.service, 'a', { deadletters: true })).toMatchObject({ count: 1 });
    await received(3);
    expect(receiver.received[2]?.text).toBe(receiver.received[0]?.text);
    await expect.poll(letters).toEqual({ items: [] });
  });

  it('sends all changes after a revision again, unless the log no longer has them', async () => {
    const { replay } = await import('../../src/webhooks/requests.js');
    await world.webhook('a', url());
    world.deliver();
    const revision = await world.person('ann');
    await world.person('bob');
    await received(2);
    await replay(world.service, 'a', { fromRevision: revision });
    await received(3);
    expect(receiver.told().at(-1)).toBe('ADDED bob');
    await expect(replay(world.service, 'a', { fromRevision: 1_000_000 })).rejects.toMatchObject({
      code: 'BadRequest',
    });
    await world.store.history.trim({ count: 0, ageMs: 0 }, Date.now() + 1_000);
    await expect(replay(world.service, 'a', { fromRevision: revision })).rejects.toMatchObject({
      code: 'Expired',
    });
  });

  it('goes on after a restart without a gap and without a repetition', async () => {
    await world.webhook('a', url());
    world.deliver();
    await world.person('p-0');
    await received(1);
    await world.halt();
    for (let i = 1; i < 60; i++) await world.person(`p-${i}`);
    world.deliver();
    await received(60);
    await world.halt();
    world.deliver();
    await world.person('last');
    await received(61);
    expect(new Set(receiver.told()).size).toBe(61);
  });

  it('holds the log while it is enabled, up to the limit of bytes, and says what is missing', async () => {
    await world.webhook('a', { ...url(), enabled: false });
    for (let i = 0; i < 50; i++) await world.person(`p-${i}`);
    expect(await world.deliveries.neededAfter()).toBeUndefined();
    await world.service.patch(WEBHOOKS, 'a', { spec: { enabled: true } }, 'merge');
    const unread = await world.deliveries.neededAfter();
    expect(unread).toBe(0);
    const old = { count: 0, ageMs: 0 };
    expect(await world.store.history.trim({ ...old, unread }, Date.now() + 1_000)).toBe(0);
    await world.store.history.trim({ ...old, unread, bytesMax: 1_000 }, Date.now() + 1_000);
    world.deliver();
    await expect
      .poll(() => world.status('a'))
      .toMatchObject({ lastError: expect.stringContaining('were removed from the log') as string });
    await world.person('last');
    await expect.poll(() => receiver.told()).toContain('ADDED last');
    expect(receiver.received.length).toBeLessThan(40);
  });

  it('has a status that does not cause further ones', async () => {
    await world.webhook('a', url());
    world.deliver();
    await world.person('ann');
    await expect.poll(() => world.status('a')).toMatchObject({ delivered: 1 });
    const revision = await world.store.revision();
    await new Promise((resolve) => setTimeout(resolve, 1_600));
    expect(await world.store.revision()).toBe(revision);
  });
});
