import type { ExtensionObject, Metadata } from '../model/object.js';
import { contributedValues, type Table } from './table.js';

/** An object as JSON, but for the revision that its commit gives it. */
export interface ObjectText {
  readonly metadata: Metadata;
  /** What stands before the metadata. */
  readonly before: string;
  /** What stands behind the metadata. */
  readonly after: string;
}

/** An object with all that can be done before the commit that stores it. */
export interface ReadyObject extends ObjectText {
  readonly table: Table;
  /** What it contributes to each index, by the index's id. @param revision that of the commit */
  readonly values: (revision: string) => IndexValues;
}

/** Encoded values, ascending, each once, by the id of their index. */
export type IndexValues = ReadonlyMap<number, readonly Buffer[]>;

export function objectText({ apiVersion, kind, metadata, ...rest }: ExtensionObject): ObjectText {
  const head = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},"metadata":`;
  const tail = JSON.stringify(rest);
  return { metadata, before: head, after: tail === '{}' ? '}' : `,${tail.slice(1)}` };
}

/** The whole of it. */
export function jsonOf({ metadata, before, after }: ObjectText, revision: string): string {
  return before + JSON.stringify({ ...metadata, resourceVersion: revision }) + after;
}

/** Less than the object takes, in bytes. */
export function leastBytes({ before, after }: ObjectText): number {
  return before.length + after.length;
}

/**
 * @throws ServiceError `ServiceUnavailable` when nothing can be written now, `Invalid` when an index function fails
 */
export function readyObject(table: Table, object: ExtensionObject): ReadyObject {
  const problem = table.problem();
  if (problem !== undefined) throw problem;
  return { table, ...objectText(object), values: valuesOf(table, object) };
}

/** Index functions that look at the revision are asked again in the commit, and only then the object is kept. */
function valuesOf(table: Table, object: ExtensionObject): ReadyObject['values'] {
  const seen = { revision: false };
  const metadata = Object.defineProperty({ ...object.metadata }, 'resourceVersion', {
    enumerable: true,
    get: () => {
      seen.revision = true;
      return object.metadata.resourceVersion;
    },
  });
  const values = indexValues(table, { ...object, metadata });
  if (!seen.revision) return () => values;
  return (resourceVersion) =>
    indexValues(table, { ...object, metadata: { ...object.metadata, resourceVersion } });
}

function indexValues({ indexes }: Table, object: ExtensionObject): IndexValues {
  return new Map(
    indexes.map(({ id, declared }) => [
      id,
      declared === undefined ? [] : contributedValues(declared, object),
    ]),
  );
}
