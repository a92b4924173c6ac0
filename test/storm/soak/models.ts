/** The models of the plugin `soak`, and what the checker reads of their objects. */
export const KINDS = ['Entry', 'Account', 'Vault'] as const;
export type Kind = (typeof KINDS)[number];

const API_VERSION = 'soak.example.com/v1';
const PLURALS: Readonly<Record<Kind, string>> = { Entry: 'entries', Account: 'accounts', Vault: 'vaults' };
const SHELF_LABEL = 'soak.example.com/shelf';

export const BATCHES = '/apis/api.platform.run/v1alpha1/batches';

export function pathOf(kind: Kind, name?: string): string {
  const path = `/apis/${API_VERSION}/${PLURALS[kind]}`;
  return name === undefined ? path : `${path}/${name}`;
}

/** The same objects twice: found by the index of the field, and by the label. */
export const SHELF_SELECTORS = {
  index: (shelf: string) => `fieldSelector=spec.shelf%3D${shelf}`,
  label: (shelf: string) => `labelSelector=${encodeURIComponent(SHELF_LABEL)}%3D${shelf}`,
} as const;

/** Content of a write. Each write has a unique mark, by which it is found in the log. */
export interface Content {
  readonly mark: string;
  readonly shelf: string;
  readonly amount?: number;
}

export function bodyOf(kind: Kind, name: string, content: Content, revision?: number): object {
  const labels = { [SHELF_LABEL]: content.shelf };
  const lock = revision === undefined ? {} : { resourceVersion: String(revision) };
  return { apiVersion: API_VERSION, kind, metadata: { name, labels, ...lock }, spec: content };
}

export function patchOf(content: Content): object {
  return { metadata: { labels: { [SHELF_LABEL]: content.shelf } }, spec: content };
}

export function deletionOf(kind: Kind, name: string): object {
  return { verb: 'delete', apiVersion: API_VERSION, kind, name };
}

/** An object as an answer shows it. */
export interface StoredObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: Content;
  readonly status?: { readonly mark?: string };
}

export interface StoredList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly StoredObject[];
}

export function revisionOf({
  metadata,
}: {
  readonly metadata: { readonly resourceVersion: string };
}): number {
  return Number(metadata.resourceVersion);
}
