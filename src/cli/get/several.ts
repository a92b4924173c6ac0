import { ServiceError } from '../../errors.js';
import type { ExtensionObject } from '../../model/object.js';
import { qualifiedPlural, type Resource } from '../../model/resource.js';
import type { ListOptions } from '../../query/list-options.js';
import { LIST_PARAMETERS } from '../../query/list-parameters.js';
import type { Verbs } from '../../service/verbs.js';
import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';
import { listedIn, type Scope } from '../remote/namespaces.js';
import { printList, printRows } from '../output/objects.js';
import { printTemplateOfList } from '../output/template.js';
import type { Failures } from '../results.js';
import { explainUnknown } from '../model/plugins.js';
import { findResources } from '../targets.js';
import { isWhole, type WholeOutput } from './flags.js';
import { MIXED_LIST, qualifiers } from './mixed.js';
import { readWhole, sayNone, type ListingFlags, type WholeList } from './listing.js';

/** The options that make sense only for the objects of one resource. */
const OF_ONE = LIST_PARAMETERS.filter(({ use }) => use === 'page');

/** Flags that are refused for several resources. */
interface SeveralFlags {
  readonly watch?: boolean;
  readonly watchOnly?: boolean;
  readonly explain?: boolean;
  readonly at?: string;
}

/** True when an argument names several resources: `persons,notes`. */
export function namesSeveral(arg = ''): boolean {
  return (arg.split('/', 1)[0] ?? '').includes(',');
}

/** @throws UsageError for names, and for flags that apply to one resource only */
export function checkSeveral(args: readonly string[], options: ListOptions, flags: SeveralFlags): void {
  if (args.length > 1 || args.some((arg) => arg.includes('/')))
    throw new UsageError(
      'names cannot be combined with several resources; name objects as <resource>/<name> <resource>/<name>',
    );
  const given: readonly (readonly [flag: string, isGiven: boolean])[] = [
    ['--watch', flags.watch === true || flags.watchOnly === true],
    ['--explain', flags.explain === true],
    ['--at', flags.at !== undefined],
    ...OF_ONE.map(({ name, flag }) => [flag[0].replace(/ .*/, ''), options[name] !== undefined] as const),
  ];
  const refused = given.find(([, isGiven]) => isGiven);
  if (refused !== undefined)
    throw new UsageError(`${refused[0]} needs one resource, and cannot be used with several`);
}

interface World {
  readonly io: CliIo;
  readonly failures: Failures;
}

/** The objects of one of several resources. */
interface Part extends WholeList {
  readonly resource: Resource;
}

/**
 * Prints the objects of several resources: a table for each, or one list of all. Prints nothing when one of them cannot be listed.
 * @param text the resources, separated by commas
 */
export async function printSeveral(
  verbs: Verbs,
  { text, options, scope }: { readonly text: string; readonly options: ListOptions; readonly scope: Scope },
  flags: ListingFlags,
  { io, failures }: World,
): Promise<void> {
  const { resources, errors } = findResources(await verbs.resources(text), text);
  for (const error of errors) await failures.add(await explainUnknown(error, verbs));
  if (errors.length > 0) return;
  const parts: Part[] = [];
  for (const resource of resources)
    await failures.attempt(async () => {
      const read = readWhole(verbs, { resource, options: { ...options, ...listedIn(scope, resource) } });
      parts.push({ resource, ...(await read.catch((error: unknown) => refuseFor(resource, error))) });
    });
  if (failures.count > 0) return;
  const { output } = flags;
  if (isWhole(output)) await printTogether(parts, output, io);
  else await printTables(parts, { ...flags, output }, io);
}

/** @throws the error, with the resource that it is about */
function refuseFor(resource: Resource, error: unknown): never {
  if (!(error instanceof ServiceError) || error.message.includes(resource.plural)) throw error;
  const message = `${qualifiedPlural(resource)}: ${error.message}`;
  throw new ServiceError(error.code, message, error.details, { cause: error });
}

async function printTogether(parts: readonly Part[], output: WholeOutput, io: CliIo): Promise<void> {
  const objects = allOf(parts);
  if (typeof output === 'object') await printTemplateOfList(io, output.template, MIXED_LIST, objects);
  else await printList(io, MIXED_LIST, objects, output);
}

async function* allOf(parts: readonly Part[]): AsyncGenerator<ExtensionObject> {
  for (const { objects } of parts) yield* objects;
}

async function printTables(
  parts: readonly Part[],
  flags: ListingFlags & Parameters<typeof printRows>[3],
  io: CliIo,
): Promise<void> {
  const labels = qualifiers(parts.map(({ resource }) => resource));
  let isFirst = true;
  for (const { resource, first, objects } of parts) {
    if (first.items.length === 0) {
      sayNone(io, resource, flags);
      continue;
    }
    if (!isFirst && flags.output !== 'name') io.stdout.write('\n');
    isFirst = false;
    await printRows(io, resource, objects, { ...flags, qualifier: labels.get(resource) });
  }
}
