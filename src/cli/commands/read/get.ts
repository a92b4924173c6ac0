import { badRequest } from '../../../errors.js';
import type { ExtensionObject } from '../../../model/object.js';
import type { Resource } from '../../../model/resource.js';
import { pickOptions, type GetOptions, type ListOptions } from '../../../query/list-options.js';
import { LIST_PARAMETERS, SELECTORS } from '../../../query/list-parameters.js';
import type { Verbs } from '../../../service/verbs.js';
import { UsageError } from '../../exit.js';
import { isWhole } from '../../get/flags.js';
import { printListing, printPlan } from '../../get/listing.js';
import { getNotFound, ignoringMissing, printNamed, readGroups } from '../../get/named.js';
import { checkSeveral, namesSeveral, printSeveral } from '../../get/several.js';
import { readManifests } from '../../input/manifests.js';
import type { CliIo } from '../../io.js';
import { findScope, listedIn, type Scope } from '../../remote/namespaces.js';
import { readOutput, type OutputChoice } from '../../output/format.js';
import { getAtMoment, MOMENT, type Moment } from '../../../service/read/moment.js';
import { readMoment } from '../../past/moment.js';
import { Failures } from '../../results.js';
import { openForReading, withVerbs } from '../../session.js';
import { readTargets, type Target } from '../../targets.js';
import { LIST, WATCH } from './list-flags.js';
import { command } from '../../command.js';
import { text, toggle, type CommandFlags } from '../../flags.js';
import { INPUT, SEVERAL_RESOURCES } from '../shared.js';

/** The flags with `-o` parsed. */
type ReadFlags = Omit<GetFlags, 'output'> & { readonly output: OutputChoice };

const FLAGS = {
  ...LIST,
  watch: toggle('after the list, print changes until interrupted', { short: '-w' }),
  ...WATCH,
  ...INPUT,
  ignoreNotFound: toggle('do not fail for missing objects; print nothing for them'),
  at: text('<moment>', `print named objects in an earlier state: at ${MOMENT}`),
};
export type GetFlags = CommandFlags<typeof FLAGS>;

export const define = command({
  args: { '[resource]': SEVERAL_RESOURCES, '[names...]': 'names of objects' },
  flags: FLAGS,
  examples: [
    'xsvc get persons',
    'xsvc get person ada -o yaml',
    'xsvc get persons/ada packages/vim',
    'xsvc get persons,packages -l demo.example.com/team=blue',
    'xsvc get -f person.yaml -o yaml',
    'xsvc get person ada --ignore-not-found -o name',
    'xsvc get person ada --at 1h -o yaml',
    'xsvc get persons -l demo.example.com/team=blue --watch',
    `xsvc get persons -o jsonpath='{range .items[*]}{.metadata.name}{"\\n"}{end}'`,
    'xsvc get persons -o custom-columns=NAME:.metadata.name,CITY:.spec.address.city',
    'xsvc get persons --sort spec.age --size 20 --explain',
    "xsvc get persons -l demo.example.com/team=blue --field-selector 'spec.age in (30,31)' --sort spec.age,desc --size 20",
    "xsvc get persons --aggregate 'count,avg(spec.age)' --group-by spec.gender --size 1",
    'xsvc get persons --facets spec.gender,spec.tags --facet-limit 5 --size 10',
    "xsvc get articles --expand 'spec.writer,spec.answers->spec.writer' -o yaml",
  ],
  run: get,
});

/** Prints one object, several, or a list. */
export async function get(given: GetFlags, io: CliIo, args: readonly string[]): Promise<number> {
  const options = listOptions(given);
  const flags = { ...given, output: await readOutput(given.output, io) };
  const at = given.at === undefined ? undefined : readMoment('--at', given.at, Date.now());
  const isWatch = flags.watch === true || flags.watchOnly === true;
  if (flags.filename !== undefined) checkFiles(args, options, flags);
  else if (args.length === 0)
    throw new UsageError('get needs a resource, such as persons, or -f with a file');
  if (namesSeveral(args[0])) checkSeveral(args, options, flags);
  if (isWatch && at !== undefined) throw new UsageError('--at cannot be combined with --watch');
  if (at !== undefined && options.expand !== undefined)
    throw new UsageError('--at cannot be combined with --expand: references lead to the present objects');
  if (isWatch && flags.ignoreNotFound === true)
    throw new UsageError('--ignore-not-found cannot be combined with --watch');
  if (isWatch) return watch(args, flags, options, io);
  checkListing(args, options, flags);
  const scope = await findScope(flags, io);
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const failures = new Failures(io, flags);
    const [text = ''] = args;
    if (namesSeveral(text)) {
      await printSeveral(verbs, { text, options, scope }, flags, { io, failures });
      return failures.exitCode;
    }
    const { resource, names } = await selectNamed(verbs, args, { ...flags, scope }, { io, failures });
    if (at !== undefined && names.length === 0 && failures.count === 0)
      throw new UsageError('--at needs names of objects');
    if (names.length > 0) {
      const groups = await readGroups(verbs, names, singleReader(verbs, at, options));
      const wanted = flags.ignoreNotFound === true ? ignoringMissing(groups) : groups;
      await printNamed(wanted, flags, { io, failures });
    } else if (resource !== undefined) {
      const print = flags.explain === true ? printPlan : printListing;
      await print(verbs, { resource, options: { ...options, ...listedIn(scope, resource) } }, flags, io);
    }
    return failures.exitCode;
  });
}

