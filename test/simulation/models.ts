import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs, type IndexSpecsBuilder } from '../../src/model/declare/index-spec.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { ResourceRef } from '../../src/service/verbs.js';

interface NoteSpec {
  readonly level: number;
  readonly owner: string;
  /** The write that the object is from. */
  readonly op: string;
}

const schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      properties: { level: { type: 'integer' }, owner: { type: 'string' }, op: { type: 'string' } },
    },
  },
};

@GVK({ group: 'simulation.example.com', version: 'v1', kind: 'Note', plural: 'notes', singular: 'note' })
class Note extends AbstractExtension {
  static readonly schema = schema;
  declare spec: NoteSpec;
}

@GVK({ group: 'simulation.example.com', version: 'v1', kind: 'Card', plural: 'cards', singular: 'card' })
class Card extends AbstractExtension {
  static readonly schema = schema;
  declare spec: NoteSpec;
}

function declareIndexes(specs: IndexSpecsBuilder): void {
  specs
    .add(IndexSpecs.single<Note, number>('spec.level', 'integer').indexFunc((o) => o.spec.level))
    .add(IndexSpecs.single<Note, string>('spec.owner', 'string').indexFunc((o) => o.spec.owner));
}

const registry = new SchemeRegistry();

/** Two models with the same fields. */
export const SCHEMES = [Note, Card].map((model) => registry.register(model, 'simulation', declareIndexes));

export const MODELS: readonly ResourceRef[] = SCHEMES.map(
  ({ resource: { group, version, kind, plural } }) => ({ group, version, kind, plural }),
);
