import { formatAge } from '../../../lib/time/age.js';
import { isNamespaced } from '../../../model/full-name.js';
import type { Resource } from '../../../model/resource.js';
import type { HistoryItem, ModelHistoryItem, Verbs } from '../../../service/verbs.js';
import { EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { findScope, isIn, listedIn, type Scope } from '../../remote/namespaces.js';
import { NONE } from '../../output/columns.js';
import { printLines, printList } from '../../output/objects.js';
import { paced } from '../../output/paced.js';
import { printTable } from '../../output/table.js';
import { getSubject } from '../../output/written.js';
import { eachChange, readPart } from '../../../service/read/object-changes.js';
import { selectChanges } from '../../past/changes.js';
import { changesIn, eachModelChange, readModelPart } from '../../past/model-changes.js';
import { readSince } from '../../past/moment.js';
import { openForReading, withVerbs } from '../../session.js';
import { readTargets, type Target } from '../../targets.js';
import { command } from '../../command.js';
import { format, integer, text, withDefault, type CommandFlags } from '../../flags.js';
import { ALL_NAMESPACES, HEADERS, ONE_OBJECT } from '../shared.js';

const TITLES = ['REVISION', 'AGE', 'USER', 'VERB', 'CHANGED'];
const MODEL_TITLES = TITLES.toSpliced(4, 0, 'NAME');
/** The limit of a change's fields in a table; `wide` lists all. */
const PATHS_SHOWN = 4;

const FLAGS = {
  since: text('<time>', 'only changes since a time like 2026-01-31T08:00:00Z, or 1h for an hour ago'),
  user: text('<name>', 'only changes of this user'),
  limit: withDefault(integer('maximum number of changes, the newest ones; 0 means no limit', 0), 0),
  output: withDefault(format(['table', 'wide', 'json', 'yaml', 'ndjson']), 'table'),
  ...ALL_NAMESPACES,
  ...HEADERS,
};
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  args: ONE_OBJECT,
  flags: FLAGS,
  notes: [
    'Prints the changes of the object in the log (--log-retention-* of serve), newest first: user, time, verb and',
    'fields; wide prints all fields and the exact time. Works for deleted objects too. Without a name it prints the',
    'changes of all objects of the resource, with their names.',
  ],
  examples: [
    'xsvc history persons ada',
    'xsvc history persons --since 1h --user ci',
    'xsvc history persons/ada -o yaml --limit 1',
    'xsvc history persons ada -o ndjson --server http://127.0.0.1:8090',
  ],
  run: history,
});

async function history(flags: Flags, io: CliIo, args: readonly string[]): Promise<number> {
  const sinceMs = flags.since === undefined ? undefined : readSince(flags.since, Date.now());
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const scope = await findScope(flags, io);
    const { resource, names } = readTargets(await verbs.resources(args[0]), args, scope);
    const [target] = names;
    if (names.length > 1) throw new UsageError('history needs one object, or only a resource');
    const found =
      target === undefined
        ? await ofModel(verbs, resource, flags, scope)
        : await ofObject(verbs, target, flags, sinceMs);
    await print(io, found, flags);
    const { oldest } = found;
    if (found.isEmpty)
      io.stderr.line(`the log has no change of ${found.subject}; it begins with revision ${oldest}`);
    else if (oldest !== '1') io.stderr.line(`the log begins with revision ${oldest}`);
    return EXIT.done;
  });
}

/** Changes to print. */
interface Printed {
  readonly changes: AsyncIterable<HistoryItem | ModelHistoryItem>;
  /** The members of the list as JSON and YAML, without its items. */
  readonly head: object;
  readonly oldest: string;
  /** True when the log has no change of the subject. */
  readonly isEmpty: boolean;
  readonly subject: string;
  /** Of the table. */
  readonly titles: readonly string[];
}

async function ofObject(
  verbs: Verbs,
  target: Target,
  { limit, user }: Flags,
  sinceMs: number | undefined,
): Promise<Printed> {
  const isFiltered = user !== undefined || sinceMs !== undefined;
  const first = await readPart(verbs, target, limit === 0 || isFiltered ? Infinity : limit);
  const all = eachChange(verbs, target, { limit: isFiltered ? 0 : limit, first });
  const { items, metadata, warnings: _w, ...head } = first;
  const { continue: _c, ...shown } = metadata;
  return {
    changes: isFiltered ? selectChanges(all, { limit, user, sinceMs }) : all,
    head: { ...head, metadata: shown },
    oldest: metadata.oldest,
    isEmpty: items.length === 0,
    subject: getSubject(target.resource, target.name),
    titles: TITLES,
  };
}

async function ofModel(
  verbs: Verbs,
  resource: Resource,
  { limit, since, user }: Flags,
  scope: Scope,
): Promise<Printed> {
  const options = { ...(since !== undefined && { since }), ...(user !== undefined && { user }) };
  // The limit counts the changes of the namespace only.
  const isPart = listedIn(scope, resource).namespace !== undefined;
  const most = isPart ? 0 : limit;
  const first = await readModelPart(verbs, resource, { ...options, limit: most });
  const all = eachModelChange(verbs, resource, options, { first, limit: most });
  const { items, metadata, warnings: _w, ...head } = first;
  const { continue: token, ...shown } = metadata;
  return {
    changes: isPart ? changesIn(all, scope, limit) : all,
    head: { ...head, metadata: shown },
    oldest: metadata.oldest,
    isEmpty: !items.some((item) => isIn(scope, item)) && token === undefined,
    subject: `${resource.plural}${since === undefined && user === undefined ? '' : ' that was asked for'}`,
    titles: isNamespaced(resource) && !isPart ? MODEL_TITLES.toSpliced(4, 0, 'NAMESPACE') : MODEL_TITLES,
  };
}

async function print(io: CliIo, found: Printed, flags: Flags): Promise<void> {
  const { changes, head } = found;
  if (flags.output === 'json' || flags.output === 'yaml') await printList(io, head, changes, flags.output);
  else if (flags.output === 'ndjson') await printLines(io, changes);
  else await printChanges(io, found, flags);
}

async function printChanges(io: CliIo, { changes, titles }: Printed, flags: Flags): Promise<void> {
  const isWide = flags.output === 'wide';
  const now = Date.now();
  const rows = async function* (): AsyncGenerator<readonly string[]> {
    for await (const change of paced(changes, io.stdout)) {
      if (io.stdout.isClosed) return;
      const { resourceVersion, time, verb, changes: fields } = change;
      const name = 'name' in change ? namesIn(change, titles.includes('NAMESPACE')) : [];
      const paths = fields.map(({ path }) => path);
      const age = isWide ? time : formatAge(time, now);
      yield [resourceVersion, age, authorOf(change), verb, ...name, pathsText(paths, isWide)];
    }
  };
  await printTable(io, rows(), isWide ? titles.with(1, 'TIME') : titles, flags);
}

/** The user and, for writes of agents, their interface. */
function authorOf({ user = NONE, via }: HistoryItem): string {
  return via === undefined ? user : `${user} (${via})`;
}

function namesIn({ namespace = NONE, name }: ModelHistoryItem, withNamespace: boolean): readonly string[] {
  return withNamespace ? [namespace, name] : [name];
}

function pathsText(paths: readonly string[], isWide: boolean): string {
  if (paths.length === 0) return NONE;
  const shown = isWide ? paths : paths.slice(0, PATHS_SHOWN);
  const more = paths.length - shown.length;
  return shown.join(', ') + (more > 0 ? `, and ${more} more` : '');
}
