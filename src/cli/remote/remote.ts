import type { Config } from '../../config.js';
import { UsageError } from '../exit.js';
import type { GlobalFlags } from '../flags.js';
import type { CliIo } from '../io.js';
import { readCurrentContext, type ServerContext } from './contexts.js';
import { isSameServer, isServerUrl } from './server-url.js';

/** A server for the command. */
export interface Remote {
  readonly url: string;
  readonly token?: string;
}

/** The parts of the process that select a server. */
type RemoteIo = Pick<CliIo, 'env' | 'cwd' | 'stderr'>;

/** The address of a server, and its context, if it has one. */
interface FoundServer {
  readonly url: string;
  readonly context: ServerContext | undefined;
}

/**
 * The server of a command with its token; undefined when it works on the store. Flags go before the environment, both
 * before the current context, and that before a sign-in.
 * @throws UsageError when flags name both, the URL is invalid, or a file of contexts or credentials is
 */
export async function findRemote(flags: GlobalFlags, io: RemoteIo): Promise<Remote | undefined> {
  const server = await findServer(flags, io);
  return server && toRemote(server, flags, io);
}

/** The server of a command; undefined when it works on the store. @throws UsageError as {@link findRemote} */
export async function findServer(flags: GlobalFlags, io: RemoteIo): Promise<FoundServer | undefined> {
  const namesStore = isStoreNamed(flags);
  if (flags.server !== undefined && namesStore) {
    const flag = flags.store === undefined ? '--data-dir' : '--store';
    throw new UsageError(
      `--server and ${flag} exclude each other: a command works on a server or on a store`,
    );
  }
  // A flag for the store overrides a variable for a server.
  if (namesStore) return undefined;
  const given = flags.server ?? io.env.XSVC_SERVER;
  if (given === '') return undefined;
  if (given !== undefined) return { url: checkUrl(given), context: await contextOf(given, flags, io) };
  const context = await findContext(flags, io);
  return context && { url: context.server, context };
}

/**
 * Refuses a server on the command line. One in the environment is no reason to refuse: the command never uses it.
 * @throws UsageError
 */
export function refuseServer({ server }: GlobalFlags, message: string): void {
  if (server !== undefined && server !== '') throw new UsageError(message);
}

/** Reports a server in the environment that a command on a store does not use, unless a flag names the store. */
export async function reportUnusedServer(
  command: string,
  flags: GlobalFlags,
  { dataDir }: Config,
  io: CliIo,
): Promise<void> {
  if (isStoreNamed(flags)) return;
  // The command does not need the contexts, so a faulty file is no reason to fail.
  const context = await findContext(flags, io).catch(() => undefined);
  const isNamed = io.env.XSVC_SERVER !== undefined && io.env.XSVC_SERVER !== '';
  const unused = isNamed ? 'XSVC_SERVER' : context && `context "${context.name}"`;
  if (unused !== undefined)
    io.stderr.line(`${unused} is not used: ${command} works on the store in ${dataDir}`);
}

function isStoreNamed({ dataDir, store }: GlobalFlags): boolean {
  return dataDir !== undefined || store !== undefined;
}

function checkUrl(url: string): string {
  if (isServerUrl(url)) return url;
  throw new UsageError(`"${url}" is not the URL of a server; write it like http://127.0.0.1:8090`);
}

/** The current context, when neither flags nor the environment name a server or a store. */
export async function findContext(
  flags: GlobalFlags,
  io: Pick<RemoteIo, 'env' | 'cwd'>,
): Promise<ServerContext | undefined> {
  const { XSVC_SERVER, XSVC_STORE = '', XSVC_DATA_DIR = '' } = io.env;
  if (flags.server !== undefined || XSVC_SERVER !== undefined || XSVC_STORE + XSVC_DATA_DIR !== '')
    return undefined;
  return readCurrentContext(io);
}

const warned = new WeakSet<RemoteIo>();

/** The current context, when it is that of a server that was named otherwise, and its token is needed. */
async function contextOf(url: string, flags: GlobalFlags, io: RemoteIo): Promise<ServerContext | undefined> {
  if (tokenOf(flags, io) !== undefined) return undefined;
  try {
    const context = await readCurrentContext(io);
    return context !== undefined && isSameServer(context.server, url) ? context : undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // The server is named without the file; only the token is missing.
    if (!warned.has(io)) io.stderr.line(`warning: no token of a context is used: ${error.message}`);
    warned.add(io);
    return undefined;
  }
}

function tokenOf(flags: GlobalFlags, { env }: RemoteIo): string | undefined {
  return flags.token ?? env.XSVC_TOKEN;
}

/** A token of a context or of a sign-in is sent to its server only. */
async function toRemote({ url, context }: FoundServer, flags: GlobalFlags, io: RemoteIo): Promise<Remote> {
  const token = tokenOf(flags, io) ?? context?.token ?? (await tokenOfSignIn(url, io));
  return token === undefined || token === '' ? { url } : { url, token };
}

async function tokenOfSignIn(url: string, io: RemoteIo): Promise<string | undefined> {
  const { signedInToken } = await import('../login/renew.js');
  return signedInToken(io, url);
}
