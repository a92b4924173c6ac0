import { createHash } from 'node:crypto';

/** Members of a document's object as JSON, built once and copied into every document that needs them. */
export interface JsonFragment {
  /** `"<name>":<value>` in UTF-8, separated by commas. Has at least one member. */
  readonly bytes: Buffer;
  /** The hash of the bytes. */
  readonly digest: string;
  /** Names of the schemas to which the values refer; one may not exist. */
  readonly refs: readonly string[];
}

const SCHEMAS = '#/components/schemas/';

/** A reference to a named schema of the document. */
export function schemaRef(name: string): { $ref: string } {
  return { $ref: `${SCHEMAS}${name}` };
}

export function getFragment(...members: readonly (readonly [name: string, value: unknown])[]): JsonFragment {
  const text = members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',');
  const found = text.matchAll(/"#\/components\/schemas\/([A-Za-z0-9._-]+)"/g);
  const refs = [...new Set([...found].map((match) => match[1] ?? ''))];
  return { bytes: Buffer.from(text), digest: digestText(text), refs };
}

export function getFragments(
  members: Iterable<readonly [name: string, value: unknown]>,
): Map<string, JsonFragment> {
  return new Map([...members].map((member) => [member[0], getFragment(member)] as const));
}

/** A short hash of the text. */
export function digestText(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 27);
}
