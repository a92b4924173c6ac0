import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createAgentServer, type AgentServerOptions } from './server.js';

/**
 * Answers one request of the protocol. Each has a separate server, because there are no sessions.
 * @param body the parsed body
 */
export async function answerAgent(
  req: IncomingMessage,
  res: ServerResponse,
  body: unknown,
  options: AgentServerOptions,
): Promise<void> {
  // Without a generator of session ids there are no sessions.
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = createAgentServer(options);
  res.once('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, body);
}
