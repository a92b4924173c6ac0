import { hasCode, notFound } from '../../errors.js';
import type { ExtensionObject } from '../../model/object.js';
import { getApiVersion, qualifiedPlural, type Resource } from '../../model/resource.js';
import { pageOf } from '../../query/list-options.js';
import type { Verbs } from '../../service/verbs.js';
import type { CliIo } from '../io.js';
import { shownName } from '../remote/namespaces.js';
import { printList, printRows, printValue } from '../output/objects.js';
import { printTemplate, printTemplateOfList } from '../output/template.js';
import type { Failures } from '../results.js';
import type { Target } from '../targets.js';
import { isWhole, type PrintFlags, type WholeOutput } from './flags.js';
import { MIXED_LIST, qualifiers } from './mixed.js';

/** The named objects of one model. */
export interface Group {
  readonly resource: Resource;
  /** The number of requested objects. */
  readonly asked: number;
  readonly objects: readonly ExtensionObject[];
  /** The errors of objects that could not be read. */
  readonly errors: readonly unknown[];
}

/** @param readOne reads one object; default: all objects of a model together, as they are now */
export async function readGroups(
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

/** The groups without errors of missing objects. */
export function ignoringMissing(groups: readonly Group[]): readonly Group[] {
  return groups.map((group) => ({
    ...group,
    errors: group.errors.filter((error) => !hasCode(error, 'NotFound')),
  }));
}

/**
 * Prints named objects, after the errors of those that could not be read.
 * @param failures collects these errors
 */
export async function printNamed(
  groups: readonly Group[],
  flags: PrintFlags,
  { io, failures }: { readonly io: CliIo; readonly failures: Failures },
): Promise<void> {
  for (const { errors } of groups) for (const error of errors) await failures.add(error);
  const { output } = flags;
  if (isWhole(output)) {
    await printWhole(groups, output, { io, failures });
    return;
  }
  const full = groups.filter(({ objects }) => objects.length > 0);
  const labels = qualifiers(groups.map(({ resource }) => resource));
  for (const [i, { resource, objects }] of full.entries()) {
    if (i > 0 && output !== 'name') io.stdout.write('\n');
    await printRows(io, resource, objects, { ...flags, output, qualifier: labels.get(resource) });
  }
}

async function printWhole(
  groups: readonly Group[],
  output: WholeOutput,
  { io, failures }: { readonly io: CliIo; readonly failures: Failures },
): Promise<void> {
  const objects = groups.flatMap((group) => group.objects);
  const isOne = groups.reduce((sum, { asked }) => sum + asked, 0) === 1;
  const [only] = objects;
  if (only === undefined && (isOne || failures.count === 0)) return;
  if (typeof output === 'object') {
    if (isOne) printTemplate(io, output.template, only);
    else await printTemplateOfList(io, output.template, getHead(groups), objects);
    return;
  }
  if (isOne) await printValue(io, only, output);
  else await printList(io, getHead(groups), objects, output);
}

type Read = Pick<Group, 'objects' | 'errors'>;

async function readNow(verbs: Verbs, resource: Resource, names: readonly string[]): Promise<Read> {
  const found = await verbs.getMany(resource, names);
  const missing = names.filter((_, i) => found[i] === undefined);
  return {
    objects: found.flatMap((object) => object ?? []),
    errors: missing.map((name) => getNotFound(resource, name)),
  };
}

async function readEach(
  resource: Resource,
  names: readonly string[],
  readOne: (target: Target) => Promise<ExtensionObject>,
): Promise<Read> {
  const objects: ExtensionObject[] = [];
  const errors: unknown[] = [];
  for (const name of names) {
    try {
      objects.push(await readOne({ resource, name }));
    } catch (error) {
      errors.push(error);
    }
  }
  return { objects, errors };
}

/** The head of a list response when all are of one model; else Kubernetes' generic list. */
function getHead(groups: readonly Group[]): object {
  const [first, ...others] = groups;
  if (first === undefined || others.length > 0) return MIXED_LIST;
  const { resource, objects } = first;
  return {
    apiVersion: getApiVersion(resource),
    kind: `${resource.kind}List`,
    metadata: {},
    ...pageOf(1, 0, objects.length),
  };
}

/** The error for an object that does not exist. */
export function getNotFound(resource: Resource, full: string): Error {
  const name = shownName(full);
  const { plural, group, kind } = resource;
  const hint = `run "xsvc list ${plural}" to see what exists`;
  return notFound(`${qualifiedPlural(resource)} "${name}" not found; ${hint}`, { group, kind, name });
}
