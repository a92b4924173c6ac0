import { ServiceError } from '../errors.js';
import type { RequestFailure } from './status.js';
import { Transport, type RemoteOptions, type RequestOptions } from './transport.js';

/** Requests of the command line to a server; failures become `ServiceError`. */
export class RemoteTransport extends Transport {
  /** @throws ServiceError `BadRequest` when the URL is not an HTTP URL */
  constructor(url: string, options: RemoteOptions = {}) {
    super(url, { ...options, toError: toServiceError });
  }

  /** Sends a request and yields the answer's text in parts, as it arrives. */
  async *stream(path: string, options: RequestOptions = {}): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for await (const part of this.bytes(path, options)) yield decoder.decode(part, { stream: true });
    yield decoder.decode();
  }

  /** Sends a request and yields the answer's bytes in parts, as they arrive. */
  async *bytes(path: string, options: RequestOptions = {}): AsyncGenerator<Uint8Array> {
    const { signal } = options;
    const unlessEnded = (error: unknown): undefined => {
      if (signal?.aborted !== true) throw error;
    };
    const response = await this.open(path, options).catch(unlessEnded);
    if (response === undefined || response.body === null) return;
    const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
    try {
      for (;;) {
        const part = await this.reading(reader.read(), options).catch(unlessEnded);
        if (part === undefined || part.done) return;
        yield part.value;
      }
    } finally {
      // The caller stopped early, so the rest of the answer is discarded.
      await reader.cancel().catch(() => undefined);
    }
  }
}

export function toServiceError({ code, message, details }: RequestFailure): ServiceError {
  return new ServiceError(code, message, details);
}
