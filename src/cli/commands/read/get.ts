import { notFound } from '../../../errors.js';
import type { ExtensionObject } from '../../../model/object.js';
import { getApiVersion, qualifiedPlural, type Resource } from '../../../model/resource.js';
import { pageOf, pickOptions, type ListOptions, type Page } from '../../../query/list-options.js';
import { LIST_PARAMETERS, SELECTORS } from '../../../query/list-parameters.js';
import type { ListPage, Verbs } from '../../../service/verbs.js';
import { UsageError } from '../../exit.js';
import { objectsFrom, PART_OBJECTS } from '../../each-object.js';
import type { CliIo } from '../../io.js';
import { printExplanation } from '../../output/explanation.js';
import { printFacets } from '../../output/facets.js';
import { readOutput, type OutputChoice } from '../../output/format.js';
import { printList, printRows, printValue } from '../../output/objects.js';
import { printTemplate, printTemplateOfList } from '../../output/template.js';
import { getAtMoment, MOMENT, readMoment } from '../../past/moment.js';
import { Failures } from '../../results.js';
import { openForReading, withVerbs } from '../../session.js';
import { readTargets, type Target } from '../../targets.js';
import { LIST, WATCH } from './list-flags.js';
import { command } from '../../command.js';
import { text, toggle, type CommandFlags } from '../../flags.js';
import { OBJECTS } from '../shared.js';

/** The flags with `-o` parsed. */
type ReadFlags = Omit<GetFlags, 'output'> & { readonly output: OutputChoice };

const FLAGS = {
  ...LIST,
  watch: toggle('after the list, print changes until interrupted', { short: '-w' }),
  ...WATCH,
  at: text('<moment>', `print named objects in an earlier state: at ${MOMENT}`),
};
export type GetFlags = CommandFlags<typeof FLAGS>;

export const define = command({
  args: OBJECTS,
  flags: FLAGS,
  examples: [
    'xsvc get persons',
    'xsvc get person ada -o yaml',
    'xsvc get persons/ada packages/vim',
    'xsvc get person ada --at 1h -o yaml',
    'xsvc get persons -l demo.example.com/team=blue --watch',
    `xsvc get persons -o jsonpath='{range .items[*]}{.metadata.name}{"\\n"}{end}'`,
    'xsvc get persons -o custom-columns=NAME:.metadata.name,CITY:.spec.address.city',
    'xsvc get persons --sort spec.age --size 20 --explain',
    "xsvc get persons -l demo.example.com/team=blue --field-selector 'spec.age in (30,31)' --sort spec.age,desc --size 20",
    'xsvc get persons --facets spec.gender,spec.tags --facet-limit 5 --size 10',
  ],
  run: get,
});

/** Prints one object, several, or a list. */
export async function get(given: GetFlags, io: CliIo, args: readonly string[]): Promise<number> {
  const options = listOptions(given);
  const flags = { ...given, output: await readOutput(given.output, io) };
  const at = given.at === undefined ? undefined : readMoment('--at', given.at, Date.now());
  if (at !== undefined && (flags.watch === true || flags.watchOnly === true))
    throw new UsageError('--at cannot be combined with --watch');
  if (flags.watch === true || flags.watchOnly === true) return watch(args, flags, options, io);
  const isNamed = args.length > 1 || (args[0] ?? '').includes('/');
  if (isNamed && (Object.keys(options).length > 0 || flags.explain === true)) {
    throw new UsageError(
      'names cannot be combined with selectors, --sort, --page, --size, --limit, --facets and --explain',
    );
  }
  if (flags.facets !== undefined && flags.output === 'name')
    throw new UsageError('-o name does not print facets; use another output format');
  const isTable = typeof flags.output === 'object' && 'columns' in flags.output;
  if (flags.explain === true && (flags.output === 'name' || isTable)) {
    throw new UsageError('--explain supports only -o json, yaml and jsonpath=, or no -o');
  }
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const { resource, names } = readTargets(await verbs.resources(args[0]), args);
    if (at !== undefined && names.length === 0) throw new UsageError('--at needs names of objects');
    const read = at && ((target: Target) => getAtMoment(verbs, target, at));
    if (names.length > 0) return printNamed(await readGroups(verbs, names, read), flags, io);
    if (flags.explain === true) await explain(verbs, { resource, options }, flags, io);
    else await printAll(verbs, { resource, options }, flags, io);
    return 0;
  });
}

