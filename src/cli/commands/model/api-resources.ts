import { isNamespaced } from '../../../model/full-name.js';
import { inOneVersion } from '../../../model/resolve-resource.js';
import {
  getApiVersion,
  modelKey,
  qualifiedPlural,
  versionName,
  type Resource,
} from '../../../model/resource.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { printValue } from '../../output/objects.js';
import { printTable } from '../../output/table.js';
import { openForReading, withVerbs } from '../../session.js';
import { command } from '../../command.js';
import { choice, format, negated, text, withDefault, type CommandFlags } from '../../flags.js';

/** The verbs of every model. */
const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

const FLAGS = {
  output: withDefault(format(['table', 'wide', 'name', 'json', 'yaml']), 'table'),
  apiGroup: text('<group>', 'only models of this group'),
  sortBy: choice('<column>', 'order (default: by group, version and name)', ['name', 'kind']),
  headers: negated('omit the header of the table'),
};
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  flags: FLAGS,
  examples: [
    'xsvc api-resources',
    'xsvc api-resources --api-group demo.example.com -o wide',
    'xsvc api-resources -o name --server http://127.0.0.1:8090',
  ],
  run: apiResources,
});

async function apiResources(flags: Flags, io: CliIo): Promise<number> {
  const { apiGroup, sortBy, output } = flags;
  const all = await withVerbs(openForReading(flags, io), (verbs) => verbs.resources());
  const found = inOneVersion(all).filter(({ group }) => apiGroup === undefined || group === apiGroup);
  const resources = sortBy === undefined ? found : sortedBy(found, sortBy === 'kind' ? 'kind' : 'plural');
  const getVersions = (resource: Resource): readonly string[] =>
    all.filter((other) => modelKey(other) === modelKey(resource)).map(versionName);
  if (output === 'json' || output === 'yaml') {
    const data = resources.map((resource) => ({ ...asData(resource), versions: getVersions(resource) }));
    const list = { kind: 'APIResourceList', apiVersion: 'v1', resources: data };
    await printValue(io, list, output);
    return EXIT.done;
  }
  if (resources.length === 0) io.stderr.line('no resources found');
  if (output === 'name') for (const resource of resources) io.stdout.line(qualifiedPlural(resource));
  else await printResources(resources, getVersions, flags, io);
  return EXIT.done;
}

async function printResources(
  resources: readonly Resource[],
  getVersions: (resource: Resource) => readonly string[],
  { output, headers }: Flags,
  io: CliIo,
): Promise<void> {
  const isWide = output === 'wide';
  const rows = resources.map((resource) => [
    resource.plural,
    resource.shortNames.join(','),
    getApiVersion(resource),
    String(isNamespaced(resource)),
    resource.isInert ? `${resource.kind} (inert)` : resource.kind,
    ...(isWide ? [getVersions(resource).join(','), VERBS.join(','), resource.categories.join(',')] : []),
  ]);
  const titles = ['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND'];
  if (resources.some(({ isInert }) => isInert))
    io.stderr.line('(inert): objects are stored, and nothing acts on them');
  await printTable(io, rows, isWide ? [...titles, 'VERSIONS', 'VERBS', 'CATEGORIES'] : titles, {
    headers,
    output,
  });
}

function asData(resource: Resource): object {
  const { plural, singular, shortNames, kind, group, version, categories, isInert } = resource;
  const namespaced = isNamespaced(resource);
  const names = { name: plural, singularName: singular, shortNames };
  return {
    ...names,
    group,
    version,
    kind,
    namespaced,
    verbs: VERBS,
    categories,
    ...(isInert && { inert: true }),
  };
}

function sortedBy(resources: readonly Resource[], field: 'kind' | 'plural'): Resource[] {
  return [...resources].sort((a, b) => (a[field] < b[field] ? -1 : a[field] > b[field] ? 1 : 0));
}
