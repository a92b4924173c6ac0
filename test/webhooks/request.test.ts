import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { subnets } from '../../src/lib/parse-value.js';
import { AddressGuard, type ResolveName } from '../../src/webhooks/request/addresses.js';
import { readRetryAfter, retryDelayMs } from '../../src/webhooks/request/backoff.js';
import { Sender } from '../../src/webhooks/request/sender.js';
import { readKey, sign } from '../../src/webhooks/request/signature.js';
import { describeOutcome } from '../../src/webhooks/request/target.js';
import { startRawServer } from '../helpers/raw-server.js';
import { answerWith, startReceiver, type Receiver } from '../helpers/receiver.js';

let receiver: Receiver;
let senders: Sender[];
const endings: (() => void)[] = [];

beforeEach(async () => {
  [receiver, senders] = [await startReceiver(), []];
});

afterEach(async () => {
  for (const sender of senders) sender.close();
  for (const end of endings.splice(0)) end();
  await receiver.close();
});

function openSender(allowed: readonly string[] = ['127.0.0.0/8'], resolve?: ResolveName): Sender {
  const sender = new Sender(new AddressGuard(subnets(allowed), resolve));
  senders.push(sender);
  return sender;
}

const send = (sender: Sender, url: string, timeoutMs = 5_000) =>
  sender.send({ url: new URL(url), headers: [], body: Buffer.from('{}'), timeoutMs });

/** A name server that gives one answer after another. */
function names(...answers: readonly (readonly string[])[]): ResolveName & { asked: () => number } {
  let asked = 0;
  const resolve: ResolveName = (_name, _options, done) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return Object.assign(resolve, { asked: () => asked });
}

async function rawServer(onSocket: (socket: Socket) => void): Promise<string> {
  const server = await startRawServer(onSocket);
  endings.push(() => server.close());
  return server.url;
}

describe('a signature', () => {
  it('is the one of the test vector of the standard', () => {
    const key = readKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') ?? Buffer.alloc(0);
    const signed = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330 };
    expect(sign(key, { ...signed, body: Buffer.from('{"test": 2432232314}') })).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('needs a secret of the right form', () => {
    const wrong = ['', 'secret', 'whsec_', 'whsec_%%%%', `whsec_${Buffer.alloc(1_025).toString('base64')}`];
    expect(wrong.map((text) => readKey(text))).toEqual(wrong.map(() => undefined));
    expect(readKey(`whsec_${Buffer.alloc(64).toString('base64')}`)).toHaveLength(64);
  });
});

describe('the delay before another attempt', () => {
  it('doubles from a second to five minutes, with up to half as jitter', () => {
    expect([1, 2, 3, 9, 10, 500].map((attempts) => retryDelayMs(attempts, 0, 0))).toEqual([
      1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
    ]);
    expect(retryDelayMs(2, 0, 1)).toBe(3_000);
  });

  it('is at least what the receiver asks for, up to an hour', () => {
    expect(retryDelayMs(1, 7_000, 0)).toBe(7_000);
    expect(retryDelayMs(1, 7_000_000, 0)).toBe(3_600_000);
    expect(readRetryAfter('120', 0)).toBe(120_000);
    expect(readRetryAfter('Thu, 01 Jan 1970 00:01:00 GMT', 20_000)).toBe(40_000);
    expect(readRetryAfter('soon', 0)).toBeUndefined();
  });
});

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '[::1]',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('%s is refused', (address) => {
    expect(new AddressGuard([]).refusalOf(address)).toContain('--webhook-allow');
  });

  it.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8', 'example.com'])(
    '%s is used',
    (address) => {
      expect(new AddressGuard([]).refusalOf(address)).toBeUndefined();
    },
  );

  it('that an operator allows is used, also in another spelling, and no other one', async () => {
    const guard = new AddressGuard(subnets(['127.0.0.1', 'fd00::/16']));
    expect(['127.0.0.1', '::ffff:127.0.0.1', 'fd00::1'].map((one) => guard.refusalOf(one))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(guard.refusalOf('127.0.0.2')).toContain('loopback');
    const refused = openSender([]);
    // The URL of each is that of 127.0.0.1.
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '127.1', '[::ffff:127.0.0.1]'])
      expect(await send(refused, `http://${host}:${receiver.port}/`)).toMatchObject({
        error: expect.stringContaining('is loopback') as string,
      });
    expect(receiver.received).toEqual([]);
    expect(() => subnets('10.0.0.0/33')).toThrow('must be subnets like 10.0.0.0/8');
    expect(() => subnets('intranet')).toThrow('must be subnets like 10.0.0.0/8');
  });

  it('is checked after a name was resolved, and the connection goes to the address that was checked', async () => {
    const url = `http://hook.example.com:${receiver.port}/`;
    const refused = openSender([], names(['127.0.0.1']));
    expect(await send(refused, url)).toMatchObject({
      error: expect.stringContaining('is loopback') as string,
    });
    // The name is resolved once for a connection, so that a second answer cannot be another address.
    const rebinding = names(['127.0.0.1'], ['10.0.0.1']);
    expect(await send(openSender(['127.0.0.0/8'], rebinding), url)).toMatchObject({ status: 204 });
    expect(rebinding.asked()).toBe(1);
    const turned = names(['192.0.2.1'], ['127.0.0.1']);
    const sender = openSender([], turned);
    expect(await send(sender, url, 200)).toHaveProperty('error');
    expect(await send(sender, url)).toMatchObject({
      error: expect.stringContaining('is loopback') as string,
    });
    // Of several addresses only those that may be used are tried.
    expect(await send(openSender(['127.0.0.1'], names(['10.0.0.1', '127.0.0.1'])), url)).toMatchObject({
      status: 204,
    });
    expect(await send(openSender([], names([])), url)).toMatchObject({
      error: 'hook.example.com has no address',
    });
    expect(receiver.received).toHaveLength(2);
  });
});