/** Prints objects and then their changes, until the program is stopped. */
async function watch(
  args: readonly string[],
  flags: ReadFlags,
  options: ListOptions,
  io: CliIo,
): Promise<number> {
  const selectors = pickOptions(options, SELECTORS);
  if (Object.keys(options).length > Object.keys(selectors).length || flags.explain === true) {
    throw new UsageError(
      '--watch cannot be combined with --sort, --page, --size, --limit, --facets and --explain',
    );
  }
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const { resource, names } = readTargets(await verbs.resources(args[0]), args);
    const [only, ...more] = names;
    if (more.length > 0) throw new UsageError('--watch takes one name, or none for all objects');
    if (only !== undefined) {
      const [found] = await verbs.getMany(resource, [only.name]);
      if (found === undefined) throw getNotFound(resource, only.name);
    }
    const { follow } = await import('../../follow.js');
    const chosen = { ...selectors, ...(only !== undefined && { name: only.name }) };
    await follow(verbs, { resource, options: chosen }, flags, io);
    return 0;
  });
}

function listOptions(flags: Omit<GetFlags, 'output'>): ListOptions {
  const { sortBy, page, size, limit, continue: token, facets, facetLimit } = flags;
  if (sortBy !== undefined) {
    throw new UsageError(
      `--sort-by is not supported; use --sort ${sortBy.replace(/^\{?\.?|\}$/g, '') || 'spec.age'}, ` +
        'a field with an index',
    );
  }
  if (limit !== undefined && (page ?? size) !== undefined) {
    throw new UsageError('use either --limit and --continue or --page and --size');
  }
  if (token !== undefined && (limit ?? 0) === 0) throw new UsageError('--continue needs --limit');
  if (facetLimit !== undefined && facets === undefined) throw new UsageError('--facet-limit needs --facets');
  return pickOptions(flags, LIST_PARAMETERS);
}

/** A list to print. */
interface Listing {
  readonly resource: Resource;
  readonly options: ListOptions;
}

async function explain(
  verbs: Verbs,
  { resource, options }: Listing,
  { output }: ReadFlags,
  io: CliIo,
): Promise<void> {
  const explained = await verbs.explain(resource, options);
  if (typeof output === 'object' && 'template' in output) {
    printTemplate(io, output.template, explained);
    return;
  }
  if (output === 'json' || output === 'yaml') await printValue(io, explained, output);
  else printExplanation(io, explained);
}

async function printAll(verbs: Verbs, listing: Listing, flags: ReadFlags, io: CliIo): Promise<void> {
  const { resource, options } = listing;
  const { output } = flags;
  const isTemplate = typeof output === 'object' && 'template' in output;
  if (output === 'json' || output === 'yaml' || isTemplate) {
    const { head, objects } = await readList(verbs, listing);
    if (isTemplate) await printTemplateOfList(io, output.template, head, objects);
    else await printList(io, head, objects, output);
    return;
  }
  if (isPart(options)) {
    const part = await verbs.list(resource, options);
    await printRows(io, resource, part.items, { ...flags, output });
    await printFacets(io, part.facets, flags);
    io.stderr.write(part.total === 0 ? getNone(resource) : `${getPlace(part, options)}\n`);
    return;
  }
  const inParts = withoutPaging(options);
  const first = await verbs.list(resource, inParts);
  const objects = objectsFrom(verbs, resource, inParts, first);
  const count = await printRows(io, resource, objects, { ...flags, output });
  await printFacets(io, first.facets, flags);
  if (count === 0) io.stderr.write(getNone(resource));
}

/**
 * A list's members without `items`, and its objects, read while they are printed. The head of a long list is from its first part:
 * writes in between may change the number of objects.
 */
async function readList(
  verbs: Verbs,
  { resource, options }: Listing,
): Promise<{ head: object; objects: AsyncIterable<ExtensionObject> | Iterable<ExtensionObject> }> {
  if (isPart(options)) {
    const { items, ...head } = await verbs.list(resource, options);
    return { head, objects: items };
  }
  const inParts = withoutPaging(options);
  const first = await verbs.list(resource, inParts);
  return { head: headOfWhole(first), objects: objectsFrom(verbs, resource, inParts, first) };
}

/** True when only a part of the matches is requested; 0 means all, and so does the first page without a size. */
function isPart({ page = 1, size = 0, limit = 0 }: ListOptions): boolean {
  return page > 1 || size > 0 || limit > 0;
}

function getNone({ plural }: Resource): string {
  return `no ${plural} found\n`;
}

