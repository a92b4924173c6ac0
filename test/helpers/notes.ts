import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import type { ObjectDraft } from '../../src/model/object.js';
import { Reference } from '../../src/model/references/decorator.js';
import { Schema } from '../../src/model/declare/schema-decorator.js';
import type { ListOptions } from '../../src/query/list-options.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import { keepTexts, type TextLimits } from '../../src/store/text/keep.js';
import type { TestService } from './store.js';

const GROUP = 'notes.example.com';

@GVK({ group: GROUP, version: 'v1', kind: 'Writer', plural: 'writers', singular: 'writer' })
export class Writer extends AbstractExtension {
  static readonly schema = { type: 'object', properties: { spec: { type: 'object' } } };
  declare spec: { team?: string };
}

class NoteSpec {
  @Schema({ type: 'string' })
  title?: string;

  @Schema({ type: 'array', items: { type: 'string' } })
  body?: string[];

  @Schema({ type: 'string' })
  owner?: string;

  @Schema({ type: 'integer' })
  size?: number;

  @Schema({ type: 'string' })
  @Reference({ to: Writer, onDelete: 'clear' })
  writer?: string;
}

@GVK({ group: GROUP, version: 'v1', kind: 'Note', plural: 'notes', singular: 'note' })
export class Note extends AbstractExtension {
  @Schema({ type: NoteSpec })
  spec?: NoteSpec;
}

type NoteContent = { readonly [Field in keyof NoteSpec]: NoteSpec[Field] };
export type Texts = Pick<NoteContent, 'title' | 'body'>;
export type NoteDraft = ObjectDraft & { readonly spec: NoteContent };

export const WRITER: ResourceRef = { group: GROUP, version: 'v1', kind: 'Writer', plural: 'writers' };
export const NOTE: ResourceRef = { group: GROUP, version: 'v1', kind: 'Note', plural: 'notes' };

const noteIndexes: DeclareIndexes = (specs) => {
  specs
    .add(IndexSpecs.text<Note>('search').indexFunc(({ spec }) => [spec?.title, ...(spec?.body ?? [])]))
    .add(IndexSpecs.single<Note, string>('spec.owner', 'string').indexFunc(({ spec }) => spec?.owner))
    .add(IndexSpecs.single<Note, number>('spec.size', 'integer').indexFunc(({ spec }) => spec?.size));
};

const writerIndexes: DeclareIndexes = (specs) => {
  specs.add(IndexSpecs.single<Writer, string>('spec.team', 'string').indexFunc(({ spec }) => spec.team));
};

export async function registerNotes(t: Pick<TestService, 'register'>): Promise<void> {
  await t.register(Writer, writerIndexes);
  await t.register(Note, noteIndexes);
}

export function note(name: string, spec: NoteContent = {}, metadata: object = {}): NoteDraft {
  return { metadata: { name, ...metadata }, spec };
}

/** Makes segments of a few rows, and merges a few segments. */
export async function makeSegments(
  { store }: Pick<TestService, 'store'>,
  limits: TextLimits = { rows: 7, bytes: 2_000, segments: 3 },
): Promise<void> {
  const table = store.findTable(NOTE);
  if (table !== undefined) await keepTexts(store.engine, [table], { limits });
}

/** Names of the objects that a search finds, in order. */
export async function namesOf(
  { service }: TestService,
  search: string,
  more: ListOptions = {},
): Promise<string[]> {
  const { items } = await service.list(NOTE, { search, ...more });
  return items.map(({ metadata }) => metadata.name);
}
