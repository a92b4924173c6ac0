import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endpointOf, startEndpointServer, type EndpointServer } from '../endpoint/server.js';

const BASE = '/apis/api.demo.example.com/v1alpha1';
const LARGE = { text: 'x'.repeat(600 * 1024) };
const SMALL = { text: 'x' };

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
});
afterEach(() => server.stop('a'));
afterAll(() => server.close());

const post = (path: string, body: object) => server.send('POST', BASE + path, { body });

describe('requests with large bodies', () => {
  it('are in work one after another', async () => {
    let inWork = 0;
    const counts: number[] = [];
    const count = async (): Promise<null> => {
      counts.push((inWork += 1));
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      inWork -= 1;
      return null;
    };
    server.add('a', [endpointOf((r) => r.POST('/count', count))]);
    await Promise.all(Array.from({ length: 6 }, () => post('/count', LARGE)));
    expect(counts).toEqual(Array(6).fill(1));
  });

  it('do not hold up small ones', async () => {
    const events = new EventEmitter();
    const [isBegun, isOpen] = [once(events, 'begun'), once(events, 'open')];
    const wait = async (): Promise<null> => {
      events.emit('begun');
      await isOpen;
      return null;
    };
    server.add('a', [endpointOf((r) => r.POST('/wait', wait).POST('/pass', () => 'passed'))]);
    const waiting = [post('/wait', LARGE), post('/wait', LARGE)];
    await isBegun;
    expect((await post('/pass', SMALL)).json()).toBe('passed');
    events.emit('open');
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('may wait for each other', async () => {
    const events = new EventEmitter();
    const first = async (): Promise<unknown> => {
      const isDone = once(events, 'done');
      events.emit('begun');
      return isDone;
    };
    const second = (): boolean => events.emit('done', 'by the second');
    server.add('a', [endpointOf((r) => r.POST('/first', first).POST('/second', second))]);
    const isBegun = once(events, 'begun');
    const answer = post('/first', LARGE);
    await isBegun;
    await post('/second', LARGE);
    expect((await answer).json()).toEqual(['by the second']);
  });
});
