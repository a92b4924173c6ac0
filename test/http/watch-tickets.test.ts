import { Agent } from 'node:http';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessControl } from '../../src/access/control.js';
import { issueToken, makeFirstUser } from '../../src/access/issue.js';
import { openAccessModels, ROLES, TOKENS } from '../../src/access/models.js';
import { sweepWatchTickets, TICKET_MS, WatchTickets } from '../../src/access/watch-tickets.js';
import type { AccessLogEntry } from '../../src/http/metrics/access-log.js';
import { createExpressApp } from '../../src/http/express-app.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import type { Logger } from '../../src/lib/log/logger.js';
import type { Service } from '../../src/service/service.js';
import { metaKey, under } from '../../src/store/index/keys.js';
import { withSnapshot } from '../../src/store/with-snapshot.js';
import { senderAs, sendHttp, type HttpAnswer } from '../helpers/http.js';
import { registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { openStream, type OpenStream } from '../helpers/watching.js';
import { person } from '../suites/verbs-helpers.js';

const TICKETS = '/apis/api.platform.run/v1alpha1/watchtickets';
const PERSONS = '/apis/demo.example.com/v1/persons';
const WATCH = `${PERSONS}?watch=true`;

let t: TestService;
let service: Service;
/** Two processes on one store. */
let servers: RunningServer[];
let agent: Agent;
let admin: string;
let accessLog: AccessLogEntry[];
let logged: string;
/** Lead of the clock of tokens and tickets, in milliseconds. */
let aheadMs: number;
const streams: OpenStream[] = [];

async function startServer(auth: 'none' | 'token'): Promise<RunningServer> {
  const now = (): number => Date.now() + aheadMs;
  const log = (message: string, fields?: object): void => void (logged += message + JSON.stringify(fields));
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  const app = createExpressApp({
    service,
    accessLog: (entry) => accessLog.push(entry),
    ...(auth === 'token' && { access: new AccessControl(service, now) }),
    tickets: new WatchTickets(service.store, now),
    models: service.models,
    logger,
    bodyBytesMax: 1024 * 1024,
    loopbackOnly: false,
    version: '0.1.0',
    recheckMs: 50,
  });
  return listen(app, { host: '127.0.0.1', port: 0 });
}

beforeEach(async () => {
  t = await openTestService();
  ({ service } = t);
  await openAccessModels(service.models, t.registry);
  await registerModels(t);
  admin = (await makeFirstUser(service)) ?? '';
  accessLog = [];
  logged = '';
  aheadMs = 0;
  servers = [await startServer('token'), await startServer('token')];
  agent = new Agent({ keepAlive: true });
});

afterEach(async () => {
  for (const stream of streams.splice(0)) stream.destroy();
  await expect.poll(() => service.hub.subscribers).toBe(0);
  agent.destroy();
  for (const server of servers) await server.close(0);
  await t.close();
});
afterAll(removeDirectories);

function serverAt(i: number): RunningServer {
  const server = servers[i];
  if (server === undefined) throw new Error(`there is no server ${i}`);
  return server;
}

const as = senderAs(() => ({ agent, server: serverAt(0) }));
const ask = (path: unknown, token = admin): Promise<HttpAnswer> => as(token, 'POST', TICKETS, { path });

async function ticketFor(path: string, token = admin): Promise<string> {
  const answer = await ask(path, token);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return String(answer.json().ticket);
}

async function open(target: string, server = 0): Promise<OpenStream> {
  const stream = await openStream(serverAt(server).url + target);
  streams.push(stream);
  return stream;
}

const withTicket = (target: string, ticket: string): string => `${target}&ticket=${ticket}`;

async function refusal(target: string, server = 0): Promise<string> {
  const port = Number(new URL(serverAt(server).url).port);
  const answer = await sendHttp(agent, port, 'GET', target, {});
  expect(answer.headers['www-authenticate']).toBe('Bearer realm="xsvc"');
  return `${answer.status} ${answer.json().message}`;
}

const USED = '401 the ticket was used before; one is valid for a single request; ask for a new ticket';
const LATE = '401 the ticket has expired; one is valid for 30 s; ask for a new ticket';
const OTHER = '401 the ticket is for another path or query; ask for a new ticket';
const FORGED = '401 the ticket is not one of this service; ask for a new ticket';
const NO_WATCH = '401 a ticket is only for a GET that watches; ask for a new ticket';

async function reader(user: string): Promise<string> {
  const rule = { apiGroups: ['demo.example.com'], resources: ['persons'], verbs: ['get', 'list', 'watch'] };
  await service.create(ROLES, { metadata: { name: user }, rules: [rule] });
  return (await issueToken(service, { user, role: user }, new Date())).token;
}

describe('a ticket', () => {
  it('opens one watch without a token, in any process, and says when it ends', async () => {
    await as(admin, 'POST', PERSONS, person('ann', {}));
    const answer = await ask(WATCH);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(Object.keys(answer.json())).toEqual(['ticket', 'expires']);
    const leftMs = Date.parse(String(answer.json().expires)) - Date.now();
    expect(leftMs).toBeGreaterThan(TICKET_MS - 10_000);
    expect(leftMs).toBeLessThanOrEqual(TICKET_MS + 1);
    const target = withTicket(WATCH, String(answer.json().ticket));
    const stream = await open(target, 1);
    expect(stream.status).toBe(200);
    expect(stream.headers.warning).toBeUndefined();
    await stream.take(1);
    await as(admin, 'POST', PERSONS, person('bob', {}));
    expect((await stream.take(2)).map(({ object }) => object.metadata.name)).toEqual(['ann', 'bob']);
    expect([await refusal(target), await refusal(target, 1)]).toEqual([USED, USED]);
  });

  it('used several times at once opens one watch', async () => {
    const target = withTicket(WATCH, await ticketFor(WATCH));
    const opened = await Promise.all(Array.from({ length: 10 }, (_, i) => open(target, i % 2)));
    expect(opened.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(401)]);
  });

  it('is valid for 30 s', async () => {
    const [early, late] = [await ticketFor(WATCH), await ticketFor(WATCH)];
    aheadMs = TICKET_MS - 5_000;
    expect((await open(withTicket(WATCH, early))).status).toBe(200);
    aheadMs = TICKET_MS + 1;
    expect(await refusal(withTicket(WATCH, late))).toBe(LATE);
  });

  it('is for its path and query only, however those are encoded', async () => {
    const filtered = `${WATCH}&filter=spec.level > 1`;
    const ticket = await ticketFor(filtered);
    for (const target of [
      WATCH,
      `${filtered.replaceAll(' ', '%20')}&allowWatchBookmarks=true`,
      `${PERSONS}/ann?watch=true`,
      `${PERSONS}/?watch=true&filter=spec.level+%3E+1`,
    ])
      expect(await refusal(withTicket(target, ticket))).toBe(OTHER);
    const stream = await open(`${PERSONS}?ticket=${ticket}&watch=true&filter=spec.level+%3E+1`);
    expect(stream.status, stream.text).not.toBe(401);
  });

  it('is for a GET that watches', async () => {
    const ticket = await ticketFor(WATCH);
    const targets = [PERSONS, `${PERSONS}?watch=false`, `${PERSONS}/ann`, '/metrics', TICKETS];
    for (const target of targets)
      expect(await refusal(`${target}${target.includes('?') ? '&' : '?'}ticket=${ticket}`)).toBe(NO_WATCH);
    const port = Number(new URL(serverAt(0).url).port);
    const write = await sendHttp(agent, port, 'POST', `${PERSONS}?ticket=${ticket}`, {
      body: person('eve', {}),
    });
    const head = await sendHttp(agent, port, 'HEAD', withTicket(WATCH, ticket), {});
    expect([write.status, head.status]).toEqual([401, 401]);
    expect((await open(withTicket(WATCH, ticket))).status).toBe(200);
  });

  it('that the service did not issue is refused', async () => {
    const long = `xsvct_${'A'.repeat(2_000)}`;
    for (const ticket of ['', 'abc', 'xsvct_', 'xsvct_AAAA', long, '%00', '%C3%BC', '%EF%BF%BD'])
      expect(await refusal(withTicket(WATCH, ticket))).toBe(FORGED);
  });

  it('that was changed, or has another spelling, is refused', async () => {
    const ticket = await ticketFor(WATCH);
    const last = ticket.at(-1) === 'A' ? 'B' : 'A';
    for (const changed of [`${ticket}A`, `${ticket}=`, ticket.slice(0, -1) + last, ticket.slice(0, -4)])
      expect(await refusal(withTicket(WATCH, changed))).toBe(FORGED);
    expect(await refusal(`${WATCH}&ticket=${ticket}&ticket=x`)).toBe(FORGED);
  });

  it('does not stand in for a token in another place', async () => {
    const ticket = await ticketFor(WATCH);
    expect((await as(ticket, 'GET', PERSONS)).status).toBe(401);
    expect((await as(admin, 'GET', `${PERSONS}?ticket=abc`)).status).toBe(200);
  });
});

