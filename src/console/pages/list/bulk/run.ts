import { sendBatch } from '../../../api/batches.js';
import { ApiError, isUnanswered, formatMessage } from '../../../api/errors.js';
import type { JsonObject } from '../../../lib/json.js';
import { t } from '../../../texts.js';

/** The number of objects in one commit. */
export const PART = 200;
/** The limit of refusals that are reported separately. */
const REFUSALS_MAX = 100;
/** The limit of refusals; after it the rest is expected to fail too. */
const REFUSED_MAX = 1_000;
/** The limit of reported causes of one refusal. */
const CAUSES_TOLD = 3;

/** A change of many objects. */
export interface Work {
  /** The names of the objects, part by part. */
  readonly names: () => AsyncIterable<readonly string[]> | Iterable<readonly string[]>;
  /** The batch item for one object. */
  readonly getItem: (name: string) => JsonObject;
  /** True for a trial: everything is decided as usual, and nothing is stored. */
  readonly isTrial: boolean;
}

interface Refusal {
  readonly name: string;
  readonly message: string;
}

/** The progress so far. */
export interface Done {
  readonly done: number;
  readonly refused: number;
  /** The first refusals. */
  readonly refusals: readonly Refusal[];
  /** Objects with an unknown result: the answer did not arrive. */
  readonly unsure: number;
}

export const NOTHING: Done = { done: 0, refused: 0, refusals: [], unsure: 0 };

export interface Ended extends Done {
  /** The reason of an early end; undefined when it was complete. */
  readonly cut: 'stopped' | 'too many' | { readonly message: string } | undefined;
}

export function* iterateParts(names: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < names.length; at += PART) yield names.slice(at, at + PART);
}

/**
 * Does the work in parts, each in one commit. A refused part is repeated in halves, down to the objects that are refused by
 * themselves: those are reported, the others done.
 * @param stop ends it after the current part
 * @throws ApiError when none of it can be done, before the first change
 */
export async function run(work: Work, stop: AbortSignal, onProgress: (done: Done) => void): Promise<Ended> {
  let now = NOTHING;
  const report = (changed: Partial<Done>): void => {
    now = { ...now, ...changed };
    onProgress(now);
  };
  const doPart = async (names: readonly string[]): Promise<Ended['cut']> => {
    const [name] = names;
    if (stop.aborted) return 'stopped';
    if (name === undefined) return undefined;
    try {
      await sendBatch({ items: names.map(work.getItem), isTrial: work.isTrial });
      report({ done: now.done + names.length });
      return undefined;
    } catch (error) {
      if (isUnanswered(error)) report({ unsure: names.length });
      if (!(error instanceof ApiError) || isOfService(error)) throw error;
      if (names.length === 1) {
        const refusals = [...now.refusals, { name, message: getReason(error) }].slice(0, REFUSALS_MAX);
        report({ refused: now.refused + 1, refusals });
        return now.refused < REFUSED_MAX ? undefined : 'too many';
      }
    }
    const half = Math.ceil(names.length / 2);
    return (await doPart(names.slice(0, half))) ?? doPart(names.slice(half));
  };
  let isFirst = true;
  try {
    for await (const names of work.names()) {
      const [first] = names;
      if (isFirst && first !== undefined) await tryFirst(work.getItem(first));
      isFirst = false;
      const cut = await doPart(names);
      if (cut !== undefined) return { ...now, cut };
    }
    return { ...now, cut: undefined };
  } catch (error) {
    if (isFirst) throw error;
    return { ...now, cut: { message: getReason(error) } };
  }
}

/** @throws ApiError when it would be refused for a reason that applies to all objects */
async function tryFirst(item: JsonObject): Promise<void> {
  try {
    await sendBatch({ items: [item], isTrial: true });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, reason, causes } = error;
    const isForAll =
      [401, 403].includes(code) || causes.some(({ field }) => field.includes('metadata.labels'));
    if (isForAll) throw new ApiError(code, withoutPosition(error.message), reason, { causes });
  }
}

/** The reason of an error, with the first causes from the service. */
function getReason(error: unknown): string {
  const message = withoutPosition(formatMessage(error));
  const causes = error instanceof ApiError ? error.causes : [];
  const more = causes.map((cause) => cause.message).filter((one) => !message.includes(one));
  return [message, ...more.slice(0, CAUSES_TOLD)].join('; ');
}

/** The position in a batch has no meaning for people. */
function withoutPosition(message: string): string {
  return message.replace(/^items\[\d+\]: /, '');
}

/** True when the error does not concern the objects. */
function isOfService({ code }: ApiError): boolean {
  return code === 401 || code === 429 || code >= 500;
}

/** The complete and the failed part of the work, as one text. */
export function formatSummary(ended: Ended, verb: (count: number) => string): string {
  const { done, refused, unsure, cut } = ended;
  const parts = [verb(done)];
  if (refused > 0) parts.push(t`${refused} refused`);
  if (unsure > 0) parts.push(t`no answer for ${unsure}: they may or may not be changed`);
  if (cut === 'stopped') parts.push(t`stopped; the rest is unchanged`);
  else if (cut === 'too many') parts.push(t`stopped because too many were refused`);
  else if (cut !== undefined) parts.push(cut.message);
  return parts.join(' · ');
}
