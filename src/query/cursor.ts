import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { badRequest } from '../errors.js';

/** The position after which a partial list continues. It stays valid when objects are created or deleted. */
export interface Cursor {
  /**
   * Values that placed the object, one character per byte: for each sort field, the encoded value, undefined without one; for a
   * list by relevance, the score and the statistics of all its parts.
   */
  readonly keys: readonly (string | undefined)[];
  readonly name: string;
  /** The number of objects that were listed before. */
  readonly seen: number;
}

const FORMAT = 2;
const SIGNATURE_BYTES = 16;
const CIPHER = 'aes-256-ctr';

/** A digest of the list's parameters: a token is valid only for a list with the same ones. */
export function listDigest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}

/**
 * Encodes the cursor as an opaque token, signed and encrypted: statistics count objects that the sender may not read. The
 * signature of the text is the initial vector of its cipher (RFC 5297), so equal cursors have equal tokens.
 */
export function encodeCursor(cursor: Cursor, digest: string, secret: Uint8Array): string {
  const keys = cursor.keys.map((key) =>
    key === undefined ? null : Buffer.from(key, 'latin1').toString('base64url'),
  );
  const text = JSON.stringify([FORMAT, digest, cursor.name, cursor.seen, keys]);
  const signature = getSignature(text, secret);
  const cipher = createCipheriv(CIPHER, cipherKey(secret), signature);
  return Buffer.concat([signature, cipher.update(text), cipher.final()]).toString('base64url');
}

/**
 * Decodes a token.
 * @throws ServiceError `BadRequest` for a token that was not created by {@link encodeCursor} with this secret, or
 * that belongs to a list with other parameters
 */
export function decodeCursor(token: string, digest: string, secret: Uint8Array): Cursor {
  const bytes = Buffer.from(token, 'base64url');
  const signature = bytes.subarray(0, SIGNATURE_BYTES);
  const body = bytes.subarray(SIGNATURE_BYTES);
  // Several spellings may decode to the same bytes; only the one that the service creates is accepted.
  const isWhole = body.length > 0 && bytes.toString('base64url') === token;
  const text = isWhole ? createDecipheriv(CIPHER, cipherKey(secret), signature).update(body) : body;
  if (!isWhole || !timingSafeEqual(signature, getSignature(text, secret))) {
    throw badRequest('continue is not a token of this service; list again from the start');
  }
  const parts: unknown = JSON.parse(text.toString());
  const [format, made, name, seen, keys] = Array.isArray(parts) ? (parts as unknown[]) : [];
  if (format !== FORMAT || typeof name !== 'string' || typeof seen !== 'number' || !Array.isArray(keys)) {
    throw badRequest('continue is a token of another version; list again from the start');
  }
  if (made !== digest) {
    throw badRequest('continue belongs to a list with other parameters; keep selectors and sort unchanged');
  }
  return {
    name,
    seen,
    keys: keys.map((key) =>
      typeof key === 'string' ? Buffer.from(key, 'base64url').toString('latin1') : undefined,
    ),
  };
}

function getSignature(text: string | Buffer, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(text).digest().subarray(0, SIGNATURE_BYTES);
}

function cipherKey(secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update('continue tokens').digest();
}
