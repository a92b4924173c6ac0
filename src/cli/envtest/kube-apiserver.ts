import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectories } from '../../lib/make-directories.js';
import { badRequest, getMessage } from '../../errors.js';
import type { TlsFiles } from '../../http/server.js';
import type { Logger } from '../../lib/log/logger.js';
import { serveControlPlane } from '../../testing/control-plane/control-plane.js';
import { EXIT } from '../exit.js';
import type { KnownFlags, ProgramFlags } from './program-flags.js';
import { makeSelfSigned } from './self-signed.js';
import { stopped } from './stopped.js';

export const APISERVER_FLAGS: KnownFlags = {
  used: [
    'authorization-mode',
    'bind-address',
    'cert-dir',
    'client-ca-file',
    'secure-port',
    'tls-cert-file',
    'tls-private-key-file',
  ],
  ignored: [
    'advertise-address',
    'allow-privileged',
    'disable-admission-plugins',
    'enable-admission-plugins',
    'etcd-servers',
    'service-account-issuer',
    'service-account-key-file',
    'service-account-signing-key-file',
    'service-cluster-ip-range',
  ],
};

interface ApiserverOptions {
  readonly logger: Logger;
  readonly stop: AbortSignal;
  /** See `ControlPlaneOptions`. */
  readonly garbageCollection: boolean;
}

const DEFAULT_PORT = '6443';
const LOOPBACK = '127.0.0.1';
/** Everybody may do everything. */
const ALL_ALLOWED = 'AlwaysAllow';

/**
 * Serves a control plane as envtest starts a kube-apiserver, until the process is asked to stop.
 * @throws ServiceError for flags and files that cannot be used
 */
export async function runKubeApiserver(
  flags: ProgramFlags,
  { logger, stop, garbageCollection }: ApiserverOptions,
): Promise<number> {
  const host = flags.get('bind-address') ?? LOOPBACK;
  const tls = await readTlsFiles(flags, host);
  const auth = flags.get('authorization-mode') === ALL_ALLOWED ? 'none' : 'token';
  const plane = await serveControlPlane(
    { port: portIn(flags), garbageCollection },
    { host, tls, settings: { auth, insecure: auth === 'none' }, logger },
  );
  await stopped(stop);
  await plane.stop();
  return EXIT.done;
}

function portIn(flags: ProgramFlags): number {
  const text = flags.get('secure-port') ?? DEFAULT_PORT;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw badRequest(`--secure-port: "${text}" is no port`);
}

async function readTlsFiles(flags: ProgramFlags, host: string): Promise<TlsFiles> {
  const clientCaFile = flags.get('client-ca-file');
  const clientCa = clientCaFile === undefined ? undefined : await read('--client-ca-file', clientCaFile);
  return { ...(await readServing(flags, host)), clientCa };
}

/** Without files, those of the directory of certificates count; they are made when it has none. */
async function readServing(flags: ProgramFlags, host: string): Promise<Pick<TlsFiles, 'cert' | 'key'>> {
  const [certFile, keyFile] = [flags.get('tls-cert-file'), flags.get('tls-private-key-file')];
  if (certFile !== undefined && keyFile !== undefined)
    return {
      cert: await read('--tls-cert-file', certFile),
      key: await read('--tls-private-key-file', keyFile),
    };
  if (certFile !== undefined || keyFile !== undefined)
    throw badRequest('--tls-cert-file and --tls-private-key-file need one another');
  const directory = flags.get('cert-dir');
  if (directory === undefined) return makeSelfSigned([host, 'localhost']);
  const [ofCert, ofKey] = [path.join(directory, 'apiserver.crt'), path.join(directory, 'apiserver.key')];
  const found = await Promise.all([ofCert, ofKey].map((file) => readFile(file).catch(() => undefined)));
  const [cert, key] = found;
  if (cert !== undefined && key !== undefined) return { cert, key };
  const made = makeSelfSigned([host, 'localhost']);
  await makeDirectories(directory);
  await writeFile(ofCert, made.cert);
  await writeFile(ofKey, made.key, { mode: 0o600 });
  return made;
}

async function read(flag: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw badRequest(`${flag}: cannot read ${file}: ${getMessage(error)}`);
  }
}
