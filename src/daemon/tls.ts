import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ConfigError, type Config, type TlsConfig } from '../config.js';
import { getMessage } from '../errors.js';
import type { TlsFiles } from '../http/server.js';
import type { Logger } from '../lib/log/logger.js';

/**
 * Reads the certificate and its key.
 * @returns undefined when none are configured
 * @throws ConfigError for files that cannot be read, or that do not match
 */
export async function readTls({ tls }: Pick<Config, 'tls'>): Promise<TlsFiles | undefined> {
  if (tls === undefined) return undefined;
  const { clientCaFile } = tls;
  const [cert, key, clientCa] = await Promise.all([
    read('--tls-cert', tls.certFile),
    read('--tls-key', tls.keyFile),
    clientCaFile === undefined ? undefined : readClientCa(clientCaFile),
  ]);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new ConfigError(
      `cannot use ${tls.certFile} and ${tls.keyFile} for TLS: ${getMessage(error)}; ` +
        `they must be a certificate and its key, both in PEM`,
    );
  }
  return { cert, key, clientCa };
}

async function readClientCa(file: string): Promise<Buffer> {
  const text = await read('--client-ca', file);
  try {
    // Node.js would ignore a file without certificates.
    new X509Certificate(text);
  } catch (error) {
    throw new ConfigError(`--client-ca: ${file} has no certificate in PEM: ${getMessage(error)}`);
  }
  return text;
}

/** The interval of checks for changed files. Links are followed, so that watching files would not suffice. */
const LOOK_MS = 1_000;

/**
 * Reads the certificate and its key again when their files change. Unusable files are logged once, and checked again until they are
 * usable: one file may be replaced before the other.
 * @param now the files in use until then
 * @param renew receives usable files
 * @returns a function that ends it
 */
export function followTls(
  { tls }: Pick<Config, 'tls'>,
  now: TlsFiles | undefined,
  logger: Logger,
  renew: (files: TlsFiles) => void,
): () => void {
  if (tls === undefined || now === undefined) return () => undefined;
  let used = now;
  let settled = '';
  let reported = '';
  const look = async (): Promise<void> => {
    const stamp = await getStamp(tls);
    if (stamp === settled) return;
    try {
      const files = await readTls({ tls });
      if (files === undefined) return;
      settled = stamp;
      reported = '';
      if (isSame(files, used)) return;
      renew(files);
      used = files;
      logger.info(`the certificate in ${tls.certFile} was reloaded`, getValidity(files));
    } catch (error) {
      const message = getMessage(error);
      if (message !== reported)
        logger.error(`cannot reload the certificate; the previous one stays in use: ${message}`);
      reported = message;
    }
  };
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    looking ??= look().finally(() => (looking = undefined));
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

function isSame(one: TlsFiles, other: TlsFiles): boolean {
  const texts = ({ cert, key, clientCa }: TlsFiles): string => [cert, key, clientCa].join('\0');
  return texts(one) === texts(other);
}

/** A stamp that changes with the files, in whatever way they are replaced. */
async function getStamp({ certFile, keyFile, clientCaFile }: TlsConfig): Promise<string> {
  const files = [certFile, keyFile, ...(clientCaFile === undefined ? [] : [clientCaFile])];
  const stamps = files.map(async (file) => {
    const found = await stat(file, { bigint: true }).catch(() => undefined);
    return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join();
  });
  return (await Promise.all(stamps)).join(';');
}

function getValidity({ cert }: TlsFiles): object {
  const { subject, validTo } = new X509Certificate(cert);
  return { subject, validTo };
}

async function read(flag: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new ConfigError(`${flag}: cannot read ${file}: ${getMessage(error)}`);
  }
}