describe('a request', () => {
  it('does not follow a redirect, to a private address or elsewhere', async () => {
    receiver.answer = answerWith(307, { location: `http://127.0.0.2:${receiver.port}/other` });
    const outcome = await send(openSender(['127.0.0.1']), receiver.url);
    expect(describeOutcome(outcome)).toBe('the receiver answered 307; redirects are not followed');
    expect(receiver.received).toHaveLength(1);
  });

  it('ends at its time limit, when nothing is answered and when only the body does not end', async () => {
    const silent = await rawServer(() => undefined);
    const dripping = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const heads = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x: y\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const began = performance.now();
    const sender = openSender();
    expect(await Promise.all([silent, dripping, heads].map((url) => send(sender, url, 300)))).toMatchObject([
      { error: 'no answer within 300 ms' },
      { status: 200 },
      { error: 'no answer within 300 ms' },
    ]);
    expect(performance.now() - began).toBeLessThan(1_500);
  });

  it('reads a small part of an answer that does not end', async () => {
    let sent = 0;
    const endless = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n');
      const part = Buffer.alloc(64 * 1024);
      const pour = (): void => {
        while (!socket.destroyed) {
          sent += part.length;
          if (!socket.write(part)) return;
        }
      };
      socket.on('drain', pour);
      pour();
    });
    expect(await send(openSender(), endless)).toMatchObject({ status: 200 });
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it('fails when the receiver closes, is away, or does not speak HTTP', async () => {
    const sender = openSender();
    const closing = await rawServer((socket) => socket.destroy());
    const other = await rawServer((socket) => void socket.end('220 mail.example.com\r\n'));
    const away = await startReceiver();
    await away.close();
    const outcomes = await Promise.all([closing, other, away.url].map((url) => send(sender, url)));
    expect(outcomes.map(({ error }) => error)).toEqual([
      expect.any(String),
      expect.any(String),
      expect.stringContaining('ECONNREFUSED'),
    ]);
  });

  it('is sent again at once when the receiver had closed the kept connection', async () => {
    const sockets: Socket[] = [];
    let count = 0;
    const url = await rawServer((socket) => {
      sockets.push(socket);
      socket.on('data', () => {
        count += 1;
        // The second request on the first connection meets its end.
        if (sockets[0] === socket && count > 1) socket.destroy();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const sender = openSender();
    expect(await send(sender, url)).toMatchObject({ status: 204 });
    expect(await send(sender, url)).toMatchObject({ status: 204 });
    expect([count, sockets.length]).toEqual([3, 2]);
  });

  it('ends when the sender is closed', async () => {
    const silent = await rawServer(() => undefined);
    const sender = openSender();
    const sending = send(sender, silent, 60_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    sender.close();
    expect(await sending).toHaveProperty('error');
  });
});
