import { describe, expect, it } from 'vitest';
import {
  findRequestFault,
  PageRequests,
  REQUEST_LIMITS,
} from '../../src/console/pages/plugins/frame/page-requests.js';
import { BURST, MessageBudget, PER_SECOND } from '../../src/console/pages/plugins/frame/message-budget.js';

const get = (path: string) => ({ path, method: 'GET', headers: {}, body: '' });

describe('requests of a page', () => {
  it('are limited at the limits, and not before', () => {
    const path = (length: number): string => `/apis/${'x'.repeat(length - 6)}`;
    expect(findRequestFault(get(path(REQUEST_LIMITS.path)))).toBeUndefined();
    expect(findRequestFault(get(path(REQUEST_LIMITS.path + 1)))).toContain('longer than');
    const post = (length: number) => ({ ...get('/apis/a/b/c'), method: 'POST', body: 'x'.repeat(length) });
    expect(findRequestFault(post(REQUEST_LIMITS.body))).toBeUndefined();
    expect(findRequestFault(post(REQUEST_LIMITS.body + 1))).toContain('longer than');
    const header = (length: number) => ({ ...get('/apis/a'), headers: { Accept: 'x'.repeat(length) } });
    expect(findRequestFault(header(REQUEST_LIMITS.header))).toBeUndefined();
    expect(findRequestFault(header(REQUEST_LIMITS.header + 1))).toBe('the header Accept is invalid');
  });

  it.each(['__proto__', 'constructor', 'Host', 'Cookie', 'X-HTTP-Method-Override'])(
    'have no header %s',
    (name) => {
      const headers = Object.fromEntries([[name, 'x']]);
      expect(findRequestFault({ ...get('/apis/a'), headers })).toContain('the header is not one of');
    },
  );

  it.each([
    '/apis/access.platform.run',
    '/apis/access.platform.run/v1alpha1/users',
    '/apis/access%2eplatform.run/v1alpha1/users',
    '/apis/api.platform.run/v1alpha1/backups',
    '/apis/a/%ff',
    '/apis/a%2fb',
    '/apis/a/./b',
    '/apisx/a',
    'apis/a',
    '/apis/a b',
    '/apis/a#b',
  ])('are not sent to %s', (path) => {
    expect(findRequestFault(get(path))).toBeDefined();
  });

  it('contain no rights within a batch, in any form', () => {
    const batch = (path: string, body: string) => findRequestFault({ ...get(path), method: 'POST', body });
    const path = '/apis/api.platform.run/v1alpha1/batches';
    const item = { verb: 'create', object: { apiVersion: 'access.platform.run/v1alpha1', kind: 'Token' } };
    for (const one of [path, path.replace('batches', '%62atches'), `${path}/`]) {
      expect(batch(one, JSON.stringify({ items: [item] }))).toContain('not available');
      expect(batch(one, 'items:\n- object: { apiVersion: access.platform.run/v1alpha1 }')).toBe(
        'a batch must be JSON',
      );
    }
    expect(
      batch(path, JSON.stringify({ items: [{ verb: 'delete', apiVersion: 'a.b/v1' }] })),
    ).toBeUndefined();
  });

  it('run a few at a time, and are bounded in number', async () => {
    const open: (() => void)[] = [];
    const requests = new PageRequests(
      () => new Promise((resolve) => open.push(() => resolve(new Response('{}')))),
    );
    const ask = (id: number) => requests.fetch({ kind: 'fetch', id, ...get('/apis/a') });
    const all = Array.from({ length: REQUEST_LIMITS.atOnce + REQUEST_LIMITS.waiting }, (_, i) => ask(i));
    await expect(ask(-1)).rejects.toThrow('at most 60 requests may wait');
    expect(open).toHaveLength(REQUEST_LIMITS.atOnce);
    let answered = 0;
    while (answered < all.length) {
      open.shift()?.();
      await all[answered++];
    }
    expect((await Promise.all(all)).every(({ status }) => status === 200)).toBe(true);
  });

  it('have answers up to a limit', async () => {
    const answer = (bytes: number) =>
      new PageRequests(() => Promise.resolve(new Response('x'.repeat(bytes)))).fetch({
        kind: 'fetch',
        id: 1,
        ...get('/apis/a'),
      });
    expect((await answer(REQUEST_LIMITS.answer)).body).toHaveLength(REQUEST_LIMITS.answer);
    await expect(answer(REQUEST_LIMITS.answer + 1)).rejects.toThrow('the answer is longer than');
  });

  it('end with the page', async () => {
    const requests = new PageRequests(
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(new Error('ended'))),
        ),
    );
    const one = requests.fetch({ kind: 'fetch', id: 1, ...get('/apis/a') });
    await Promise.resolve();
    requests.close();
    await expect(one).rejects.toThrow('ended');
  });
});

describe('the budget of messages', () => {
  it('allows a burst, and then a rate', () => {
    let now = 0;
    const budget = new MessageBudget(() => now);
    for (let i = 0; i < BURST; i++) expect(budget.take()).toBe(true);
    expect(budget.take()).toBe(false);
    now += 1_000;
    for (let i = 0; i < PER_SECOND; i++) expect(budget.take()).toBe(true);
    expect(budget.take()).toBe(false);
  });
});
