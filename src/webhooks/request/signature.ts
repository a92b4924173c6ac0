import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
/** The standard recommends 24 to 64 bytes. */
const KEY_BYTES_MAX = 1_024;

/**
 * The key in the secret of a webhook, in the form of https://www.standardwebhooks.com.
 * @returns undefined for another form
 */
export function readKey(secret: string): Buffer | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const text = secret.slice(PREFIX.length);
  const key = Buffer.from(text, 'base64');
  const isWhole = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  return isWhole && key.length > 0 && key.length <= KEY_BYTES_MAX ? key : undefined;
}

export interface Signed {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

/** The value of the header `webhook-signature`. */
export function sign(key: Uint8Array, { id, timestamp, body }: Signed): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}
