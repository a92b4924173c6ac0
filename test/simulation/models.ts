import type { Json } from '../../src/model/object.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs, type IndexSpecsBuilder } from '../../src/model/declare/index-spec.js';
import type { Scheme } from '../../src/model/declare/scheme.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { ResourceRef } from '../../src/service/verbs.js';

interface NoteSpec {
  readonly level: number;
  readonly owner: string;
  /** The write that the object is from. */
  readonly op: string;
  /** No two objects have the same. */
  readonly slot?: string;
}

const GROUP = 'simulation.example.com';
const text = { type: 'string' };

function schemaWith(
  fields: Readonly<Record<string, Json>>,
  status: Readonly<Record<string, Json>> = {},
): Json {
  const properties = { level: { type: 'integer' }, owner: text, op: text, ...fields };
  return {
    type: 'object',
    required: ['spec'],
    properties: { spec: { type: 'object', properties }, ...status },
  };
}

function toNote(onDelete: string): Json {
  return { ...text, 'x-xsvc-reference': { group: GROUP, kind: 'Note', onDelete } };
}

@GVK({ group: GROUP, version: 'v1', kind: 'Note', plural: 'notes', singular: 'note' })
class Note extends AbstractExtension {
  static readonly schema = schemaWith({ slot: text });
  declare spec: NoteSpec;
}

/** What the controller has written. */
export interface CardStatus {
  /** That of the spec. */
  readonly level: number;
  /** Of the leader that wrote it. */
  readonly token: number;
}

/** The fields of a card that name a note. */
export const REFERENCES = ['note', 'keeper', 'link'] as const;

@GVK({ group: GROUP, version: 'v1', kind: 'Card', plural: 'cards', singular: 'card' })
export class Card extends AbstractExtension {
  static readonly schema = schemaWith(
    { note: toNote('cascade'), keeper: toNote('restrict'), link: toNote('clear') },
    { status: { type: 'object', properties: { level: { type: 'integer' }, token: { type: 'integer' } } } },
  );
  declare spec: NoteSpec;
  declare status?: CardStatus;
}

function declareIndexes(specs: IndexSpecsBuilder): void {
  specs
    .add(IndexSpecs.single<Note, number>('spec.level', 'integer').indexFunc((o) => o.spec.level))
    .add(IndexSpecs.single<Note, string>('spec.owner', 'string').indexFunc((o) => o.spec.owner))
    .add(
      IndexSpecs.single<Note, string>('spec.slot', 'string')
        .unique()
        .indexFunc((o) => o.spec.slot),
    );
}

export const registry = new SchemeRegistry();

function register(model: typeof Note | typeof Card): Scheme {
  return registry.register(model, 'simulation', declareIndexes);
}

/** Notes, and cards that refer to them. */
export const SCHEMES: readonly [Scheme, Scheme] = [register(Note), register(Card)];

function toRef({ resource: { group, version, kind, plural } }: Scheme): ResourceRef {
  return { group, version, kind, plural };
}

export const MODELS: readonly [ResourceRef, ResourceRef] = [toRef(SCHEMES[0]), toRef(SCHEMES[1])];

/** True when a model's objects refer to notes. */
export function hasReferences({ kind }: ResourceRef): boolean {
  return kind === 'Card';
}
