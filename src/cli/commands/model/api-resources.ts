import { Option, type Command } from 'commander';
import { inOneVersion } from '../../../model/resolve-resource.js';
import { getApiVersion, modelKey, qualifiedPlural, type Resource } from '../../../model/resource.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { colorsFor } from '../../output/colors.js';
import { printValue } from '../../output/objects.js';
import { layTable } from '../../output/table.js';
import { openForReading, withVerbs, type GlobalFlags } from '../../session.js';
import { examples, type CommandContext } from '../shared.js';

const OUTPUTS = ['table', 'wide', 'name', 'json', 'yaml'] as const;

interface Flags extends GlobalFlags {
  readonly output: (typeof OUTPUTS)[number];
  readonly apiGroup?: string;
  readonly sortBy?: 'name' | 'kind';
  readonly headers: boolean;
}

/** The verbs of every model. */
const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

export function define(command: Command, context: CommandContext): void {
  command
    .addOption(new Option('-o, --output <format>', 'output format').choices(OUTPUTS).default('table'))
    .option('--api-group <group>', 'only models of this group')
    .addOption(
      new Option('--sort-by <column>', 'order (default: by group, version and name)').choices([
        'name',
        'kind',
      ]),
    )
    .option('--no-headers', 'omit the header of the table')
    .action(async (_flags: unknown, self: Command) => {
      context.exitCode = await apiResources(self.optsWithGlobals<Flags>(), context.io);
    });
  examples(command, [
    'xsvc api-resources',
    'xsvc api-resources --api-group demo.example.com -o wide',
    'xsvc api-resources -o name --server http://127.0.0.1:8090',
  ]);
}

async function apiResources(flags: Flags, io: CliIo): Promise<number> {
  const { apiGroup, sortBy, output } = flags;
  const all = await withVerbs(openForReading(flags, io), (verbs) => verbs.resources());
  const found = inOneVersion(all).filter(({ group }) => apiGroup === undefined || group === apiGroup);
  const resources = sortBy === undefined ? found : sortedBy(found, sortBy === 'kind' ? 'kind' : 'plural');
  const getVersions = (resource: Resource): readonly string[] =>
    all.filter((other) => modelKey(other) === modelKey(resource)).map(({ version }) => version);
  if (output === 'json' || output === 'yaml') {
    const data = resources.map((resource) => ({ ...asData(resource), versions: getVersions(resource) }));
    const list = { kind: 'APIResourceList', apiVersion: 'v1', resources: data };
    await printValue(io, list, output);
    return EXIT.done;
  }
  if (resources.length === 0) io.stderr.write('no resources found\n');
  if (output === 'name') for (const resource of resources) io.stdout.write(`${qualifiedPlural(resource)}\n`);
  else await printTable(resources, getVersions, flags, io);
  return EXIT.done;
}

async function printTable(
  resources: readonly Resource[],
  getVersions: (resource: Resource) => readonly string[],
  flags: Flags,
  io: CliIo,
): Promise<void> {
  const isWide = flags.output === 'wide';
  const rows = resources.map((resource) => [
    resource.plural,
    resource.shortNames.join(','),
    getApiVersion(resource),
    resource.kind,
    ...(isWide ? [getVersions(resource).join(','), VERBS.join(','), resource.categories.join(',')] : []),
  ]);
  const colors = await colorsFor(io.stdout, io.env);
  const lines = layTable(inTurn(rows), {
    titles: [
      'NAME',
      'SHORTNAMES',
      'APIVERSION',
      'KIND',
      ...(isWide ? ['VERSIONS', 'VERBS', 'CATEGORIES'] : []),
    ],
    header: flags.headers,
    columns: io.stdout.isTTY ? io.stdout.columns : undefined,
    highlight: (text) => colors.strong(text),
  });
  for await (const line of lines) io.stdout.write(line);
}

async function* inTurn<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

function asData(resource: Resource): object {
  const { plural, singular, shortNames, kind, group, version, categories } = resource;
  return { name: plural, singularName: singular, shortNames, group, version, kind, verbs: VERBS, categories };
}

function sortedBy(resources: readonly Resource[], field: 'kind' | 'plural'): Resource[] {
  return [...resources].sort((a, b) => (a[field] < b[field] ? -1 : a[field] > b[field] ? 1 : 0));
}