describe('the rights of a ticket', () => {
  it('are those of the user who asks', async () => {
    const rita = await reader('rita');
    const token = await as(rita, 'POST', TICKETS, {
      path: '/apis/access.platform.run/v1alpha1/tokens?watch=true',
    });
    expect([token.status, token.json().message]).toEqual([
      403,
      'user "rita" may not watch tokens in group "access.platform.run"',
    ]);
    expect((await ask(WATCH, '')).status).toBe(401);
    expect((await open(withTicket(WATCH, await ticketFor(WATCH, rita)))).status).toBe(200);
    await expect.poll(() => accessLog.some(({ user, code }) => user === 'rita' && code === 201)).toBe(true);
  });

  it('are judged at its use: a revoked token, or a lost role, makes it worthless', async () => {
    const rita = await reader('rita');
    const [first, second] = [await ticketFor(WATCH, rita), await ticketFor(WATCH, rita)];
    await service.patch(ROLES, 'rita', { rules: [] }, 'merge');
    const answer = await open(withTicket(WATCH, first));
    expect(answer.status).toBe(403);
    const id = /^xsvc_(\w{20})_/.exec(rita)?.[1] ?? '';
    await service.delete(TOKENS, id);
    expect(await refusal(withTicket(WATCH, second))).toBe('401 invalid or revoked token');
  });

  it('end with its token while the watch is open', async () => {
    const rita = await reader('rita');
    const stream = await open(withTicket(WATCH, await ticketFor(WATCH, rita)));
    expect(stream.status).toBe(200);
    await service.delete(TOKENS, /^xsvc_(\w{20})_/.exec(rita)?.[1] ?? '');
    expect(await stream.ended).toBe(true);
    expect(stream.events().at(-1)).toMatchObject({ type: 'ERROR', object: { code: 401 } });
  });
});

