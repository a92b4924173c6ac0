import { formatAge } from '../../../lib/time/age.js';
import type { HistoryItem } from '../../../service/verbs.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { NONE } from '../../output/columns.js';
import { printLines, printList } from '../../output/objects.js';
import { paced } from '../../output/paced.js';
import { printTable } from '../../output/table.js';
import { getSubject } from '../../output/written.js';
import { eachChange, readPart } from '../../past/changes.js';
import { openForReading, withVerbs } from '../../session.js';
import { readTarget } from '../../targets.js';
import { command } from '../../command.js';
import { format, integer, withDefault, type CommandFlags } from '../../flags.js';
import { HEADERS, ONE_OBJECT } from '../shared.js';

const TITLES = ['REVISION', 'AGE', 'USER', 'VERB', 'CHANGED'];
/** The limit of a change's fields in a table; `wide` lists all. */
const PATHS_SHOWN = 4;

const FLAGS = {
  limit: withDefault(integer('maximum number of changes, the newest ones; 0 means no limit', 0), 0),
  output: withDefault(format(['table', 'wide', 'json', 'yaml', 'ndjson']), 'table'),
  ...HEADERS,
};
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  args: ONE_OBJECT,
  flags: FLAGS,
  notes: [
    'Prints the changes of the object in the log (--log-retention-* of serve), newest first: user, time, verb and',
    'fields; wide prints all fields and the exact time. Works for deleted objects too.',
  ],
  examples: [
    'xsvc history persons ada',
    'xsvc history persons/ada -o yaml --limit 1',
    'xsvc history persons ada -o ndjson --server http://127.0.0.1:8090',
  ],
  run: history,
});

async function history(flags: Flags, io: CliIo, args: readonly string[]): Promise<number> {
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const target = readTarget(await verbs.resources(args[0]), args, 'history');
    const first = await readPart(verbs, target, flags.limit === 0 ? Infinity : flags.limit);
    const { items: _, metadata, warnings: _w, ...head } = first;
    const { continue: _c, ...shown } = metadata;
    const changes = eachChange(verbs, target, { limit: flags.limit, first });
    if (flags.output === 'json' || flags.output === 'yaml')
      await printList(io, { ...head, metadata: shown }, changes, flags.output);
    else if (flags.output === 'ndjson') await printLines(io, changes);
    else await printChanges(io, changes, flags);
    const { oldest } = metadata;
    const subject = getSubject(target.resource, target.name);
    if (first.items.length === 0)
      io.stderr.write(`the log has no change of ${subject}; it begins with revision ${oldest}\n`);
    else if (oldest !== '1') io.stderr.write(`the log begins with revision ${oldest}\n`);
    return EXIT.done;
  });
}

async function printChanges(io: CliIo, changes: AsyncIterable<HistoryItem>, flags: Flags): Promise<void> {
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
  await printTable(io, rows(), isWide ? TITLES.with(1, 'TIME') : TITLES, flags.headers);
}

function pathsText(paths: readonly string[], isWide: boolean): string {
  if (paths.length === 0) return NONE;
  const shown = isWide ? paths : paths.slice(0, PATHS_SHOWN);
  const more = paths.length - shown.length;
  return shown.join(', ') + (more > 0 ? `, and ${more} more` : '');
}
