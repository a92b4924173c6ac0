import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  CallToolResultSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool as ListedTool,
} from '@modelcontextprotocol/sdk/types.js';
import { READING_NAMES } from '../tools.js';
import { formatExcerpt, getMessage, notFound, ServiceError, unavailable } from '../../errors.js';

export interface ForwardOptions {
  /** The address of the service. */
  readonly url: string;
  readonly token?: string | undefined;
  /** True: tools that change data are left out, even if the service has them. */
  readonly isReadOnly: boolean;
  /** The version of this program. */
  readonly version: string;
}

/** Longest time of a call, in milliseconds. */
const CALL_MS = 300_000;

/**
 * A server whose tools are those of a service.
 * @throws ServiceError `ServiceUnavailable`, `Unauthorized`, and `NotFound` for a service without tools
 */
export async function forwardTools(options: ForwardOptions): Promise<McpServer> {
  const { token, isReadOnly, version } = options;
  const client = new Client({ name: 'xsvc', version });
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const url = new URL(`${options.url.replace(/\/$/, '')}/mcp`);
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  try {
    await client.connect(transport);
  } catch (error) {
    throw connectError(error, options.url);
  }
  const isOffered = ({ name }: Pick<ListedTool, 'name'>): boolean => !isReadOnly || READING_NAMES.has(name);
  const list = async (): Promise<ListedTool[]> => (await client.listTools()).tools.filter(isOffered);
  const instructions = client.getInstructions();
  const server = new McpServer(
    { name: 'xsvc', title: 'xsvc', version },
    { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) },
  );
  server.server.onclose = () => void client.close();
  server.server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: await list() }));
  server.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    if (!isOffered(params))
      throw new McpError(ErrorCode.InvalidParams, `there is no tool "${formatExcerpt(params.name)}"`);
    try {
      return await client.request({ method: 'tools/call', params }, CallToolResultSchema, {
        signal,
        timeout: CALL_MS,
      });
    } catch (error) {
      if (error instanceof McpError) throw error;
      const text = connectError(error, options.url).message;
      return { isError: true, content: [{ type: 'text', text }] };
    }
  });
  return server;
}

function connectError(error: unknown, url: string): ServiceError {
  const status = error instanceof StreamableHTTPError ? error.code : undefined;
  if (status === 404)
    return notFound(
      `the server at ${url} offers no tools for agents; start it with --mcp read or --mcp write`,
    );
  if (status === 401 || (error instanceof Error && error.name === 'UnauthorizedError'))
    return new ServiceError('Unauthorized', `the server at ${url} refused the token; check --token`);
  if (status !== undefined && status !== 503)
    return new ServiceError('Forbidden', `the server at ${url} refused the request: ${getMessage(error)}`);
  const { cause } = error instanceof Error ? error : {};
  const reason = cause instanceof Error ? cause.message : getMessage(error);
  return unavailable(`cannot reach the server at ${url}: ${formatExcerpt(reason, 300)}`);
}