/** Reads objects one by one; undefined when they can be read together. */
function singleReader(
  verbs: Verbs,
  at: Moment | undefined,
  { expand }: GetOptions,
): ((target: Target) => Promise<ExtensionObject>) | undefined {
  if (at !== undefined) return (target) => getAtMoment(verbs, target, at);
  return expand === undefined ? undefined : ({ resource, name }) => verbs.get(resource, name, { expand });
}

/** The objects of a command line or of files; the resource alone for a list. */
async function selectNamed(
  verbs: Verbs,
  args: readonly string[],
  {
    filename,
    recursive = false,
    scope,
  }: Pick<GetFlags, 'filename' | 'recursive'> & { readonly scope: Scope },
  { io, failures }: { readonly io: CliIo; readonly failures: Failures },
): Promise<{ readonly resource?: Resource; readonly names: readonly Target[] }> {
  if (filename === undefined) return readTargets(await verbs.resources(args[0]), args, scope);
  const options = { resources: await verbs.resources(), scope };
  const { manifests, problems } = await readManifests(io, { filename, recursive }, options);
  for (const problem of problems) await failures.add(problem);
  if (manifests.length === 0 && problems.length === 0) throw badRequest('the files contain no manifest');
  return { names: manifests };
}

/** @throws UsageError for flags that do not apply to the objects of files */
function checkFiles(args: readonly string[], options: ListOptions, flags: ReadFlags): void {
  if (args.length > 0 || hasListing(options) || flags.explain === true)
    throw new UsageError(
      '-f cannot be combined with resources, names, selectors, --search, --sort, --page, --size, --limit, --facets, --aggregate and --explain',
    );
  if (flags.watch === true || flags.watchOnly === true)
    throw new UsageError('-f cannot be combined with --watch; watch a resource or one object');
}

/** True for options that named objects do not have. */
function hasListing({ expand: _expand, ...options }: ListOptions): boolean {
  return Object.keys(options).length > 0;
}

/** @throws UsageError for flags that do not apply to the named objects, or to the output format */
function checkListing(args: readonly string[], options: ListOptions, flags: ReadFlags): void {
  const isNamed = args.length > 1 || (args[0] ?? '').includes('/');
  if (isNamed && (hasListing(options) || flags.explain === true)) {
    throw new UsageError(
      'names cannot be combined with selectors, --search, --sort, --page, --size, --limit, --facets, --aggregate and --explain',
    );
  }
  if (options.expand !== undefined && !isWhole(flags.output))
    throw new UsageError('--expand needs -o json or yaml: other output formats do not print other objects');
  if (flags.facets !== undefined && flags.output === 'name')
    throw new UsageError('-o name does not print facets; use another output format');
  if (flags.aggregates !== undefined && flags.output === 'name')
    throw new UsageError('-o name does not print groups; use another output format');
  const isTable = typeof flags.output === 'object' && 'columns' in flags.output;
  if (flags.explain === true && (flags.output === 'name' || isTable)) {
    throw new UsageError('--explain supports only -o json, yaml and jsonpath=, or no -o');
  }
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
      '--watch cannot be combined with --search, --sort, --page, --size, --limit, --facets, --aggregate, --expand and --explain',
    );
  }
  const scope = await findScope(flags, io);
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const { resource, names } = readTargets(await verbs.resources(args[0]), args, scope);
    const [only, ...more] = names;
    if (more.length > 0) throw new UsageError('--watch takes one name, or none for all objects');
    if (only !== undefined) {
      const [found] = await verbs.getMany(resource, [only.name]);
      if (found === undefined) throw getNotFound(resource, only.name);
    }
    const { follow } = await import('../../follow.js');
    const chosen = only === undefined ? listedIn(scope, resource) : { name: only.name };
    await follow(verbs, { resource, options: { ...selectors, ...chosen } }, flags, io);
    return 0;
  });
}

function listOptions(flags: Omit<GetFlags, 'output'>): ListOptions {
  const {
    sortBy,
    page,
    size,
    limit,
    continue: token,
    facets,
    facetLimit,
    aggregates,
    groupBy,
    groupLimit,
  } = flags;
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
  if (groupBy !== undefined && aggregates === undefined)
    throw new UsageError('--group-by needs --aggregate, such as --aggregate count');
  if (groupLimit !== undefined && groupBy === undefined)
    throw new UsageError('--group-limit needs --group-by');
  return pickOptions(flags, LIST_PARAMETERS);
}
