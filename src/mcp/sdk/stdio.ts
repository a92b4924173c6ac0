import { Readable, Writable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** The streams of a process that speaks the protocol. */
export interface AgentStreams {
  readonly input: AsyncIterable<Uint8Array | string>;
  readonly write: (text: string) => void;
  /** Resolves when written text does not accumulate in memory. */
  readonly drained: () => Promise<void>;
  /** Called for a message that cannot be read. */
  readonly onFault: (error: Error) => void;
  /** Ends the connection. */
  readonly stop: AbortSignal;
}

/** Serves one client until its input ends, and the requests in progress are answered. */
export async function serveStreams(server: McpServer, streams: AgentStreams): Promise<void> {
  const input = Readable.from(streams.input);
  const output = new Writable({
    decodeStrings: false,
    write(chunk: unknown, _encoding, done) {
      streams.write(String(chunk));
      streams.drained().then(() => done(), done);
    },
  });
  const transport = new StdioServerTransport(input, output);
  const pending = new PendingRequests();
  await server.connect(transport);
  pending.follow(transport);
  transport.onerror = streams.onFault;
  await ended(input, streams.stop);
  if (!streams.stop.aborted) await pending.answered();
  await server.close();
  input.destroy();
}

function ended(input: Readable, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve());
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The requests of a connection without an answer. */
class PendingRequests {
  readonly #ids = new Set<unknown>();
  #onEmpty: (() => void) | undefined;

  follow(transport: StdioServerTransport): void {
    const receive = transport.onmessage;
    transport.onmessage = (message: JSONRPCMessage) => {
      if ('method' in message && 'id' in message) this.#ids.add(message.id);
      // A cancelled request has no answer.
      if ('method' in message && message.method === 'notifications/cancelled')
        this.#end(message.params?.requestId);
      receive?.(message);
    };
    const send = transport.send.bind(transport);
    transport.send = async (message) => {
      await send(message);
      if (!('method' in message)) this.#end(message.id);
    };
  }

  answered(): Promise<void> {
    return this.#ids.size === 0 ? Promise.resolve() : new Promise((resolve) => (this.#onEmpty = resolve));
  }

  #end(id: unknown): void {
    this.#ids.delete(id);
    if (this.#ids.size === 0) this.#onEmpty?.();
  }
}
