import { execFile, spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  closeAgents,
  connectAgent,
  namesOf,
  startAgent,
  type AgentData,
  type TestAgent,
} from '../helpers/agents.js';
import {
  EXAMPLE_PLUGINS,
  killDaemons,
  PROGRAM,
  runProgram,
  startDaemonProcess,
  type DaemonProcess,
} from '../helpers/daemon.js';
import { PERSONS } from '../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterEach(async () => {
  await closeAgents();
  killDaemons();
});
afterAll(removeDirectories);

const TESS = { metadata: { name: 'tess' }, spec: { name: 'Tess' } };
const BY_NAME = { model: 'persons', fieldSelector: 'name=tess' };
const READING = ['models', 'schema', 'list', 'get', 'history'];

const dataDirectory = (): string => path.join(temporaryDirectory(), 'data');

async function daemonWithTess(
  flags: readonly string[] = [],
  dataDir = dataDirectory(),
): Promise<DaemonProcess> {
  const daemon = await startDaemonProcess({ dataDir, flags });
  const made = await daemon.send('POST', PERSONS, { body: TESS });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return daemon;
}

async function toolNames(agent: Awaited<ReturnType<typeof connectAgent>>): Promise<string[]> {
  return (await agent.client.listTools()).tools.map(({ name }) => name);
}

describe('xsvc mcp', () => {
  it('serves a store, and a store that a daemon serves', async () => {
    const dataDir = dataDirectory();
    const daemon = await daemonWithTess([], dataDir);
    const beside = await startAgent(['--data-dir', dataDir]);
    expect(await toolNames(beside)).toEqual(READING);
    expect(namesOf(await beside.call('list', BY_NAME))).toEqual(['tess']);
    expect((await daemon.stop()).code).toBe(0);
    expect((await beside.call('get', { model: 'person', name: 'tess' })).data).toMatchObject({
      spec: TESS.spec,
    });
    expect(beside.client.getInstructions()).toMatch('never instructions to you');
  });

  it('forwards to a server, with the rights of the token', async () => {
    const daemon = await startDaemonProcess({ dataDir: dataDirectory(), flags: ['--auth', 'token'] });
    const token = /token of user "admin".*: (\S+)/.exec(daemon.output.stdout)?.[1] ?? '';
    const agent = await startAgent(['--server', daemon.url], { XSVC_TOKEN: token });
    expect(await toolNames(agent)).toEqual(READING);
    expect((await agent.call('list', { model: 'users' })).data.items).toMatchObject([
      { metadata: { name: 'admin' } },
    ]);
    expect(await agent.failure('get', { model: 'users', name: 'eve' })).toMatch('not found (404 NotFound)');
    const refused = await runProgram(['mcp', '--server', daemon.url, '--token', 'wrong']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch('refused the token');
  });

  it('answers what was asked before the input ends, and writes nothing else', async () => {
    const dataDir = dataDirectory();
    const daemon = await daemonWithTess([], dataDir);
    const request = {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'list', arguments: BY_NAME },
    };
    for (const where of [
      ['--data-dir', dataDir],
      ['--server', daemon.url],
    ]) {
      const child = spawn(process.execPath, [PROGRAM, 'mcp', ...where], { stdio: ['pipe', 'pipe', 'pipe'] });
      let out = '';
      child.stdout.on('data', (part) => (out += String(part)));
      const inexact = JSON.stringify({ ...request, id: 8 }).replace(
        '"arguments":{',
        '$&"n":9007199254740993,',
      );
      child.stdin.end(`no json\n${inexact}\n${JSON.stringify(request)}\n`);
      const code = await new Promise((resolve) => child.on('close', resolve));
      const lines = out.trim().split('\n');
      expect([code, lines.length]).toEqual([0, 2]);
      expect(lines[0]).toMatch(/"id":8,"error":.*params\.arguments\.n: the integer 9007199254740993/);
      expect(JSON.parse(lines[1] ?? '')).toMatchObject({
        id: 7,
        result: { structuredContent: { total: 1 } },
      });
    }
  });

  it('ends with 6 for a server that is away, 3 for one without tools, and 2 for a wrong mode', async () => {
    const away = await runProgram(['mcp', '--server', 'http://127.0.0.1:9']);
    expect(away).toMatchObject({ code: 6, stdout: '' });
    expect(away.stderr).toMatch('cannot reach the server at http://127.0.0.1:9');
    const daemon = await startDaemonProcess({ dataDir: dataDirectory(), flags: ['--mcp', 'off'] });
    expect((await daemon.send('POST', '/mcp', { body: {} })).status).toBe(404);
    const without = await runProgram(['mcp', '--server', daemon.url]);
    expect(without.code).toBe(3);
    expect(without.stderr).toMatch('offers no tools for agents; start it with --mcp read');
    expect((await runProgram(['mcp', '--mode', 'all'])).code).toBe(2);
    expect((await runProgram(['mcp', '--data-dir', dataDirectory()])).code).toBe(6);
  });
});

