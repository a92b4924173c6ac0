import { isRecord } from '../lib/json/json.js';
import { splitLines } from './lines.js';
import { RemoteTransport } from './remote-transport.js';
import type { RemoteOptions } from './transport.js';

const CHECKS_PATH = '/apis/api.platform.run/v1alpha1/checks';
const BACKUPS_PATH = '/apis/api.platform.run/v1alpha1/backups';

/** The version that a server returns at `/version`; undefined without one. */
export async function remoteVersion(url: string, options: RemoteOptions = {}): Promise<string | undefined> {
  const { body } = await new RemoteTransport(url, options).request('/version');
  if (!isRecord(body)) return undefined;
  const version = body.xsvcVersion ?? body.gitVersion;
  return typeof version === 'string' ? version : undefined;
}

/**
 * The bytes of a new backup of a server.
 * @throws ServiceError from the iterator
 */
export function remoteBackup(url: string, options: RemoteOptions = {}): AsyncIterable<Uint8Array> {
  return new RemoteTransport(url, options).bytes(BACKUPS_PATH, { method: 'POST' });
}

/** An inconsistency in a store; or, as the last line, the number of compared objects and models. */
export type CheckLine =
  | { readonly kind?: string; readonly name?: string; readonly message: string }
  | { readonly objects: number; readonly models: number };

function isCheckLine(value: unknown): value is CheckLine {
  if (!isRecord(value)) return false;
  return typeof value.message === 'string' || typeof value.objects === 'number';
}

/**
 * Runs a check of the store on a server; the numbers of compared objects and models come last.
 * @throws ServiceError from the iterator
 */
export async function* remoteCheck(url: string, options: RemoteOptions = {}): AsyncGenerator<CheckLine> {
  const transport = new RemoteTransport(url, options);
  const brokenOff = (): Error => transport.malformed('the check ended early');
  for await (const line of splitLines(transport.stream(CHECKS_PATH, { method: 'POST' }), brokenOff)) {
    const parsed = transport.parse(line);
    if (!isCheckLine(parsed)) throw transport.malformed('not a line of a check');
    yield parsed;
    if ('objects' in parsed) return;
  }
  throw brokenOff();
}
