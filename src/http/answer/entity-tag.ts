import { createHash } from 'node:crypto';
import type { Format } from './media.js';

const SUFFIX: Readonly<Record<Format, string>> = { json: '', yaml: '-yaml' };
const HASH_LENGTH = 16;

/**
 * The tag of an object as it is sent: another one for each format, as bytes are others (RFC 9110, section 8.8.3).
 * @param converted the object as JSON where it is sent in another version than the stored one: how it is converted may
 *   change while the object stays the same
 */
export function objectTag(revision: number | string, format: Format, converted?: Buffer): string {
  const version = converted === undefined ? '' : `-version-${hashBody(converted)}`;
  return `"${revision}${version}${SUFFIX[format]}"`;
}

/** The tag of an object that is sent as a row: ages in it grow while the object stays the same. */
export function rowTag(revision: number, body: Buffer): string {
  return `"${revision}-table-${hashBody(body)}"`;
}

function hashBody(body: Buffer): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, HASH_LENGTH);
}

/** The revision that a tag is of, whatever the object was sent as. A weak or foreign tag is of none. */
export function revisionOfTag(tag: string): string {
  return /^"(\d+)(?:-yaml|-(?:table|version)-[\w-]+)?"$/.exec(tag)?.[1] ?? tag;
}

/** Whether an `If-None-Match` names the tag (RFC 9110: weak comparison). */
export function namesTag(header: string, tag: string): boolean {
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
}
