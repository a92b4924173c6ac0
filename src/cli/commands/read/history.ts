import { Option, type Command } from 'commander';
import { formatAge } from '../../../lib/time/age.js';
import type { HistoryItem } from '../../../service/verbs.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { colorsFor } from '../../output/colors.js';
import { NONE } from '../../output/columns.js';
import { printLines, printList } from '../../output/objects.js';
import { paced } from '../../output/paced.js';
import { layTable } from '../../output/table.js';
import { getSubject } from '../../output/written.js';
import { eachChange, readPart } from '../../past/changes.js';
import { openForReading, withVerbs, type GlobalFlags } from '../../session.js';
import { readTarget } from '../../targets.js';
import { examples, integerFrom, type CommandContext } from '../shared.js';

interface Flags extends GlobalFlags {
  readonly output: 'table' | 'wide' | 'json' | 'yaml' | 'ndjson';
  readonly headers: boolean;
  readonly limit: number;
}

const TITLES = ['REVISION', 'AGE', 'USER', 'VERB', 'CHANGED'];
/** The limit of a change's fields in a table; `wide` lists all. */
const PATHS_SHOWN = 4;

export function define(command: Command, context: CommandContext): void {
  command
    .argument('<resource>', 'plural, singular, kind or short name')
    .argument('[name]', 'name of the object')
    .option(
      '--limit <number>',
      'maximum number of changes, the newest ones; 0 means no limit',
      integerFrom(0),
      0,
    )
    .addOption(
      new Option('-o, --output <format>', 'output format')
        .choices(['table', 'wide', 'json', 'yaml', 'ndjson'])
        .default('table'),
    )
    .option('--no-headers', 'omit the header of a table')
    .action(async (resource: string, name: string | undefined, _flags: unknown, self: Command) => {
      const flags = self.optsWithGlobals<Flags>();
      context.exitCode = await history([resource, name ?? []].flat(), flags, context.io);
    });
  command.addHelpText(
    'after',
    '\nPrints the changes of the object in the log (--log-retention-* of serve), newest first: user, time, verb and\n' +
      'fields; wide prints all fields and the exact time. Works for deleted objects too.',
  );
  examples(command, [
    'xsvc history persons ada',
    'xsvc history persons/ada -o yaml --limit 1',
    'xsvc history persons ada -o ndjson --server http://127.0.0.1:8090',
  ]);
}

async function history(args: readonly string[], flags: Flags, io: CliIo): Promise<number> {
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const target = readTarget(await verbs.resources(args[0]), args, 'history');
    const first = await readPart(verbs, target, flags.limit === 0 ? Infinity : flags.limit);
    const { items: _, metadata, warnings: _w, ...head } = first;
    const { continue: _c, ...shown } = metadata;
    const changes = eachChange(verbs, target, { limit: flags.limit, first });
    if (flags.output === 'json' || flags.output === 'yaml')
      await printList(io, { ...head, metadata: shown }, changes, flags.output);
    else if (flags.output === 'ndjson') await printLines(io, changes);
    else await printTable(io, changes, flags);
    const { oldest } = metadata;
    const subject = getSubject(target.resource, target.name);
    if (first.items.length === 0)
      io.stderr.write(`the log has no change of ${subject}; it begins with revision ${oldest}\n`);
    else if (oldest !== '1') io.stderr.write(`the log begins with revision ${oldest}\n`);
    return EXIT.done;
  });
}

async function printTable(io: CliIo, changes: AsyncIterable<HistoryItem>, flags: Flags): Promise<void> {
  const isWide = flags.output === 'wide';
  const now = Date.now();
  const rows = async function* (): AsyncGenerator<readonly string[]> {
    for await (const { resourceVersion, time, user = NONE, verb, changes: fields } of paced(
      changes,
      io.stdout,
    )) {
      if (io.stdout.isClosed) return;
      const paths = fields.map(({ path }) => path);
      yield [resourceVersion, isWide ? time : formatAge(time, now), user, verb, pathsText(paths, isWide)];
    }
  };
  const colors = await colorsFor(io.stdout, io.env);
  const lines = layTable(rows(), {
    titles: isWide ? TITLES.with(1, 'TIME') : TITLES,
    header: flags.headers,
    columns: io.stdout.isTTY ? io.stdout.columns : undefined,
    highlight: (text) => colors.strong(text),
  });
  for await (const line of lines) io.stdout.write(line);
}

function pathsText(paths: readonly string[], isWide: boolean): string {
  if (paths.length === 0) return NONE;
  const shown = isWide ? paths : paths.slice(0, PATHS_SHOWN);
  const more = paths.length - shown.length;
  return shown.join(', ') + (more > 0 ? `, and ${more} more` : '');
}
