import { readFileSync } from 'node:fs';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, expect, it } from 'vitest';
import { closeAgents, connected } from '../helpers/agents.js';
import { killDaemons, PROGRAM, startDaemonProcess } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterEach(async () => {
  await closeAgents();
  killDaemons();
});
afterAll(removeDirectories);

/** The configuration of a client in the guide. */
interface ShownClient {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly url: string;
  readonly headers: Record<string, string>;
}

const GUIDE = readFileSync(new URL('../../docs/guides/agents.md', import.meta.url), 'utf8');

function shownClient(kind: string, put: (text: string) => string): ShownClient {
  const [, json = ''] =
    new RegExp(`<!-- client: ${kind} -->\\s+\`\`\`json\\n([^\`]+)\`\`\``).exec(GUIDE) ?? [];
  const { mcpServers } = JSON.parse(put(json)) as { mcpServers: Record<string, ShownClient> };
  const [client] = Object.values(mcpServers);
  if (client === undefined) throw new Error(`the guide shows no client with a ${kind}`);
  return client;
}

it('the clients of the guide work, with a token', async () => {
  const dataDir = path.join(temporaryDirectory(), 'data');
  const daemon = await startDaemonProcess({ dataDir, flags: ['--auth', 'token'] });
  const token = /token of user "admin".*: (\S+)/.exec(daemon.output.stdout)?.[1] ?? '';
  const put = (text: string): string =>
    text.replaceAll('http://127.0.0.1:8090', daemon.url).replaceAll('xsvc_…', token);
  const { command, args, env } = shownClient('command', put);
  expect(command).toBe('xsvc');
  const started = await connected(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM, ...args], env, stderr: 'pipe' }),
  );
  const { url, headers } = shownClient('url', put);
  const sent = await connected(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  for (const agent of [started, sent]) {
    const { data } = await agent.call('list', { model: 'users', fields: 'metadata.name' });
    expect(data.items).toEqual([{ metadata: { name: 'admin' } }]);
  }
});
