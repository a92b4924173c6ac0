import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

/** The members of a webhook that are not shown. */
export interface Secrets {
  /** `whsec_` and the key in base64. */
  readonly secret?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts the secrets of webhooks with a key of the store, so that objects and their history can contain them. */
export class Credentials {
  readonly #key: Buffer;

  /** @param storeSecret known only to processes that may read the store */
  constructor(storeSecret: Uint8Array) {
    this.#key = createHmac('sha256', storeSecret).update('webhook credentials').digest();
  }

  /**
   * Equal secrets of one webhook have the same text, so that a write without changes stores nothing.
   * @param owner the uid of the webhook, the only one for which the text can be opened
   */
  seal(owner: string, secrets: Secrets): string {
    const plain = JSON.stringify(secrets);
    const nonce = createHmac('sha256', this.#key)
      .update(`${owner}\n${plain}`)
      .digest()
      .subarray(0, NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Undefined for a text that was not sealed for this webhook in this store. */
  open(owner: string, text: string): Secrets | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(owner)).setAuthTag(tag);
      const plain = Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]);
      return JSON.parse(plain.toString()) as Secrets;
    } catch {
      return undefined;
    }
  }
}
