import { randomBytes } from 'node:crypto';
import { ServiceError } from '../errors.js';
import { readU48, u48 } from '../lib/bytes.js';
import type { Engine, Transaction } from './engine.js';
import { metaKey } from './index/keys.js';
import { withSnapshot } from './with-snapshot.js';

/** Version of the layout described in `keys.ts`. A store of another version is not changed. */
export const FORMAT = 4;

/**
 * Length of the secret that signs continue tokens of lists and tickets. Created with the store, so that tokens outlive the
 * process.
 */
const SECRET_BYTES = 32;

/** Checks the format, and writes it into an empty store. Returns the secret of the store. */
export async function checkFormat(engine: Engine, readOnly: boolean): Promise<Buffer> {
  const [format, secret] = await withSnapshot(engine, async (snapshot) => [
    await snapshot.get(metaKey('format')),
    await snapshot.get(metaKey('secret')),
  ]);
  if (format === undefined) return readOnly ? randomBytes(SECRET_BYTES) : engine.commit(writeFormat);
  const found = format.length === 6 ? readU48(format) : undefined;
  if (found === FORMAT && secret !== undefined) return secret;
  throw new ServiceError(
    'ServiceUnavailable',
    `the store has format ${found ?? 'unknown'}, this version supports format ${FORMAT}; export it with ` +
      '`xsvc export --all --with-status` of the version that created it, and import the file with `xsvc import` into a new data directory',
  );
}

/** Another process may have been first. */
function writeFormat(tx: Transaction): Buffer {
  const known = tx.get(metaKey('secret'));
  if (known !== undefined) return known;
  const secret = randomBytes(SECRET_BYTES);
  tx.put(metaKey('format'), u48(FORMAT));
  tx.put(metaKey('secret'), secret);
  return secret;
}
