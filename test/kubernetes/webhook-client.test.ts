import { createServer, type Server } from 'node:https';
import type { RequestListener } from 'node:http';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serviceUrls } from '../../src/kubernetes/webhooks/service-urls.js';
import { WebhookClient } from '../../src/kubernetes/webhooks/webhook-client.js';
import { Authority } from '../helpers/certificates.js';
import { removeDirectories } from '../helpers/store.js';

let authority: Authority;
let caBundle: string;
const closing: (() => void)[] = [];

beforeAll(() => {
  authority = new Authority();
  caBundle = readFileSync(authority.caFile).toString('base64');
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
});
afterAll(removeDirectories);

/** Returns the origin of a webhook. */
async function startWebhook(answer: RequestListener): Promise<string> {
  const { certFile, keyFile } = authority.sign('webhook');
  const server: Server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function client(urls: readonly string[] = []): WebhookClient {
  const made = new WebhookClient({ serviceUrls: serviceUrls(urls) });
  closing.push(() => made.close());
  return made;
}

const limits = { timeoutMs: 10_000 };
const echo: RequestListener = (req, res) => {
  const parts: Buffer[] = [];
  req.on('data', (part: Buffer) => parts.push(part));
  req.on('end', () => res.end(`{"path":"${req.url ?? ''}","review":${Buffer.concat(parts).toString()}}`));
};

describe('a call of a webhook', () => {
  it('sends the review to its URL and returns the answer', async () => {
    const origin = await startWebhook(echo);
    const answer = await client().post({ url: `${origin}/review?x=1`, caBundle }, { a: 'ä' }, limits);
    expect(answer).toEqual({ path: '/review?x=1', review: { a: 'ä' } });
  });

  it('leaves out repeated slashes and a last one of the path', async () => {
    const origin = await startWebhook(echo);
    for (const [path, sent] of [
      ['//review', '/review'],
      ['/a//b/?x=1', '/a/b?x=1'],
      ['', '/'],
    ])
      expect(await client().post({ url: `${origin}${path}`, caBundle }, {}, limits)).toMatchObject({
        path: sent,
      });
  });

  it('reaches a service at the address that the operator gave', async () => {
    const origin = await startWebhook(echo);
    const calls = client([`shop/hooks=${origin}`]);
    const service = { namespace: 'shop', name: 'hooks', path: '/x' };
    expect(await calls.post({ service, caBundle }, {}, limits)).toEqual({ path: '/x', review: {} });
  });

  it('says which option is missing for a service without an address', async () => {
    const service = { namespace: 'shop', name: 'hooks' };
    await expect(client().post({ service }, {}, limits)).rejects.toThrow(
      'start with --service-url shop/hooks=https://HOST:PORT',
    );
  });

  it('fails without the issuer of the certificate', async () => {
    const origin = await startWebhook(echo);
    await expect(client().post({ url: origin }, {}, limits)).rejects.toThrow(/certificate/u);
  });

  it('trusts the certificate of the webhook when the bundle holds it instead of its issuer', async () => {
    const { certFile } = authority.sign('webhook');
    const origin = await startWebhook(echo);
    const own = readFileSync(certFile).toString('base64');
    expect(await client().post({ url: origin, caBundle: own }, {}, limits)).toMatchObject({ review: {} });
    const { certFile: otherFile } = authority.sign('another');
    const other = readFileSync(otherFile).toString('base64');
    await expect(client().post({ url: origin, caBundle: other }, {}, limits)).rejects.toThrow(/certificate/u);
  });

  it('fails when nothing comes in time, also in the middle of an answer', async () => {
    const silent = await startWebhook(() => undefined);
    await expect(client().post({ url: silent, caBundle }, {}, { timeoutMs: 200 })).rejects.toThrow(
      'no answer within 200 ms',
    );
    const torn = await startWebhook((_req, res) => void res.write('{"a":'));
    await expect(client().post({ url: torn, caBundle }, {}, { timeoutMs: 200 })).rejects.toThrow(
      'no answer within 200 ms',
    );
  });

  it.each<[string, RequestListener, string]>([
    ['a status of failure', (_req, res) => res.writeHead(503).end('{}'), 'it answered with the status 503'],
    [
      'a redirect',
      (_req, res) => res.writeHead(302, { Location: '/' }).end(),
      'it answered with the status 302',
    ],
    ['no JSON', (_req, res) => res.end('no'), 'its answer is no JSON object'],
    [
      'an integer that a number would change',
      (_req, res) => res.end('{"a":{"b":9007199254740993}}'),
      'its answer is no JSON object: invalid JSON: a.b: the integer 9007199254740993 cannot be',
    ],
    [
      'interim answers alone',
      (_req, res) => {
        for (let i = 0; i < 10; i++) res.writeProcessing();
      },
      'it sent 10 interim answers',
    ],
    ['a list', (_req, res) => res.end('[]'), 'its answer is no JSON object'],
    ['a broken connection', (req) => req.socket.destroy(), 'socket hang up'],
    [
      'too much',
      (_req, res) => {
        const send = (): void => {
          while (res.write(Buffer.alloc(1 << 20, ' ')));
        };
        res.on('drain', send);
        send();
      },
      'its answer is longer than 33554432 bytes',
    ],
  ])('refuses %s', async (_what, answer, reason) => {
    const origin = await startWebhook(answer);
    await expect(client().post({ url: origin, caBundle }, {}, limits)).rejects.toThrow(reason);
  });

  it('is sent again when the webhook had closed the kept connection', async () => {
    let calls = 0;
    const origin = await startWebhook((req, res) => {
      calls++;
      res.end('{}', () => req.socket.destroySoon());
    });
    const kept = client();
    for (let i = 0; i < 20; i++) await kept.post({ url: origin, caBundle }, {}, limits);
    expect(calls).toBe(20);
  });
});

describe('addresses of services', () => {
  it.each([
    'shop=https://a:1',
    'shop/hooks',
    'shop/hooks=http://a:1',
    'shop/hooks=https://a:1/path',
    'a/b/c=https://a',
  ])('refuse %s', (text) => {
    expect(() => serviceUrls([text])).toThrow('must be like NAMESPACE/NAME=https://HOST:PORT');
  });

  it('may be several, also in one text', () => {
    expect([...serviceUrls('a/b=https://h:1,c/d=https://[::1]:2')]).toEqual([
      ['a/b', 'https://h:1'],
      ['c/d', 'https://[::1]:2'],
    ]);
  });
});