describe('a request for a ticket', () => {
  it('for a path that is no watch is refused', async () => {
    const paths = [
      undefined,
      null,
      17,
      ['/apis'],
      {},
      '',
      'persons',
      '*',
      `//evil.example${WATCH}`,
      `/\\evil.example${WATCH}`,
      `http://evil.example${WATCH}`,
      `http://127.0.0.1${WATCH}`,
      `/apis/../apis/demo.example.com/v1/persons?watch=true`,
      `/apis/demo.example.com/v1/./persons?watch=true`,
      `/apis/demo.example.com/v1/%2e%2e/v1/persons?watch=true`,
      `/apis/demo.example.com/v1/persons%2fann?watch=true`,
      `/apis/demo.example.com/v1/per\nsons?watch=true`,
      `/apis/demo.example.com/v1/%ff?watch=true`,
      `${WATCH}#fragment`,
      `${WATCH}&ticket=abc`,
      `${PERSONS}?watch=maybe`,
      PERSONS,
      `${PERSONS}?watch=false`,
      `${PERSONS}/ann/status?watch=true`,
      '/metrics?watch=true',
      `${WATCH}&labelSelector=${'a'.repeat(100_000)}`,
    ];
    for (const path of paths) {
      const answer = await ask(path);
      expect(`${answer.status} ${JSON.stringify(path)}`).toMatch(/^40[04] /);
      expect(answer.text.length).toBeLessThan(1_000);
    }
  });

  it('for a model that is not served is 404, and without a body 400', async () => {
    expect((await ask('/apis/demo.example.com/v1/nothing?watch=true')).status).toBe(404);
    expect((await as(admin, 'POST', TICKETS)).status).toBe(400);
    expect((await as(admin, 'GET', TICKETS)).status).toBe(405);
  });

  it('is bounded by sender: most of 2,000 are 429 with the time to wait', async () => {
    const rita = await reader('rita');
    let [made, held] = [0, 0];
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => ask(WATCH, rita)));
      for (const { status, headers } of answers) {
        if (status === 201) made++;
        else if (status === 429 && Number(headers['retry-after']) > 0) held++;
      }
    }
    expect(made + held).toBe(2_000);
    expect(made).toBeGreaterThanOrEqual(100);
    expect(made).toBeLessThan(500);
    expect((await ask(WATCH)).status).toBe(201);
  });

  it('stores nothing; a use is stored until long after the end of the ticket', async () => {
    const { engine } = service.store;
    const uses = (): Promise<number> =>
      withSnapshot(
        engine,
        async (snapshot) => (await snapshot.scan(under(metaKey('ticket/')), { limit: 10 })).length,
      );
    const ticket = await ticketFor(WATCH);
    const revision = await service.store.revision();
    expect(await uses()).toBe(0);
    await open(withTicket(WATCH, ticket));
    expect([await uses(), await service.store.revision()]).toEqual([1, revision]);
    await sweepWatchTickets(engine);
    expect(await uses()).toBe(1);
    await sweepWatchTickets(engine, Date.now() + TICKET_MS + 301_000);
    expect(await uses()).toBe(0);
  });
});

