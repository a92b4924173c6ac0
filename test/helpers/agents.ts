import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { PROGRAM } from './daemon.js';

/** The result of a call to a tool, as tests look at it. */
export interface CallResult {
  readonly isError: boolean;
  /** The text for a reader. */
  readonly text: string;
  /** The structured content. */
  readonly data: AgentData;
}

export interface AgentData {
  readonly [member: string]: unknown;
  readonly items: readonly AgentData[];
}

/** An agent: a client of the official SDK. */
export interface TestAgent {
  readonly client: Client;
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<CallResult>;
  /** The message of a call that fails. */
  failure(tool: string, args?: Readonly<Record<string, unknown>>): Promise<string>;
}

const open = new Set<Client>();

export async function closeAgents(): Promise<void> {
  for (const client of open) await client.close();
  open.clear();
}

export async function connectAgent(url: string, token?: string): Promise<TestAgent> {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return connected(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
}

/** Starts `xsvc mcp`. */
export async function startAgent(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<TestAgent> {
  return connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp', ...args],
      env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
      stderr: 'pipe',
    }),
  );
}

export async function connected(transport: Parameters<Client['connect']>[0]): Promise<TestAgent> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  open.add(client);
  const call: TestAgent['call'] = async (name, args = {}) => {
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: { ...args } });
    const [first] = content as readonly { readonly text: string }[];
    return {
      isError: isError === true,
      text: first?.text ?? '',
      data: structuredContent as AgentData,
    };
  };
  return {
    client,
    call,
    async failure(tool, args) {
      const { isError, text } = await call(tool, args);
      if (!isError) throw new Error(`${tool} did not fail: ${text}`);
      return text;
    },
  };
}

export const namesOf = ({ data }: CallResult): unknown[] =>
  data.items.map((item) => (item.metadata as { readonly name: string }).name);
