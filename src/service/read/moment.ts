import { notFound, ServiceError } from '../../errors.js';
import { parseSince } from '../../lib/time/since.js';
import type { ExtensionObject } from '../../model/object.js';
import { qualifiedPlural } from '../../model/resource.js';
import type { Verbs } from '../verbs.js';
import { allChanges, type PastTarget } from './object-changes.js';

/** A moment in the past: a revision of the store, or a time. */
export type Moment =
  | { readonly revision: string }
  | { readonly timeMs: number; /** The unparsed text. */ readonly text: string };

/** A description of the forms of a moment. */
export const MOMENT = 'a revision, a time like 2026-01-31T08:00:00Z, or 5m for five minutes ago';

type Reader = Pick<Verbs, 'history' | 'getAt'>;

/** Parses a revision, an RFC 3339 time, or an age; undefined for another text. */
export function parseMoment(text: string, nowMs: number): Moment | undefined {
  if (/^-?\d+$/.test(text)) return { revision: text };
  const timeMs = parseSince(text, nowMs);
  return timeMs === undefined ? undefined : { timeMs, text };
}

/** The object as of a moment. @throws ServiceError as `getAt` */
export async function getAtMoment(
  verbs: Reader,
  target: PastTarget,
  moment: Moment,
): Promise<ExtensionObject> {
  const revision = 'revision' in moment ? moment.revision : await revisionAt(verbs, target, moment);
  return verbs.getAt(target.resource, target.name, revision);
}

/** The revision of the last change before a time. */
async function revisionAt(
  verbs: Reader,
  target: PastTarget,
  { timeMs, text }: Extract<Moment, { timeMs: number }>,
): Promise<string> {
  let isBeforeCreation = false;
  for await (const { time, resourceVersion, verb } of allChanges(verbs, target)) {
    if (Date.parse(time) <= timeMs) return resourceVersion;
    isBeforeCreation = verb === 'create';
  }
  const { resource, name } = target;
  const what = `${qualifiedPlural(resource)} "${name}"`;
  if (isBeforeCreation) throw notFound(`${what} did not exist yet at ${text}`);
  throw new ServiceError('Expired', `the state of ${what} at ${text} is no longer in the log`);
}