/** A description of the part of a list. */
function getPlace({ items, page, totalPages, total }: ListPage, { limit = 0 }: ListOptions): string {
  return limit > 0
    ? `showing ${number(items.length)} of ${number(total)}`
    : `page ${number(page)} of ${number(totalPages)}, ${number(total)} in all`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

/** The options for all matches, read in parts. */
function withoutPaging({ page: _page, size: _size, limit: _limit, ...matching }: ListOptions): ListOptions {
  return { ...matching, limit: PART_OBJECTS };
}

/** The head of a list that is printed as a whole, without its paging. */
function headOfWhole({ apiVersion, kind, metadata, total, facets }: ListPage): object {
  return {
    apiVersion,
    kind,
    metadata: { resourceVersion: metadata.resourceVersion },
    ...pageOf(1, 0, total),
    ...(facets && { facets }),
  };
}

async function printNamed(groups: readonly Group[], flags: ReadFlags, io: CliIo): Promise<number> {
  const failures = new Failures(io, flags);
  for (const { missing } of groups) for (const error of missing) await failures.add(error);
  const isOne = groups.reduce((sum, { asked }) => sum + asked, 0) === 1;
  const { output } = flags;
  const isTemplate = typeof output === 'object' && 'template' in output;
  if (output !== 'json' && output !== 'yaml' && !isTemplate) {
    const full = groups.filter(({ objects }) => objects.length > 0);
    for (const [i, { resource, objects }] of full.entries()) {
      if (i > 0 && output !== 'name') io.stdout.write('\n');
      await printRows(io, resource, objects, { ...flags, output });
    }
    return failures.exitCode;
  }
  const objects = groups.flatMap((group) => group.objects);
  const [only] = objects;
  if (isTemplate) {
    const { template } = output;
    if (!isOne) await printTemplateOfList(io, template, getHead(groups), objects);
    else if (only !== undefined) printTemplate(io, template, only);
    return failures.exitCode;
  }
  if (!isOne) await printList(io, getHead(groups), objects, output);
  else if (only !== undefined) await printValue(io, only, output);
  return failures.exitCode;
}

/** The named objects of one model. */
interface Group {
  readonly resource: Resource;
  /** The number of requested objects. */
  readonly asked: number;
  readonly objects: readonly ExtensionObject[];
  /** The errors of missing objects. */
  readonly missing: readonly unknown[];
}

/** @param readOne reads one object; default: all objects of a model together, as they are now */
async function readGroups(
  verbs: Verbs,
  targets: readonly Target[],
  readOne?: (target: Target) => Promise<ExtensionObject>,
): Promise<Group[]> {
  const names = new Map<Resource, string[]>();
  for (const { resource, name } of targets) names.set(resource, [...(names.get(resource) ?? []), name]);
  const groups: Group[] = [];
  for (const [resource, wanted] of names) {
    const read =
      readOne === undefined ? readNow(verbs, resource, wanted) : readEach(resource, wanted, readOne);
    groups.push({ resource, asked: wanted.length, ...(await read) });
  }
  return groups;
}

type Read = Pick<Group, 'objects' | 'missing'>;

async function readNow(verbs: Verbs, resource: Resource, names: readonly string[]): Promise<Read> {
  const found = await verbs.getMany(resource, names);
  const missing = names.filter((_, i) => found[i] === undefined);
  return {
    objects: found.flatMap((object) => object ?? []),
    missing: missing.map((name) => getNotFound(resource, name)),
  };
}

async function readEach(
  resource: Resource,
  names: readonly string[],
  readOne: (target: Target) => Promise<ExtensionObject>,
): Promise<Read> {
  const objects: ExtensionObject[] = [];
  const missing: unknown[] = [];
  for (const name of names) {
    try {
      objects.push(await readOne({ resource, name }));
    } catch (error) {
      missing.push(error);
    }
  }
  return { objects, missing };
}

/** The head of a list response when all are of one model; else Kubernetes' generic list. */
function getHead(groups: readonly Group[]): object {
  const [first, ...others] = groups;
  const total = groups.reduce((sum, { objects }) => sum + objects.length, 0);
  if (first === undefined || others.length > 0) return { apiVersion: 'v1', kind: 'List', metadata: {} };
  const page: Page = pageOf(1, 0, total);
  return {
    apiVersion: getApiVersion(first.resource),
    kind: `${first.resource.kind}List`,
    metadata: {},
    ...page,
  };
}

function getNotFound(resource: Resource, name: string): Error {
  const { plural, group, kind } = resource;
  return notFound(
    `${qualifiedPlural(resource)} "${name}" not found; run "xsvc list ${plural}" to see what exists`,
    {
      group,
      kind,
      name,
    },
  );
}
