import type { IndexDeclaration, KeyType, Resource } from '../../src/model/resource.js';

function index(name: string, keyType: KeyType, more: Partial<IndexDeclaration> = {}): IndexDeclaration {
  return { name, keyType, multi: false, unique: false, order: 'ASC', sparse: false, ...more };
}

/** A model with an index of each kind. */
export const PERSON: Resource = {
  group: 'example.com',
  version: 'v1',
  storageVersion: 'v1',
  kind: 'Person',
  plural: 'persons',
  singular: 'person',
  shortNames: [],
  categories: [],
  columns: [],
  schema: {},
  indexes: [
    index('metadata.labels', 'string', { multi: true, sparse: true }),
    index('metadata.creationTimestamp', 'instant'),
    index('metadata.deletionTimestamp', 'instant', { sparse: true }),
    index('spec.owner', 'string'),
    index('spec.title', 'string', { ignoreCase: true }),
    index('spec.age', 'integer', { order: 'DESC' }),
    index('spec.tags', 'string', { multi: true }),
    index('spec.active', 'boolean'),
    index('spec.serial', 'long'),
  ],
};

/** Position of an index of {@link PERSON}. */
export function at(name: string): number {
  return PERSON.indexes.findIndex((declared) => declared.name === name);
}
