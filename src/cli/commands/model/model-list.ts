import { modelKey, qualifiedPlural, type Resource } from '../../../model/resource.js';
import type { Scheme } from '../../../model/declare/scheme.js';
import type { ModelLifecycle } from '../../../lifecycle/model-lifecycle.js';
import type { DeclaredModels } from '../../../daemon/offline/declared-models.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { withModels } from '../../model/open.js';
import { findServedOtherwise, type ServedModel } from '../../model/served.js';
import { printValue } from '../../output/objects.js';
import { printTable } from '../../output/table.js';
import { command } from '../../command.js';
import type { CommandFlags } from '../../flags.js';
import { TABLE } from '../shared.js';

interface ModelRow {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** The storage version. */
  readonly version: string;
  /** The served versions, the storage version first. */
  readonly versions: readonly string[];
  /** The number of stored objects in each version. */
  readonly stored: Readonly<Record<string, number>>;
  /** The plugin that declares it; empty without one. */
  readonly plugin: string;
  readonly objects: number;
  readonly unfit: number;
  /** Ids of the migrations that were applied to its objects. */
  readonly migrations: readonly string[];
  /** Ids of migrations that were begun, or are declared in the store, and are not complete. */
  readonly outstanding: readonly string[];
}

export const modelList = command({
  description: 'Print the models of the store, with their versions and objects',
  flags: TABLE,
  notes: [
    'VERSIONS are the served versions, the storage version first; STORED is the number of objects stored in each',
    'version. A model without a plugin is declared by none; UNFIT objects are invalid for the model (see xsvc',
    'check --schema). When the model changed and no daemon has checked its objects since, they are checked now.',
    'A model that a running daemon serves is listed as that daemon declares it.',
  ],
  examples: ['xsvc model list', 'xsvc model list -o json --data-dir /var/lib/xsvc'],
  run: list,
});

async function list(flags: CommandFlags<typeof TABLE>, io: CliIo): Promise<number> {
  const options = { command: 'model list', readOnly: true };
  const { rows, warnings } = await withModels(flags, io, options, readModels);
  const { output } = flags;
  if (output === 'json' || output === 'yaml') {
    await printValue(io, { apiVersion: 'v1', kind: 'ModelList', items: rows }, output);
  } else if (rows.length === 0) io.stderr.line('no models found');
  else if (output === 'name') for (const row of rows) io.stdout.line(qualifiedPlural(row));
  else await printModels(rows, flags, io);
  for (const warning of warnings) io.stderr.line(`warning: ${warning}`);
  return EXIT.done;
}

interface ModelReport {
  readonly rows: readonly ModelRow[];
  readonly warnings: readonly string[];
}

async function readModels(models: DeclaredModels): Promise<ModelReport> {
  const { store, schemes } = models;
  const served = await findServedOtherwise(models);
  const here = new Set(schemes.map(({ resource }) => modelKey(resource)));
  const warnings = store.allTables().flatMap((table) => {
    const { resource } = table;
    const process = here.has(modelKey(resource)) ? served.get(modelKey(resource))?.process : undefined;
    return [
      table.unfinished()?.message ?? [],
      process === undefined
        ? []
        : `${process} serves ${resource.kind} with another declaration than the plugins here; its declaration is listed`,
    ].flat();
  });
  return { rows: await getRows(models, served), warnings };
}

/** By group and kind. */
async function getRows(
  { store, lifecycle, schemes }: DeclaredModels,
  served: ReadonlyMap<string, ServedModel>,
): Promise<readonly ModelRow[]> {
  const { getDeclaredVersions, getServedVersions } = await import('../../../lifecycle/declaration.js');
  const declared = new Map(schemes.map((scheme) => [modelKey(scheme.resource), scheme]));
  const stored = store.allTables().map(({ resource }) => resource);
  const known = new Set(stored.map(modelKey));
  const added = schemes.map(({ resource }) => resource).filter((resource) => !known.has(modelKey(resource)));
  const rows: ModelRow[] = [];
  for (const resource of [...stored, ...added]) {
    const elsewhere = served.get(modelKey(resource));
    const scheme = elsewhere === undefined ? declared.get(modelKey(resource)) : undefined;
    const record = store.findRecord(resource);
    const { group, kind, plural, version } = scheme?.resource ?? resource;
    rows.push({
      ...{ group, kind, plural, version },
      versions:
        scheme !== undefined
          ? getDeclaredVersions(scheme)
          : record === undefined
            ? []
            : getServedVersions(record),
      stored: Object.fromEntries(await lifecycle.countVersions(resource)),
      plugin: elsewhere?.plugin ?? scheme?.owner ?? '',
      objects: await store.getCount(resource),
      unfit: await countInvalid(lifecycle, scheme, resource),
      migrations: record?.migrations ?? [],
      outstanding: store.findTable(resource)?.outstanding ?? [],
    });
  }
  const getKey = ({ group, kind }: ModelRow): string => `${group} ${kind}`;
  return rows.sort((a, b) => (getKey(a) < getKey(b) ? -1 : 1));
}

/** Objects of a model that changed since their last check are checked now. */
async function countInvalid(
  lifecycle: ModelLifecycle,
  scheme: Scheme | undefined,
  resource: Resource,
): Promise<number> {
  if (scheme === undefined) return lifecycle.invalidCount(resource);
  return lifecycle.knownInvalidCount(scheme) ?? (await lifecycle.scan(scheme)).invalid;
}

async function printModels(
  rows: readonly ModelRow[],
  { output, headers }: CommandFlags<typeof TABLE>,
  io: CliIo,
): Promise<void> {
  const isWide = output === 'wide';
  const cells = rows.map((row) => [
    row.group,
    row.kind,
    row.versions.join(','),
    Object.entries(row.stored)
      .map(([version, count]) => `${version}=${count}`)
      .join(','),
    row.plugin,
    String(row.objects),
    String(row.unfit),
    ...(isWide ? [row.plural, row.migrations.join(',')] : []),
  ]);
  const titles = ['GROUP', 'KIND', 'VERSIONS', 'STORED', 'PLUGIN', 'OBJECTS', 'UNFIT'];
  await printTable(io, cells, isWide ? [...titles, 'PLURAL', 'MIGRATIONS'] : titles, { headers, output });
}
