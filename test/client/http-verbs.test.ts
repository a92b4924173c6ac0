import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRemote } from '../../src/client/http-verbs.js';
import { readWarnings } from '../../src/client/programs/warnings.js';
import { warningHeaders } from '../../src/http/answer/respond.js';

const REF = { group: 'g.example.com', version: 'v1', kind: 'Person', plural: 'persons' };

/** Answers that are made up, for what a real server does not do. */
let answer: { status: number; body: string; headers?: Record<string, string> } = { status: 200, body: '{}' };
const requests: { method: string; url: string; headers: Record<string, unknown> }[] = [];
let server: Server;
let url = '';

beforeAll(async () => {
  server = createServer((req, res) => {
    requests.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers });
    res.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('openRemote', () => {
  it('throws the error that the server threw, with its causes', async () => {
    const causes = [{ field: 'spec.age', reason: 'FieldValueInvalid', message: 'too small' }];
    const status = {
      kind: 'Status',
      reason: 'Invalid',
      message: 'bad',
      details: { kind: 'Person', name: 'ann', causes },
    };
    answer = { status: 422, body: JSON.stringify(status) };
    await expect(openRemote(url).get(REF, 'ann')).rejects.toMatchObject({
      code: 'Invalid',
      message: 'bad',
      details: { kind: 'Person', name: 'ann', causes },
    });
  });

  it('understands the status code of an answer that is no Status, such as that of a proxy', async () => {
    answer = { status: 502, body: '<html>' };
    await expect(openRemote(url).get(REF, 'ann')).rejects.toMatchObject({ code: 'ServiceUnavailable' });
  });

  it('passes on when to try again', async () => {
    const status = { kind: 'Status', reason: 'ServiceUnavailable', message: 'building', details: {} };
    answer = { status: 503, body: JSON.stringify(status), headers: { 'Retry-After': '3' } };
    await expect(openRemote(url).get(REF, 'ann')).rejects.toMatchObject({
      details: { retryAfterSeconds: 3 },
    });
  });

  it('names the server that cannot be reached', async () => {
    const verbs = openRemote('http://127.0.0.1:1/');
    await expect(verbs.get(REF, 'ann')).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    await expect(verbs.get(REF, 'ann')).rejects.toThrow('http://127.0.0.1:1');
  });

  it('refuses a URL that is not HTTP', () => {
    expect(() => openRemote('localhost:8090')).toThrow('not the URL of a server');
    expect(() => openRemote('')).toThrow('not the URL of a server');
  });

  it('refuses answers that are none of an xsvc server', async () => {
    answer = { status: 200, body: '{"hello":1}' };
    await expect(openRemote(url).resources()).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    await expect(openRemote(url).get(REF, 'ann')).rejects.toMatchObject({ code: 'ServiceUnavailable' });
  });

  it('notices a list that broke off', async () => {
    answer = { status: 200, body: '{"items":[' };
    const all = openRemote(url).listAll(REF);
    await expect(collect(all)).rejects.toThrow('ended early');
  });

  it('sends token, selectors, options and revision where they belong', async () => {
    const object = {
      apiVersion: 'g.example.com/v1',
      kind: 'Person',
      metadata: { name: 'a b', resourceVersion: '7' },
    };
    answer = {
      status: 200,
      body: JSON.stringify(object),
      headers: { Warning: '299 - "unknown field \\"x\\""' },
    };
    const options = { dryRun: true, fieldValidation: 'Strict', ifMatch: ['7'] } as const;
    const result = await openRemote(`${url}/`, { token: 'secret' }).patch(REF, 'a b', {}, 'json', options);
    expect(result).toEqual({ object, changed: false, warnings: ['unknown field "x"'] });
    expect(requests.at(-1)).toMatchObject({
      method: 'PATCH',
      url: '/apis/g.example.com/v1/persons/a%20b?fieldManager=xsvc&dryRun=All&fieldValidation=Strict',
      headers: {
        authorization: 'Bearer secret',
        'if-match': '"7"',
        'content-type': 'application/json-patch+json',
      },
    });
  });
});

describe('readWarnings', () => {
  it('reads the output of the server', () => {
    const texts = ['unknown field "spec.a"', 'back\\slash, and comma'];
    const header = warningHeaders(texts).Warning;
    expect(readWarnings([header].flat().join(', '))).toEqual(texts);
    expect(readWarnings(null)).toEqual([]);
  });
});

async function collect(objects: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const object of objects) all.push(object);
  return all;
}
