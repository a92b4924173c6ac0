import { Agent } from 'node:http';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { exchange, type ReceivedAnswer, type OutgoingRequest } from '../../src/lib/exchange.js';
import { longestPause, POURED, startPouring } from '../helpers/pouring.js';
import { startRawServer } from '../helpers/raw-server.js';

const endings: (() => void)[] = [];
const agent = new Agent({ keepAlive: true });

afterEach(() => {
  for (const end of endings.splice(0)) end();
});

async function serve(onSocket: (socket: Socket) => void): Promise<string> {
  const server = await startRawServer(onSocket);
  endings.push(() => server.close());
  return server.url;
}

const answering = (...parts: readonly string[]): Promise<string> =>
  serve((socket) => {
    socket.once('data', () => {
      for (const part of parts) socket.write(part);
    });
  });

const LIMITS = { timeoutMs: 20_000, bytesMax: 64 * 1024 };
const get = (url: string, more: Partial<OutgoingRequest> = {}): Promise<ReceivedAnswer> =>
  exchange({ url: new URL(url), method: 'GET', headers: [], connection: { agent }, ...LIMITS, ...more });
const INTERIM = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const FINAL = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe('a request to a server that is not trusted', () => {
  it('takes nine interim answers before the final one, in one packet or in pieces, and not ten', async () => {
    const nine = INTERIM.repeat(9) + FINAL;
    for (const url of [await answering(nine), await answering(...nine.split(''))]) {
      const { status, body } = await get(url);
      expect([status, body.toString()]).toEqual([200, 'ok']);
    }
    await expect(get(await answering(INTERIM.repeat(10) + FINAL))).rejects.toThrow(
      'it sent 10 interim answers',
    );
  });

  it('has one budget of bytes for all heads and the body', async () => {
    const url = await answering(INTERIM.repeat(9) + FINAL);
    const bytesMax = (INTERIM.repeat(9) + FINAL).length;
    expect(await get(url, { bytesMax: bytesMax + 1024 })).toMatchObject({ status: 200, fault: undefined });
    const cut = await get(await answering(FINAL), { bytesMax: 1024 });
    expect(cut.fault?.message).toBe('its answer is longer than 1024 bytes');
    await expect(get(await answering(INTERIM.repeat(9) + FINAL), { bytesMax: 100 })).rejects.toThrow(
      'its answer is longer than 100 bytes',
    );
  });

  it('reads an answer of several megabytes whole, also in parts of a few bytes', async () => {
    const long = 'x'.repeat(5_000_000);
    const url = await answering(`HTTP/1.1 200 OK\r\ncontent-length: ${long.length}\r\n\r\n`, long);
    const { body, fault } = await get(url, { bytesMax: 6_000_000 });
    expect([body.length, fault]).toEqual([long.length, undefined]);
    const parts = await answering(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      '1\r\nx\r\n'.repeat(50),
      '0\r\n\r\n',
    );
    expect((await get(parts)).body.toString()).toBe('x'.repeat(50));
  });

  it.each(POURED)('ends when a server pours %s', async (what) => {
    const pouring = await startPouring(what, 10);
    endings.push(() => pouring.stop());
    const ends: unknown[] = [];
    const pause = await longestPause(() =>
      Promise.all(
        pouring.urls
          .flatMap((url) => Array.from({ length: 8 }, () => url))
          .map(async (url) => {
            ends.push(await get(url).catch((error: unknown) => error));
          }),
      ),
    );
    expect(ends).toHaveLength(80);
    // Ended by a limit of bytes or of answers, not by the time.
    expect(ends.map(String).filter((text) => text.includes('no answer within'))).toEqual([]);
    expect(pause).toBeLessThan(1_000);
  });

  it('closes a kept connection on which a server sends without a request', async () => {
    let closed = 0;
    const url = await serve((socket) => {
      socket.once('data', () => socket.write(FINAL));
      setTimeout(() => socket.write('more'), 100);
      socket.on('close', () => (closed += 1));
    });
    expect((await get(url)).body.toString()).toBe('ok');
    await expect.poll(() => closed).toBe(1);
    // The next one gets a new connection.
    expect((await get(url)).body.toString()).toBe('ok');
  });

  it('is aborted by its signal, before and while it waits', async () => {
    const url = await serve(() => undefined);
    await expect(get(url, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    const ending = new AbortController();
    const sent = get(url, { signal: ending.signal });
    ending.abort(new Error('nobody wants it'));
    await expect(sent).rejects.toThrow('nobody wants it');
  });

  it('ends at its time limit, however slowly a server answers', async () => {
    const drop = (text: string) => (socket: Socket) => {
      let at = 0;
      const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), 10);
      socket.on('close', () => clearInterval(timer));
    };
    const began = performance.now();
    for (const text of [
      INTERIM,
      FINAL.replace('length: 2', 'length: 20000'),
      'HTTP/1.1 200 OK\r\n' + 'a'.repeat(9_000),
    ]) {
      const answer = await get(await serve(drop(text)), { timeoutMs: 300 }).catch((error: unknown) => error);
      expect(String(answer instanceof Error ? answer : (answer as ReceivedAnswer).fault)).toContain(
        'no answer within 300 ms',
      );
    }
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it('ends at its time limit when TLS does not end its handshake', async () => {
    const url = await serve(
      (socket) => void once(socket, 'data').then(() => socket.write('\u0016\u0003\u0003')),
    );
    await expect(get(url.replace('http:', 'https:'), { timeoutMs: 300, connection: {} })).rejects.toThrow(
      'no answer within 300 ms',
    );
  });

  it('names the address that cannot be reached when a name has several', async () => {
    const lookup: NonNullable<OutgoingRequest['connection']>['lookup'] = (_name, _options, done) => {
      const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
      done(null, addresses);
    };
    const url = 'http://hook.example.com:1/';
    await expect(get(url, { connection: { lookup } })).rejects.toThrow('ECONNREFUSED');
  });
});
