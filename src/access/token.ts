import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const TOKEN_ID = '[a-z0-9]{20}';
/** A token is `xsvc_<id>_<secret>`; the id is the name of its object. */
const SHAPE = new RegExp(`^xsvc_(${TOKEN_ID})_([A-Za-z0-9_-]{43})$`);
/** The secret of a session has another beginning, so that it is no token. */
const SESSION_SHAPE = new RegExp(`^xsvcs_(${TOKEN_ID})_([A-Za-z0-9_-]{43})$`);
const ID_BYTES = 10;
const SECRET_BYTES = 32;

export interface TokenRef {
  /** The token's id. */
  readonly name: string;
  readonly uid: string;
}

export interface NewToken {
  /** The token itself, to be printed once. */
  readonly token: string;
  /** Name of its object. */
  readonly id: string;
  readonly sha256: string;
}

export function newToken(): NewToken {
  return newSecret('xsvc');
}

/** The secret of a new session, for a cookie. */
export function newSessionSecret(): NewToken {
  return newSecret('xsvcs');
}

function newSecret(prefix: string): NewToken {
  const id = randomBytes(ID_BYTES).toString('hex');
  const token = `${prefix}_${id}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { token, id, sha256: digest(token).toString('hex') };
}

/** The name of a token's object; undefined for a text that is not a token. */
export function tokenId(token: string): string | undefined {
  return SHAPE.exec(token)?.[1];
}

/** The name of a session's object; undefined for a text that is not the secret of a session. */
export function sessionId(secret: string): string | undefined {
  return SESSION_SHAPE.exec(secret)?.[1];
}

/** True when the digest is that of the token. The duration does not depend on the digest. */
export function hasDigest(token: string, sha256: string): boolean {
  const expected = Buffer.from(sha256, 'hex');
  const found = digest(token);
  return expected.length === found.length && timingSafeEqual(expected, found);
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
