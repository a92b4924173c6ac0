import { createHmac, timingSafeEqual } from 'node:crypto';
import { isRecord } from '../lib/json/json.js';

/** The values that the browser keeps between the start of a sign-in and its return. */
export interface SignInState {
  /** Also in the addresses to the issuer and back. */
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE. */
  readonly verifier: string;
  readonly redirectUri: string;
  /** Milliseconds since 1970. */
  readonly expiresMs: number;
}

/** Writes states as signed texts for cookies: every process on the store can read them. */
export class SignInStates {
  readonly #key: Buffer;

  constructor(secret: Uint8Array) {
    // Another key than those of tickets and continue tokens.
    this.#key = createHmac('sha256', secret).update('sign-in states').digest();
  }

  write(state: SignInState): string {
    const body = Buffer.from(JSON.stringify(state)).toString('base64url');
    return `${body}.${this.#sign(body).toString('base64url')}`;
  }

  /** Undefined for a text that this service has not written, and after its end. */
  read(text: string, now: number): SignInState | undefined {
    const [body = '', signature = ''] = text.split('.');
    const [found, expected] = [Buffer.from(signature, 'base64url'), this.#sign(body)];
    if (found.length !== expected.length || !timingSafeEqual(found, expected)) return undefined;
    const value: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
    return isState(value) && now < value.expiresMs ? value : undefined;
  }

  #sign(body: string): Buffer {
    return createHmac('sha256', this.#key).update(body).digest();
  }
}

function isState(value: unknown): value is SignInState {
  if (!isRecord(value)) return false;
  const { state, nonce, verifier, redirectUri, expiresMs } = value;
  return (
    [state, nonce, verifier, redirectUri].every((text) => typeof text === 'string') &&
    typeof expiresMs === 'number'
  );
}
