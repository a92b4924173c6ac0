import { Option, type Command } from 'commander';
import { readControllers, type ControllerObject } from '../../../client/controllers.js';
import type { Column } from '../../../model/resource.js';
import { EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { colorsFor } from '../../output/colors.js';
import { columnCells } from '../../output/columns.js';
import { leaderLine } from '../../output/controller-reports.js';
import { OUTPUTS, type OutputFormat } from '../../output/format.js';
import { printValue } from '../../output/objects.js';
import { layTable } from '../../output/table.js';
import { findRemote, type GlobalFlags } from '../../session.js';
import { examples, type CommandContext } from '../shared.js';

interface Flags extends GlobalFlags {
  readonly output: OutputFormat;
  readonly headers: boolean;
}

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

export function define(command: Command, context: CommandContext): void {
  command
    .addOption(new Option('-o, --output <format>', 'output format').choices(OUTPUTS).default('table'))
    .option('--no-headers', 'omit the header of a table')
    .action(async (_flags: unknown, self: Command) => {
      context.exitCode = await controllers(self.optsWithGlobals<Flags>(), context.io);
    });
  examples(command, [
    'xsvc controllers --server http://127.0.0.1:8090',
    'xsvc controllers --server http://127.0.0.1:8090 -o yaml',
  ]);
}

/** Controllers are in the memory of a daemon, so a store alone has none. */
async function controllers(flags: Flags, io: CliIo): Promise<number> {
  const remote = findRemote(flags, io.env);
  if (remote === undefined) {
    throw new UsageError('controllers run in a daemon; select it with --server or XSVC_SERVER');
  }
  const { leader, items } = await readControllers(remote.url, remote);
  if (flags.output === 'json' || flags.output === 'yaml') {
    const head = { apiVersion: 'controller.platform.run/v1alpha1', kind: 'ControllerList' };
    await printValue(io, { ...head, ...(leader && { leader: { ...leader } }), items }, flags.output);
  } else if (flags.output === 'name') {
    for (const { metadata } of items) io.stdout.write(`controllers/${nameIn(metadata)}\n`);
  } else {
    await printTable(items, flags, io);
    if (leader !== undefined) io.stderr.write(`${leaderLine(leader)}\n`);
  }
  if (items.length === 0) io.stderr.write('no plugin has a controller\n');
  return EXIT.done;
}

async function printTable(items: readonly ControllerObject[], flags: Flags, io: CliIo): Promise<void> {
  const columns = COLUMNS.filter(({ priority = 0 }) => flags.output === 'wide' || priority === 0);
  const cells = columnCells(columns, Date.now());
  const rows = async function* (): AsyncGenerator<readonly string[]> {
    for (const item of items) yield cells.map((cell) => cell(item));
  };
  const colors = await colorsFor(io.stdout, io.env);
  const lines = layTable(rows(), {
    titles: columns.map(({ name }) => name.toUpperCase()),
    header: flags.headers,
    columns: io.stdout.isTTY ? io.stdout.columns : undefined,
    highlight: (text) => colors.strong(text),
  });
  for await (const line of lines) io.stdout.write(line);
}

function nameIn(metadata: ControllerObject['metadata']): string {
  const name = typeof metadata === 'object' && metadata !== null && 'name' in metadata ? metadata.name : '';
  return typeof name === 'string' ? name : '';
}
