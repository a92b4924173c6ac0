import { RemoteTransport } from './remote-transport.js';
import type { RemoteOptions } from './transport.js';

const PATH = '/apis/plugin.platform.run/v1alpha1/plugins';

interface LogOptions extends RemoteOptions {
  /** Number of lines. */
  readonly tail: number;
  /** True to continue with each new line. */
  readonly follows: boolean;
  /** Ends the log without an error. */
  readonly signal?: AbortSignal;
}

/**
 * The last lines of a plugin's log on a server, as text in parts.
 * @throws ServiceError from the iterator
 */
export function remotePluginLog(url: string, name: string, options: LogOptions): AsyncIterable<string> {
  const { tail, follows, signal } = options;
  const query = new URLSearchParams({ tail: String(tail), ...(follows && { follow: 'true' }) });
  const path = `${PATH}/${encodeURIComponent(name)}/log`;
  return new RemoteTransport(url, options).stream(path, { query, signal, accept: 'text/plain' });
}
