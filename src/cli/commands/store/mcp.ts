import { getMessage, ServiceError } from '../../../errors.js';
import type { AgentWrites, Caller } from '../../../mcp/caller.js';
import type { AgentServer } from '../../../mcp/sdk/server.js';
import { ownVersion } from '../../../version.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit.js';
import { choice, withDefault, type CommandFlags } from '../../flags.js';
import type { CliIo } from '../../io.js';
import { findRemote, type Remote } from '../../remote/remote.js';
import { openForReading, openStoreService } from '../../session.js';

const FLAGS = {
  mode: withDefault(
    choice('<mode>', 'read, or write: with the tools that change objects', ['read', 'write'] as const),
    'read',
  ),
};

export const define = command({
  flags: FLAGS,
  notes: [
    'Speaks the Model Context Protocol (MCP) on standard input and output, and ends when the input ends. Configure it as',
    'a command in a client for agents. With a server the calls go to its /mcp, with the token of the command line, and',
    'the server must allow the mode as well (serve --mcp).',
  ],
  examples: [
    'xsvc mcp --server https://xsvc.example.com:8090',
    'xsvc mcp --data-dir /var/lib/xsvc',
    'xsvc mcp --mode write --server http://127.0.0.1:8090',
  ],
  run: mcp,
});

async function mcp(flags: CommandFlags<typeof FLAGS>, io: CliIo): Promise<number> {
  const remote = await findRemote(flags, io);
  if (remote !== undefined) await serve(await forward(remote, flags.mode), io);
  else await serveStore(flags, io);
  return EXIT.done;
}

async function forward({ url, token }: Remote, mode: 'read' | 'write'): Promise<AgentServer> {
  const { forwardTools } = await import('../../../mcp/sdk/forward.js');
  return forwardTools({ url, token, isReadOnly: mode === 'read', version: ownVersion() });
}

async function serveStore(flags: CommandFlags<typeof FLAGS>, io: CliIo): Promise<void> {
  const { createAgentServer } = await import('../../../mcp/sdk/server.js');
  const { caller, close } = await openCaller(flags, io);
  try {
    const onDefect = (error: unknown): ServiceError => reportDefect(error, io);
    await serve(createAgentServer({ caller, version: ownVersion(), onDefect }), io);
  } finally {
    await close();
  }
}

/** Everything is allowed: the permissions of its files guard a store. */
async function openCaller(
  flags: CommandFlags<typeof FLAGS>,
  io: CliIo,
): Promise<{ readonly caller: Caller; readonly close: () => Promise<void> }> {
  if (flags.mode === 'read') {
    const verbs = await openForReading(flags, io);
    return { caller: { reads: verbs, rights: undefined, writes: undefined }, close: () => verbs.close() };
  }
  const service = await openStoreService(flags, io);
  const writes: AgentWrites = {
    service,
    holder: '',
    write: (options, run) => run({ ...options, origin: { via: 'mcp' } }),
  };
  const { GuardedReads } = await import('../../../mcp/guarded-reads.js');
  const { Work } = await import('../../../lib/work/work.js');
  const reads = new GuardedReads({
    service,
    rights: undefined,
    user: undefined,
    run: (task) => task(new Work()),
  });
  return { caller: { reads, rights: undefined, writes }, close: () => service.close() };
}

async function serve(server: AgentServer, io: CliIo): Promise<void> {
  const { serveStreams } = await import('../../../mcp/sdk/stdio.js');
  await serveStreams(server, {
    input: io.stdin,
    write: (text) => io.stdout.write(text),
    drained: () => io.stdout.drained(),
    onFault: (reason) => io.stderr.line(`error: cannot read a message: ${reason}`),
    // Before this call, a request to stop ends the program at once, even while it waits for a file.
    stop: io.stopSignal(),
  });
}

function reportDefect(error: unknown, io: CliIo): ServiceError {
  io.stderr.write(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return new ServiceError('InternalError', getMessage(error));
}
