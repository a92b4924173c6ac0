import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import { pageOf, type ListOptions } from '../../query/list-options.js';
import type { ListPage, Verbs } from '../../service/verbs.js';
import { objectsFrom, PART_OBJECTS } from '../each-object.js';
import type { CliIo } from '../io.js';
import { printExplanation } from '../output/explanation.js';
import { printFacets, printGroups } from '../output/facets.js';
import { printList, printRows, printValue } from '../output/objects.js';
import { printTemplate, printTemplateOfList } from '../output/template.js';
import { isWhole, type PrintFlags } from './flags.js';

export interface Listing {
  readonly resource: Resource;
  readonly options: ListOptions;
}

export interface ListingFlags extends PrintFlags {
  readonly ignoreNotFound?: boolean;
}

export async function printPlan(
  verbs: Verbs,
  { resource, options }: Listing,
  { output }: PrintFlags,
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

export async function printListing(
  verbs: Verbs,
  listing: Listing,
  flags: ListingFlags,
  io: CliIo,
): Promise<void> {
  const { resource, options } = listing;
  const { output } = flags;
  if (isWhole(output) && options.expand !== undefined) {
    // Included objects are of one moment, so the list is not read in parts.
    const page = await verbs.list(resource, options);
    if (typeof output === 'object') printTemplate(io, output.template, page);
    else await printValue(io, page, output);
    return;
  }
  if (isWhole(output)) {
    const { head, objects } = await readList(verbs, listing);
    if (typeof output === 'object') await printTemplateOfList(io, output.template, head, objects);
    else await printList(io, head, objects, output);
    return;
  }
  if (isPart(options)) {
    const part = await verbs.list(resource, options);
    await printRows(io, resource, part.items, { ...flags, output });
    await printFacets(io, part.facets, flags);
    await printGroups(io, part.groups, flags);
    if (part.total === 0) sayNone(io, resource, flags);
    else io.stderr.line(getPlace(part, options));
    return;
  }
  const { first, objects } = await readWhole(verbs, listing);
  const count = await printRows(io, resource, objects, { ...flags, output });
  await printFacets(io, first.facets, flags);
  await printGroups(io, first.groups, flags);
  if (count === 0) sayNone(io, resource, flags);
}

/** Reports on stderr that a list has no objects. */
export function sayNone(io: CliIo, { plural }: Resource, { ignoreNotFound = false }: ListingFlags): void {
  if (!ignoreNotFound) io.stderr.line(`no ${plural} found`);
}

/** All objects of a list, whose first part has been read. */
export interface WholeList {
  readonly first: ListPage;
  readonly objects: AsyncIterable<ExtensionObject>;
}

/** Reads the first part of a list; the others are read while its objects are printed. */
export async function readWhole(verbs: Verbs, { resource, options }: Listing): Promise<WholeList> {
  const inParts = withoutPaging(options);
  const first = await verbs.list(resource, inParts);
  return { first, objects: objectsFrom(verbs, resource, inParts, first) };
}

/**
 * A list's members without `items`, and its objects, read while they are printed. The head of a long list is from its first part:
 * writes in between may change the number of objects.
 */
async function readList(
  verbs: Verbs,
  listing: Listing,
): Promise<{ head: object; objects: AsyncIterable<ExtensionObject> | Iterable<ExtensionObject> }> {
  if (isPart(listing.options)) {
    const { items, ...head } = await verbs.list(listing.resource, listing.options);
    return { head, objects: items };
  }
  const { first, objects } = await readWhole(verbs, listing);
  return { head: headOfWhole(first), objects };
}

/** True when only a part of the matches is requested; 0 means all, and so does the first page without a size. */
function isPart({ page = 1, size = 0, limit = 0 }: ListOptions): boolean {
  return page > 1 || size > 0 || limit > 0;
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
function headOfWhole({ apiVersion, kind, metadata, total, facets, groups, groupsTotal }: ListPage): object {
  return {
    apiVersion,
    kind,
    metadata: { resourceVersion: metadata.resourceVersion },
    ...pageOf(1, 0, total),
    ...(facets && { facets }),
    ...(groups && { groups, groupsTotal }),
  };
}
