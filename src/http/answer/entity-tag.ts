import { createHash } from 'node:crypto';
import type { Format } from './media.js';

const SUFFIX: Readonly<Record<Format, string>> = { json: '', yaml: '-yaml' };
const HASH_LENGTH = 16;

/**
 * The tag of an object as it is sent. Each format has its own, because its bytes differ (RFC 9110, section 8.8.3).
 * @param converted the object as JSON, when it is sent in a version other than the stored one: the conversion may
 * change while the object stays the same
 */
export function objectTag(revision: number | string, format: Format, converted?: Buffer): string {
  const version = converted === undefined ? '' : `-version-${hashBody(converted)}`;
  return `"${revision}${version}${SUFFIX[format]}"`;
}

/** The tag of an object that is sent as a row: ages in the row change while the object stays the same. */
export function rowTag(revision: number, body: Buffer): string {
  return `"${revision}-table-${hashBody(body)}"`;
}

function hashBody(body: Buffer): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, HASH_LENGTH);
}

/**
 * The revision in a tag, for any format of the object. A weak or foreign tag is returned unchanged, and matches no
 * revision.
 */
export function revisionOfTag(tag: string): string {
  return /^"(\d+)(?:-yaml|-(?:table|version)-[\w-]+)?"$/.exec(tag)?.[1] ?? tag;
}

/** True when an `If-None-Match` header names the tag (RFC 9110: weak comparison). */
export function namesTag(header: string, tag: string): boolean {
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
}
