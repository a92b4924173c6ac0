import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Format } from './media.js';

const SUFFIX: Readonly<Record<Format, string>> = { json: '', yaml: '-yaml' };
const HASH_LENGTH = 16;

/**
 * The tag of an object as it is sent. Each format has its own, because its bytes differ (RFC 9110, section 8.8.3).
 * @param further what changes when the answer does while the object stays the same: the answer as JSON in a version other than
 * the stored one, or with included objects; or the state of the defaults that it is shown with
 */
export function objectTag(revision: number | string, format: Format, further?: Buffer): string {
  const version = further === undefined ? '' : `-version-${hashBody(further)}`;
  return `"${revision}${version}${SUFFIX[format]}"`;
}

/** The tag of an object that is sent as a row: ages in the row change while the object stays the same. */
export function rowTag(revision: number, body: Buffer): string {
  return `"${revision}-table-${hashBody(body)}"`;
}

/**
 * The tag of a list with included objects.
 * @param state differs whenever the list without them may differ
 */
export function listTag(state: string, included: Buffer, format: Format): string {
  return `"list-${hashBody(Buffer.from(state), included)}${SUFFIX[format]}"`;
}

function hashBody(...parts: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url').slice(0, HASH_LENGTH);
}

/**
 * The revision in a tag, for any format of the object. A weak or foreign tag is returned unchanged, and matches no
 * revision.
 */
export function revisionOfTag(tag: string): string {
  return /^"(\d+)(?:-yaml|-(?:table|version)-[\w-]+)?"$/.exec(tag)?.[1] ?? tag;
}

/** True when the `If-None-Match` of a request names the tag (RFC 9110: weak comparison). */
export function isKnown({ headers }: Pick<IncomingMessage, 'headers'>, tag: string): boolean {
  const header = headers['if-none-match'];
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
}