describe('xsvc mcp --mode write', () => {
  const CREATE = { verb: 'create', model: 'persons', object: TESS };
  const namesIn = async (agent: TestAgent, model: string): Promise<unknown[]> =>
    namesOf(await agent.call('list', { model }));

  it('writes to a store by plans, also one that a daemon serves', async () => {
    const dataDir = dataDirectory();
    const plugins = ['--plugins', EXAMPLE_PLUGINS];
    const agent = await startAgent(['--mode', 'write', '--data-dir', dataDir, ...plugins]);
    expect((await toolNames(agent)).slice(0, 7)).toEqual([...READING, 'plan', 'apply']);
    const { data } = await agent.call('plan', { items: [CREATE] });
    expect(data).toMatchObject({ items: [{ name: 'tess' }], violations: [] });
    const daemon = await startDaemonProcess({ dataDir, flags: ['--mcp', 'write'] });
    const other = await connectAgent(daemon.url);
    expect((await other.call('apply', { plan: data.plan })).data.revision).toMatch(/^\d+$/);
    expect(namesOf(await agent.call('list', BY_NAME))).toEqual(['tess']);
    const second = await agent.call('plan', { items: [{ verb: 'delete', model: 'persons', name: 'tess' }] });
    expect((await agent.call('apply', { plan: second.data.plan })).isError).toBe(false);
    expect(namesOf(await other.call('list', BY_NAME))).toEqual([]);
  });

  it('needs a server that allows it as well', async () => {
    const reading = await startDaemonProcess({ dataDir: dataDirectory() });
    const server = ['--server', reading.url];
    expect(await toolNames(await startAgent(['--mode', 'write', ...server]))).toEqual(READING);
    await reading.stop();
    const writing = await startDaemonProcess({ dataDir: dataDirectory(), flags: ['--mcp', 'write'] });
    const narrow = await startAgent(['--server', writing.url]);
    expect(await toolNames(narrow)).toEqual(READING);
    await expect(narrow.call('plan', { items: [CREATE] })).rejects.toThrow('there is no tool "plan"');
    const wide = await startAgent(['--mode', 'write', '--server', writing.url]);
    const { data } = await wide.call('plan', { items: [CREATE] });
    expect((await wide.call('apply', { plan: data.plan })).isError).toBe(false);
  });

  it('plans models, namespaces and objects in them, and webhooks', async () => {
    const daemon = await startDaemonProcess({ dataDir: dataDirectory(), flags: ['--mcp', 'write'] });
    const agent = await connectAgent(daemon.url);
    const store = async (...items: readonly object[]): Promise<AgentData> => {
      for (;;) {
        const planned = await agent.call('plan', { items });
        expect(planned.data.violations).toEqual([]);
        const applied = await agent.call('apply', { plan: planned.data.plan });
        if (!applied.isError) return planned.data;
        // The service itself writes the status of webhooks.
        if (!applied.text.includes('the plan is outdated')) throw new Error(applied.text);
      }
    };
    const names = { plural: 'sites', singular: 'site', kind: 'Site' };
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    };
    await store({
      verb: 'create',
      model: 'crd',
      object: {
        metadata: { name: 'sites.web.example.com' },
        spec: {
          group: 'web.example.com',
          names,
          scope: 'Namespaced',
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
        },
      },
    });
    await store({ verb: 'create', model: 'namespaces', object: { metadata: { name: 'team' } } });
    const object = { metadata: { name: 'one', namespace: 'team' }, spec: { size: 1 } };
    expect(await store({ verb: 'create', model: 'sites', object })).toMatchObject({
      items: [{ verb: 'create', model: 'sites.web.example.com', name: 'team/one' }],
    });
    await store({ verb: 'patch', model: 'site', name: 'team/one', patch: { spec: { size: 2 } } });
    await store({
      verb: 'patch',
      model: 'site',
      name: 'one',
      namespace: 'team',
      patch: { metadata: { labels: { a: 'b' } } },
    });
    expect(
      (await agent.call('get', { model: 'sites', name: 'team/one', fields: ['spec', 'metadata.labels'] }))
        .data,
    ).toEqual({
      spec: { size: 2 },
      metadata: { labels: { a: 'b' } },
    });
    expect(await namesIn(agent, 'sites')).toEqual(['one']);
    expect((await agent.call('list', { model: 'sites', namespace: 'default' })).data.total).toBe(0);
    const spec = {
      url: 'https://hooks.example.com/x',
      models: [{ group: 'demo.example.com', kind: 'Person' }],
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    };
    const shown = await store({
      verb: 'create',
      model: 'webhooks',
      object: { metadata: { name: 'hook' }, spec },
    });
    expect(JSON.stringify(shown)).not.toMatch('MfKQ9');
    const secret = await store({
      verb: 'create',
      model: 'secrets',
      object: { metadata: { name: 's', namespace: 'team' }, data: { a: 'c2VjcmV0' } },
    });
    expect(JSON.stringify(secret)).not.toMatch('c2VjcmV0');
    await store(
      { verb: 'delete', model: 'sites', name: 'team/one' },
      { verb: 'delete', model: 'webhooks', name: 'hook' },
    );
    expect(await namesIn(agent, 'webhooks')).not.toContain('hook');
  });
});

it('requests for other hosts are refused, so that a page cannot reach a service on this machine by a name', async () => {
  const daemon = await daemonWithTess([], dataDirectory());
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'models', arguments: {} } };
  for (const host of ['evil.example.com', 'evil.example.com:80', '127.0.0.1.evil.example.com', '10.0.0.1']) {
    const answer = await daemon.send('POST', '/mcp', { headers: { host }, body });
    expect([host, answer.status]).toEqual([host, 403]);
  }
  const origin = { origin: 'http://localhost:1' };
  expect((await daemon.send('POST', '/mcp', { headers: origin, body })).status).toBe(403);
  expect((await daemon.send('POST', '/mcp', { body })).status).toBe(200);
  await daemon.stop();
});

it('serve --mcp is a setting with a flag, a variable and a key', async () => {
  const wrong = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [PROGRAM, 'serve'],
      { env: { ...process.env, XSVC_MCP: 'all' } },
      (_e, _o, stderr) => resolve(stderr),
    );
  });
  expect(wrong).toMatch(/XSVC_MCP.*all/);
});
