import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import type { ObjectDraft } from '../../src/model/object.js';
import { Reference } from '../../src/model/references/decorator.js';
import { Schema } from '../../src/model/declare/schema-decorator.js';
import type { ResourceRef } from '../../src/service/verbs.js';

const GROUP = 'library.example.com';

@GVK({ group: GROUP, version: 'v1', kind: 'Author', plural: 'authors', singular: 'author' })
export class Author extends AbstractExtension {
  static readonly schema = { type: 'object', properties: { spec: { type: 'object' } } };
}

class BookSpec {
  /** Keeps its author. */
  @Reference({ to: Author })
  author?: string;

  /** Goes with its series. */
  @Reference({ to: () => Author, onDelete: 'cascade' })
  owner?: string;

  @Schema({ type: 'string', description: 'Who reads it again' })
  @Reference({ to: { group: GROUP, kind: 'Author' }, onDelete: 'clear' })
  editor?: string;

  @Reference({ to: Author, onDelete: 'clear' })
  @Schema({ type: 'array', items: { type: 'string' } })
  readers?: string[];

  @Reference({ to: () => Book, onDelete: 'cascade' })
  sequelOf?: string;

  @Schema({ type: 'integer', minimum: 1 })
  pages?: number;
}

@GVK({ group: GROUP, version: 'v1', kind: 'Book', plural: 'books', singular: 'book' })
export class Book extends AbstractExtension {
  @Schema({ type: BookSpec })
  spec?: BookSpec;
}

/** Declared as data, with references in the items of a list. */
@GVK({ group: GROUP, version: 'v1', kind: 'Shelf', plural: 'shelves', singular: 'shelf' })
export class Shelf extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          books: {
            type: 'array',
            items: { type: 'string' },
            'x-xsvc-reference': { group: GROUP, kind: 'Book', onDelete: 'restrict' },
          },
          rows: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                first: {
                  type: 'string',
                  'x-xsvc-reference': { group: GROUP, kind: 'Book', onDelete: 'clear' },
                },
              },
            },
          },
        },
      },
    },
  };
}

export const AUTHOR: ResourceRef = { group: GROUP, version: 'v1', kind: 'Author', plural: 'authors' };
export const BOOK: ResourceRef = { group: GROUP, version: 'v1', kind: 'Book', plural: 'books' };
export const SHELF: ResourceRef = { group: GROUP, version: 'v1', kind: 'Shelf', plural: 'shelves' };

/** Registers referring models first, so that their targets are known by name alone. */
export async function registerLibrary(door: { register(model: ModelClass): Promise<void> }): Promise<void> {
  for (const model of [Shelf, Book, Author]) await door.register(model);
}

export function named(name: string, spec: object = {}, metadata: object = {}): ObjectDraft {
  return { metadata: { name, ...metadata }, spec };
}
