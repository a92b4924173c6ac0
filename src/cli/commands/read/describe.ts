import { readRequests } from '../../../client/controllers.js';
import { EVENT_PATHS, eventNamespace, findEvents } from '../../../events/names.js';
import { findExpiration } from '../../../model/expiration.js';
import { getUpdateTime, type ExtensionObject } from '../../../model/object.js';
import { isNamespaced } from '../../../model/full-name.js';
import { qualifiedPlural } from '../../../model/resource.js';
import type { Verbs } from '../../../service/verbs.js';
import { UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { findScope, shownBeside } from '../../remote/namespaces.js';
import { agoText } from '../../output/object/ages.js';
import { columnCells, NONE } from '../../output/columns.js';
import { indented, nothingSaid, reportLines } from '../../output/controller-reports.js';
import { withoutLastApplied } from '../../output/manifest.js';
import { managerLines } from '../../output/object/manager-lines.js';
import { ownerLines, unlessForbidden } from '../../output/object/owner-lines.js';
import { TableWriter } from '../../output/table.js';
import { Failures } from '../../results.js';
import { findRemote } from '../../remote/remote.js';
import { openForReading, withVerbs } from '../../session.js';
import { readTargets, type Target } from '../../targets.js';
import { command } from '../../command.js';
import type { GlobalFlags } from '../../flags.js';
import { OBJECTS } from '../shared.js';

/** The limit of printed events of an object; the newest are printed. */
const EVENTS_SHOWN = 20;
/** The limit of printed names for each referring field. */
const REFERRERS_SHOWN = 5;

export const define = command({
  args: OBJECTS,
  examples: [
    'xsvc describe person ada',
    'xsvc describe persons/ada packages/libc6 --server http://127.0.0.1:8090',
  ],
  run: describe,
});

/** Prints objects for people: their content, the reports of their controllers, and their events. */
async function describe(flags: GlobalFlags, io: CliIo, args: readonly string[]): Promise<number> {
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const { names } = readTargets(await verbs.resources(args[0]), args, await findScope(flags, io));
    if (names.length === 0) throw new UsageError('describe needs names of objects');
    const failures = new Failures(io, flags);
    for (const [i, target] of names.entries())
      await failures.attempt(async () => {
        const lines = await describeOne(verbs, target, flags, io);
        for (const line of i === 0 ? lines : ['', '', ...lines]) io.stdout.line(line);
      });
    return failures.exitCode;
  });
}

async function describeOne(
  verbs: Verbs,
  target: Target,
  flags: GlobalFlags,
  io: CliIo,
): Promise<readonly string[]> {
  const object = await verbs.get(target.resource, target.name);
  return [
    ...headLines(object),
    ...(await contentLines(object)),
    ...managerLines(object.metadata),
    ...(await ownerLines(verbs, object, target)),
    ...(await referrerLines(verbs, target)),
    ...(await controllerLines(target, flags, io)),
    ...(await eventLines(verbs, object)),
  ];
}

function headLines({ apiVersion, kind, metadata }: ExtensionObject): string[] {
  const { name, namespace, labels, annotations, finalizers = [], deletionTimestamp } = metadata;
  // Kinds of definitions have no version.
  const version = 'version' in metadata ? [String(metadata.version)] : [];
  const facts: [string, readonly string[]][] = [
    ['Name', [name]],
    ...(namespace === undefined ? [] : [['Namespace', [namespace]] satisfies [string, readonly string[]]]),
    ['Kind', [`${kind} (${apiVersion})`]],
    ['Labels', pairs(labels)],
    ['Annotations', pairs(withoutLastApplied(annotations))],
    ['Created', [timeWithAge(metadata.creationTimestamp)]],
    ['Updated', [timeWithAge(getUpdateTime(metadata))]],
    ['Version', [[...version, `generation ${metadata.generation}`].join(', ')]],
    ['UID', [metadata.uid]],
  ];
  const expiration = findExpiration(metadata);
  if (expiration !== undefined) facts.push(['Expires', [timeWithAge(expiration)]]);
  if (finalizers.length > 0) facts.push(['Finalizers', finalizers]);
  if (deletionTimestamp !== undefined) facts.push(['Deleted', [timeWithAge(deletionTimestamp)]]);
  const width = Math.max(...facts.map(([title]) => title.length)) + 3;
  return facts.flatMap(([title, values]) =>
    values.map((value, i) => `${(i === 0 ? `${title}:` : '').padEnd(width)}${value}`),
  );
}

