import { EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { counted } from '../../output/counted.js';
import { findRemote } from '../../remote/remote.js';
import { command } from '../../command.js';
import { integer, toggle, type CommandFlags } from '../../flags.js';
import { onStore } from './webhook-access.js';

const FLAGS = {
  from: integer('send all changes after this revision again', 0),
  deadletters: toggle('send the changes that were given up again'),
};

export const webhookReplay = command({
  summary: 'Send changes to a webhook again',
  description: 'Send changes to a webhook again; the daemon that leads begins within a second',
  args: { '<name>': 'name of the webhook' },
  flags: FLAGS,
  examples: ['xsvc webhook replay orders --from 1042', 'xsvc webhook replay orders --deadletters'],
  run,
});

async function run(
  { from, deadletters = false, ...flags }: CommandFlags<typeof FLAGS>,
  io: CliIo,
  [name = '']: readonly string[],
): Promise<number> {
  if ((from !== undefined) === deadletters)
    throw new UsageError('state either --from REVISION or --deadletters');
  const what = from === undefined ? { deadletters: true as const } : { fromRevision: from };
  const remote = await findRemote(flags, io);
  let count: unknown;
  if (remote === undefined) {
    const { replay } = await import('../../../webhooks/requests.js');
    ({ count } = await onStore('webhook replay', flags, io, (service) => replay(service, name, what)));
  } else {
    const { remoteReplay } = await import('../../../client/webhooks.js');
    count = await remoteReplay(remote.url, name, what, remote);
  }
  const said =
    from === undefined
      ? `${counted(Number(count ?? 0), 'dead letter')} will be sent again`
      : `changes after revision ${from} will be sent again`;
  io.stdout.line(`webhooks/${name}: ${said}`);
  return EXIT.done;
}