it('no log has a ticket', async () => {
  const ticket = await ticketFor(WATCH);
  const target = withTicket(WATCH, ticket);
  (await open(target)).destroy();
  await refusal(target);
  await refusal(`${PERSONS}?ticket=${ticket}`);
  const port = Number(new URL(serverAt(0).url).port);
  await sendHttp(agent, port, 'GET', target, { headers: { 'sec-fetch-site': 'cross-site' } });
  await expect.poll(() => accessLog.filter(({ path }) => path === PERSONS).length).toBe(4);
  expect(logged).toContain('rejected a read of a web page');
  expect(JSON.stringify(accessLog) + logged).not.toContain('xsvct_');
});

describe('without authentication', () => {
  beforeEach(async () => {
    servers.push(await startServer('none'));
  });

  it('a ticket works in the same way', async () => {
    const port = Number(new URL(serverAt(2).url).port);
    const answer = await sendHttp(agent, port, 'POST', TICKETS, { body: { path: WATCH } });
    expect(answer.status).toBe(201);
    const target = withTicket(WATCH, String(answer.json().ticket));
    expect((await open(target, 2)).status).toBe(200);
    const again = await sendHttp(agent, port, 'GET', target, {});
    expect(`${again.status} ${again.json().message}`).toBe(USED);
  });

  it('a ticket has no rights where tokens are required', async () => {
    const port = Number(new URL(serverAt(2).url).port);
    const answer = await sendHttp(agent, port, 'POST', TICKETS, { body: { path: WATCH } });
    expect(await refusal(withTicket(WATCH, String(answer.json().ticket)))).toBe(
      '401 the ticket was issued without a token; ask for a new ticket',
    );
  });
});
