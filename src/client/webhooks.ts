import { isRecord } from '../lib/json/json.js';
import { RemoteTransport } from './remote-transport.js';
import type { RemoteOptions } from './transport.js';

const PATH = '/apis/delivery.platform.run/v1alpha1/webhooks';

/** A page of the changes that a webhook has given up. */
export interface RemoteDeadLetters {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** For the next page; absent after the last one. */
  readonly continue?: string;
}

/** The dead letters of a webhook of a server, oldest first. @throws ServiceError the server's error */
export async function remoteDeadLetters(
  url: string,
  name: string,
  token?: string,
  options?: RemoteOptions,
): Promise<RemoteDeadLetters> {
  const transport = new RemoteTransport(url, options);
  const query = token === undefined ? {} : { query: new URLSearchParams({ continue: token }) };
  const { body } = await transport.request(`${PATH}/${encodeURIComponent(name)}/deadletters`, query);
  if (!isRecord(body) || !Array.isArray(body.items)) throw transport.malformed('not a list of dead letters');
  const { metadata } = body;
  const next = isRecord(metadata) && typeof metadata.continue === 'string' ? metadata.continue : undefined;
  return { items: body.items.filter(isRecord), ...(next !== undefined && { continue: next }) };
}

/**
 * Makes a webhook of a server send changes again.
 * @param what the body of the request
 * @returns the number of dead letters, when these are sent
 * @throws ServiceError the server's error
 */
export async function remoteReplay(
  url: string,
  name: string,
  what: object,
  options?: RemoteOptions,
): Promise<number | undefined> {
  const path = `${PATH}/${encodeURIComponent(name)}/replay`;
  const { body } = await new RemoteTransport(url, options).request(path, { method: 'POST', body: what });
  return isRecord(body) && typeof body.count === 'number' ? body.count : undefined;
}
