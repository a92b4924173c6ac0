import { EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { findRemote } from '../../remote/remote.js';
import { command } from '../../command.js';
import { integer, toggle, withDefault, type CommandFlags } from '../../flags.js';

const FLAGS = {
  follow: toggle('continue with each new line', { short: '-f' }),
  tail: withDefault(integer('number of lines', 0), 200),
};

export const pluginLogs = command({
  description: "Print the last lines of a plugin's log, which a running service keeps in memory",
  args: { '<name>': 'name of the plugin' },
  flags: FLAGS,
  examples: [
    'xsvc plugin logs person --server http://127.0.0.1:8090',
    'xsvc plugin logs person -f --tail 20',
  ],
  run: printLog,
});

async function printLog(
  { follow: follows = false, tail, ...flags }: CommandFlags<typeof FLAGS>,
  io: CliIo,
  [name = '']: readonly string[],
): Promise<number> {
  const remote = await findRemote(flags, io);
  if (remote === undefined)
    throw new UsageError(
      'the logs of plugins are in the memory of a running service, not in the store; name the service with --server',
    );
  // Node.js may not end the read of an answer that is aborted when it is complete.
  const signal = follows ? AbortSignal.any([io.stopSignal(), io.stdout.closeSignal]) : io.stopSignal();
  const { remotePluginLog } = await import('../../../client/plugin-logs.js');
  for await (const part of remotePluginLog(remote.url, name, { ...remote, tail, follows, signal })) {
    io.stdout.write(part);
    await io.stdout.drained();
    if (io.stdout.isClosed) return EXIT.done;
  }
  if (!follows || signal.aborted) return EXIT.done;
  io.stderr.line('the log has ended: the service has stopped or closed it');
  return EXIT.unavailable;
}