function pairs(record: Readonly<Record<string, string>> = {}): string[] {
  const keys = Object.keys(record).sort();
  return keys.length === 0 ? [NONE] : keys.map((key) => `${key}=${record[key] ?? ''}`);
}

function timeWithAge(time: string): string {
  return `${time} (${agoText(time)})`;
}

/** The object without its metadata, as YAML. */
async function contentLines(object: ExtensionObject): Promise<string[]> {
  const { apiVersion: _a, kind: _k, metadata: _m, ...content } = object;
  if (Object.keys(content).length === 0) return [];
  const { formatYaml } = await import('../../../lib/json/yaml.js');
  return formatYaml(content).trimEnd().split('\n');
}

/** The referring objects, by field. */
async function referrerLines(verbs: Verbs, { resource, name }: Target): Promise<string[]> {
  const found = await unlessForbidden(verbs.referrers(resource, name, { limit: REFERRERS_SHOWN }));
  if (found === undefined) return ['Referred to by: not permitted'];
  // Models without references to them are left out.
  if (found.items.length === 0) return [];
  const lines = found.items
    .filter(({ total }) => total > 0)
    .map(({ plural, group, field, onDelete, total, names }) => {
      const shown = names.map((one) => shownBeside(one, name));
      const more = total > names.length ? `, and ${total - names.length} more` : '';
      return `${total} ${qualifiedPlural({ plural, group })} by ${field} (${onDelete}): ${shown.join(', ')}${more}`;
    });
  return lines.length === 0 ? [`Referred to by: ${NONE}`] : ['Referred to by:', ...indented(lines, '  ')];
}

async function controllerLines({ resource, name }: Target, flags: GlobalFlags, io: CliIo): Promise<string[]> {
  const remote = await findRemote(flags, io);
  if (remote === undefined) return ['Controllers: only known to a daemon; use --server'];
  const reports = await unlessForbidden(readRequests(remote.url, qualifiedPlural(resource), name, remote));
  if (reports === undefined) return ['Controllers: not permitted'];
  const nothing = nothingSaid(reports);
  if (nothing !== undefined) return [`Controllers: ${nothing}`];
  return ['Controllers:', ...indented(reportLines(reports.items), '  ')];
}

/** The newest last, like a log. */
async function eventLines(verbs: Verbs, { metadata }: ExtensionObject): Promise<string[]> {
  const events = findEvents(await verbs.resources());
  if (events === undefined) return [`Events: ${NONE}`];
  const page = await unlessForbidden(
    verbs.list(events, {
      ...(isNamespaced(events) && { namespace: eventNamespace(metadata.namespace) }),
      fieldSelector: `involvedObject.uid=${metadata.uid}`,
      sort: ['lastTimestamp,desc'],
      page: 1,
      size: EVENTS_SHOWN,
    }),
  );
  if (page === undefined) return ['Events: not permitted'];
  if (page.items.length === 0) return [`Events: ${NONE}`];
  const table = new TableWriter({
    titles: COLUMNS.map(({ name }) => name),
    header: true,
    columns: undefined,
  });
  const cells = columnCells(COLUMNS, Date.now());
  for (const event of [...page.items].reverse()) table.add(cells.map((cell) => cell(event)));
  const more = page.total - page.items.length;
  const title = more > 0 ? `Events: (${more} earlier events omitted)` : 'Events:';
  return [title, ...indented(table.flush().trimEnd().split('\n'), '  ')];
}

const COLUMNS = [
  { name: 'AGE', jsonPath: EVENT_PATHS.lastSeen, type: 'date' },
  { name: 'TYPE', jsonPath: '.type', type: 'string' },
  { name: 'REASON', jsonPath: '.reason', type: 'string' },
  { name: 'COUNT', jsonPath: EVENT_PATHS.count, type: 'integer' },
  { name: 'MESSAGE', jsonPath: '.message', type: 'string' },
] as const;
