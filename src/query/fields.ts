import { badRequest, formatExcerpt } from '../errors.js';
import type { IndexDeclaration, Resource } from '../model/resource.js';

/**
 * Position of the full name. It is the order of the objects themselves, not a declared index. In a cluster-scoped model it
 * is `metadata.name`; a namespaced model has indexes of `metadata.name` and `metadata.namespace`.
 */
export const NAME = -1;
/** The built-in index with an entry `key=value` for each label. */
export const LABELS = 'metadata.labels';
/** Deepest accepted nesting of conditions; limits recursion. */
export const CONDITION_DEPTH_MAX = 500;

export const NAME_INDEX: IndexDeclaration = {
  name: 'metadata.name',
  keyType: 'string',
  multi: false,
  unique: true,
  order: 'ASC',
  sparse: false,
};

/** True for the index that `search` reads; it is not a field. */
export function isTextIndex({ keyType }: IndexDeclaration): boolean {
  return keyType === 'text';
}

/** A field of a condition or a sort, found among the indexes of a model. */
export interface QueryField {
  /** Position in `resource.indexes`, or {@link NAME}. */
  readonly index: number;
  readonly declaration: IndexDeclaration;
}

/**
 * Finds the index that a field names; `name` is short for `metadata.name`.
 * @throws ServiceError `BadRequest` when no index has that name; the message lists the indexed fields. Also for the text
 * index, which `search` reads.
 */
export function getField(resource: Resource, field: string): QueryField {
  const name = field === 'name' ? NAME_INDEX.name : field;
  const index = resource.indexes.findIndex((declared) => declared.name === name);
  const declaration = resource.indexes[index];
  if (declaration !== undefined && isTextIndex(declaration))
    throw badRequest(
      `"${formatExcerpt(field)}" is a text index, and not a field; use search to find its words`,
    );
  if (declaration !== undefined) return { index, declaration };
  if (name === NAME_INDEX.name) return { index: NAME, declaration: NAME_INDEX };
  const known = indexedFields(resource).join(', ');
  throw badRequest(`field "${formatExcerpt(field)}" is not indexed; indexed fields: ${known}`);
}

/** Names that a selector can use: `metadata.name` first, then the others as declared. */
export function indexedFields(resource: Resource): readonly string[] {
  const names = resource.indexes.filter((declared) => !isTextIndex(declared)).map(({ name }) => name);
  return [NAME_INDEX.name, ...names.filter((name) => name !== NAME_INDEX.name)];
}
