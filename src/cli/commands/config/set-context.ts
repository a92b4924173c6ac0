import { EXIT, UsageError } from '../../exit.js';
import { command } from '../../command.js';
import type { GlobalFlags } from '../../flags.js';
import type { CliIo } from '../../io.js';
import { checkNamespace } from '../../remote/namespaces.js';
import { changeContexts, isContextName, type ServerContext } from '../../remote/contexts.js';
import { isSameServer, isServerUrl } from '../../remote/server-url.js';

export const setContext = command({
  summary: 'Create or change a context',
  description: 'Creates a context, or changes the given parts of it. Needs --server for a new one.',
  args: { '<name>': 'name of the context' },
  notes: [
    '-n sets the namespace of commands in this context; an empty one removes it.',
    'The token is stored as text in a file that only you can read, and is sent only to the server of the context. A',
    'context that gets another server loses its token, unless --token gives one.',
  ],
  examples: [
    'xsvc config set-context prod --server https://xsvc.example.com:8090 --token "$TOKEN"',
    'xsvc config set-context prod --token "$NEW_TOKEN"',
  ],
  run: set,
});

async function set(flags: GlobalFlags, io: CliIo, [name = '']: readonly string[]): Promise<number> {
  if (!isContextName(name))
    throw new UsageError(`"${name}" cannot name a context; use letters, digits, "-", "_", ".", "@" and ":"`);
  const { current, isNew, losesToken } = await changeContexts(io, (contexts) => {
    const oldContext = contexts.byName.get(name);
    const { context, losesToken: loses } = changed(name, oldContext, flags);
    const byName = new Map([...contexts.byName, [name, context]]);
    return { current: contexts.current, byName, isNew: oldContext === undefined, losesToken: loses };
  });
  io.stdout.line(`context "${name}" ${isNew ? 'created' : 'changed'}`);
  if (losesToken)
    io.stderr.line('the token of the earlier server was removed; give the new one with --token');
  if (current === undefined) io.stderr.line(`no context is current; run: xsvc config use-context ${name}`);
  return EXIT.done;
}

/** @throws UsageError without a server, or for an invalid one */
function changed(
  name: string,
  before: ServerContext | undefined,
  flags: GlobalFlags,
): { readonly context: ServerContext; readonly losesToken: boolean } {
  const server = flags.server ?? before?.server;
  if (server === undefined)
    throw new UsageError(`there is no context "${name}" yet; a new one needs --server`);
  if (!isServerUrl(server))
    throw new UsageError(`"${server}" is not the URL of a server; write it like http://127.0.0.1:8090`);
  const isMoved = before !== undefined && !isSameServer(before.server, server);
  const token = flags.token ?? (isMoved ? undefined : before?.token);
  const namespace = flags.namespace ?? before?.namespace;
  const context = {
    name,
    server,
    ...(token !== undefined && token !== '' && { token }),
    ...(namespace !== undefined && namespace !== '' && { namespace: checkNamespace(namespace) }),
  };
  return { context, losesToken: isMoved && before.token !== undefined && flags.token === undefined };
}
