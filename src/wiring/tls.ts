import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ConfigError, type Config } from '../config.js';
import { messageOf } from '../errors.js';
import type { TlsFiles } from '../http/server.js';

/**
 * Reads the certificate and its key.
 * @returns undefined when none are configured
 * @throws ConfigError for files that cannot be read, or that do not belong together
 */
export async function readTls({ tls }: Pick<Config, 'tls'>): Promise<TlsFiles | undefined> {
  if (tls === undefined) return undefined;
  const [cert, key] = await Promise.all([read('--tls-cert', tls.certFile), read('--tls-key', tls.keyFile)]);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new ConfigError(
      `TLS cannot be spoken with ${tls.certFile} and ${tls.keyFile}: ${messageOf(error)}; ` +
        `they must be a certificate and its key, both in PEM`,
    );
  }
  return { cert, key };
}

async function read(flag: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new ConfigError(`${flag}: ${file} cannot be read: ${messageOf(error)}`);
  }
}
