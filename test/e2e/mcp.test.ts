import { execFile, spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { closeAgents, connectAgent, namesOf, startAgent } from '../helpers/agents.js';
import {
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
      child.stdin.end(`no json\n${JSON.stringify(request)}\n`);
      const code = await new Promise((resolve) => child.on('close', resolve));
      const lines = out.trim().split('\n');
      expect([code, lines.length]).toEqual([0, 1]);
      expect(JSON.parse(out)).toMatchObject({ id: 7, result: { structuredContent: { total: 1 } } });
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
