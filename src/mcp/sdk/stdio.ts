import { addAbortSignal, Readable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  JSONRPCMessageSchema,
  RequestIdSchema,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { splitLines } from '../../client/lines.js';
import { getMessage } from '../../errors.js';
import { isRecord, parseJson } from '../../lib/json/json.js';

/** The streams of a process that speaks the protocol. */
export interface AgentStreams {
  readonly input: AsyncIterable<Uint8Array | string>;
  readonly write: (text: string) => void;
  /** Resolves when written text does not accumulate in memory. */
  readonly drained: () => Promise<void>;
  /** Called for a message that cannot be read. */
  readonly onFault: (reason: string) => void;
  /** Ends the connection. */
  readonly stop: AbortSignal;
}

/** Serves one client until its input ends, and the requests in progress are answered. */
export async function serveStreams(server: McpServer, streams: AgentStreams): Promise<void> {
  const { input, onFault, stop } = streams;
  const text = addAbortSignal(stop, Readable.from(input, { objectMode: false, encoding: 'utf8' }));
  const transport = new LineTransport(streams);
  await server.connect(transport);
  try {
    for await (const line of splitLines(text, () => new Error('the input ends within it')))
      await transport.receive(line);
  } catch (error) {
    if (!stop.aborted) onFault(getMessage(error));
  }
  if (!stop.aborted) await transport.answered();
  await server.close();
}

/** A transport with a message on each line. The transport of the SDK would change large integers. */
class LineTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  /** The requests without an answer. */
  readonly #ids = new Set<unknown>();
  #onEmpty: (() => void) | undefined;

  constructor(private readonly streams: AgentStreams) {}

  async start(): Promise<void> {
    // The input is read by the caller.
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.streams.write(`${JSON.stringify(message)}\n`);
    await this.streams.drained();
    if (!('method' in message)) this.#end(message.id);
  }

  async receive(line: string): Promise<void> {
    let message: JSONRPCMessage;
    try {
      message = JSONRPCMessageSchema.parse(parseJson(line));
    } catch (error) {
      const reason = getMessage(error);
      this.streams.onFault(reason);
      const id = idIn(line);
      if (id !== undefined)
        await this.send({ jsonrpc: '2.0', id, error: { code: ErrorCode.InvalidRequest, message: reason } });
      return;
    }
    if ('method' in message && 'id' in message) this.#ids.add(message.id);
    // A cancelled request has no answer.
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#end(message.params?.requestId);
    this.onmessage?.(message);
  }

  answered(): Promise<void> {
    return this.#ids.size === 0 ? Promise.resolve() : new Promise((resolve) => (this.#onEmpty = resolve));
  }

  #end(id: unknown): void {
    this.#ids.delete(id);
    if (this.#ids.size === 0) this.#onEmpty?.();
  }
}

function idIn(line: string): RequestId | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? RequestIdSchema.safeParse(value.id).data : undefined;
  } catch {
    return undefined;
  }
}
