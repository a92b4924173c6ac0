import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import type { TestService } from './store.js';

const GROUP = 'notes.example.com';
const text = { type: 'string' };

@GVK({ group: GROUP, version: 'v1', kind: 'Folder', plural: 'folders', singular: 'folder' })
export class Folder extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { owner: text, code: text } } },
  };

  declare spec?: { readonly owner?: string; readonly code?: string };
}

/** Has an owner, a team, and fields that rules hide. */
@GVK({ group: GROUP, version: 'v1', kind: 'Memo', plural: 'memos', singular: 'memo' })
export class Memo extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          owner: text,
          team: text,
          title: text,
          state: { ...text, default: 'draft' },
          number: text,
          salary: text,
          editors: { type: 'array', items: text },
          folder: { ...text, 'x-xsvc-reference': { group: GROUP, kind: 'Folder' } },
          nested: { type: 'object', properties: { open: text, closed: text } },
          parts: {
            type: 'array',
            items: { type: 'object', properties: { open: text, closed: text } },
          },
        },
      },
      status: { type: 'object', properties: { detail: text } },
    },
  };

  declare spec?: {
    readonly owner?: string;
    readonly team?: string;
    readonly title?: string;
    readonly state?: string;
    readonly salary?: string;
    readonly number?: string;
    readonly editors?: readonly string[];
  };
}

export const MEMO: ResourceRef = { group: GROUP, version: 'v1', kind: 'Memo', plural: 'memos' };
export const FOLDER: ResourceRef = { group: GROUP, version: 'v1', kind: 'Folder', plural: 'folders' };
export const MEMOS = `/apis/${GROUP}/v1/memos`;
export const FOLDERS = `/apis/${GROUP}/v1/folders`;

const FIELDS = ['owner', 'team', 'title', 'state', 'salary'] as const;

const declareMemoIndexes: DeclareIndexes = (indexes) => {
  for (const field of FIELDS)
    indexes.add(
      IndexSpecs.single<Memo, string>(`spec.${field}`, 'string').indexFunc((memo) => memo.spec?.[field]),
    );
  indexes.add(
    IndexSpecs.multi<Memo, string>('spec.editors', 'string').indexFunc((memo) => memo.spec?.editors),
  );
  indexes.add(
    IndexSpecs.single<Memo, string>('spec.number', 'string')
      .unique()
      .indexFunc((memo) => memo.spec?.number),
  );
  indexes.add(IndexSpecs.text<Memo>('search').indexFunc((memo) => [memo.spec?.title, memo.spec?.salary]));
};

const declareFolderIndexes: DeclareIndexes = (indexes) => {
  for (const field of ['owner', 'code'] as const)
    indexes.add(
      IndexSpecs.single<Folder, string>(`spec.${field}`, 'string').indexFunc(
        (folder) => folder.spec?.[field],
      ),
    );
};

export async function registerNotes({ register }: Pick<TestService, 'register'>): Promise<void> {
  await register(Folder, declareFolderIndexes);
  await register(Memo, declareMemoIndexes);
}

/** A rule about memos. */
export function memoRule(
  verbs: readonly string[],
  limits: object = {},
  resources = ['memos'],
): {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
} {
  return { apiGroups: [GROUP], resources, verbs, ...limits };
}
