import { readControllers, type ControllerObject } from '../../../client/controllers.js';
import type { Column } from '../../../model/resource.js';
import { EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { columnCells } from '../../output/columns.js';
import { leaderLine } from '../../output/controller-reports.js';
import { printValue } from '../../output/objects.js';
import { printTable } from '../../output/table.js';
import { findRemote } from '../../remote/remote.js';
import { command } from '../../command.js';
import type { CommandFlags } from '../../flags.js';
import { TABLE } from '../shared.js';

const COLUMNS: readonly Column[] = [
  { name: 'Name', jsonPath: '.metadata.name', type: 'string' },
  { name: 'Model', jsonPath: '.spec.resource.plural', type: 'string' },
  { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
  { name: 'Queue', jsonPath: '.status.queueDepth', type: 'integer' },
  { name: 'Oldest', jsonPath: '.status.oldestWaitingSince', type: 'date' },
  { name: 'In-work', jsonPath: '.status.inWork[*].name', type: 'string' },
  { name: 'Retries', jsonPath: '.status.retries.total', type: 'integer' },
  { name: 'Reconciled', jsonPath: '.status.counts.reconciled', type: 'integer' },
  { name: 'Failed', jsonPath: '.status.counts.failed', type: 'integer' },
  { name: 'Last-error', jsonPath: '.status.lastError.message', type: 'string' },
  { name: 'Next-attempt', jsonPath: '.status.retries.next[0].nextAttempt', type: 'string', priority: 1 },
];

type Flags = CommandFlags<typeof TABLE>;

export const define = command({
  flags: TABLE,
  examples: [
    'xsvc controllers --server http://127.0.0.1:8090',
    'xsvc controllers --server http://127.0.0.1:8090 -o yaml',
  ],
  run: controllers,
});

/** Controllers are in the memory of a daemon, so a store alone has none. */
async function controllers(flags: Flags, io: CliIo): Promise<number> {
  const remote = await findRemote(flags, io);
  if (remote === undefined) {
    throw new UsageError('controllers run in a daemon; select it with --server or XSVC_SERVER');
  }
  const { leader, items } = await readControllers(remote.url, remote);
  if (flags.output === 'json' || flags.output === 'yaml') {
    const head = { apiVersion: 'controller.platform.run/v1alpha1', kind: 'ControllerList' };
    await printValue(io, { ...head, ...(leader && { leader: { ...leader } }), items }, flags.output);
  } else if (flags.output === 'name') {
    for (const { metadata } of items) io.stdout.line(`controllers/${nameIn(metadata)}`);
  } else {
    await printControllers(items, flags, io);
    if (leader !== undefined) io.stderr.line(leaderLine(leader));
  }
  if (items.length === 0) io.stderr.line('no plugin has a controller');
  return EXIT.done;
}

async function printControllers(
  items: readonly ControllerObject[],
  { output, headers }: Flags,
  io: CliIo,
): Promise<void> {
  const columns = COLUMNS.filter(({ priority = 0 }) => output === 'wide' || priority === 0);
  const cells = columnCells(columns, Date.now());
  const rows = items.map((item) => cells.map((cell) => cell(item)));
  await printTable(
    io,
    rows,
    columns.map(({ name }) => name.toUpperCase()),
    { headers, output },
  );
}

function nameIn(metadata: ControllerObject['metadata']): string {
  const name = typeof metadata === 'object' && metadata !== null && 'name' in metadata ? metadata.name : '';
  return typeof name === 'string' ? name : '';
}
