import { ApiError, isUnanswered, formatMessage } from '../../../api/errors.js';
import { send } from '../../../api/http.js';
import type { JsonObject } from '../../../lib/json.js';

const BATCH_URL = '/apis/api.platform.run/v1alpha1/batches?return=none';
const DRY_RUN = '&dryRun=All';
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
  /** True for a trial: everything is decided as usual, and nothing is stored. Default false. */
  readonly isTrial?: boolean;
}

export interface Refusal {
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

export interface Ended extends Done {
  /** The reason of an early end; undefined when it was complete. */
  readonly cut: 'stopped' | 'too many' | { readonly message: string } | undefined;
}

/**
 * Does the work in parts, each in one commit. A refused part is repeated in halves, down to the objects that are refused by
 * themselves: those are reported, the others done.
 * @param stop ends it after the current part
 * @throws ApiError when none of it can be done, before the first change
 */
export async function run(work: Work, stop: AbortSignal, onProgress: (done: Done) => void): Promise<Ended> {
  const tally = new Tally(onProgress);
  let isFirst = true;
  try {
    for await (const names of work.names()) {
      const [first] = names;
      if (isFirst && first !== undefined) await dryRunFirst(work.getItem(first));
      isFirst = false;
      const cut = await doPart(names, { work, stop, tally });
      if (cut !== undefined) return { ...tally.now, cut };
    }
    return { ...tally.now, cut: undefined };
  } catch (error) {
    if (isFirst) throw error;
    return { ...tally.now, cut: { message: formatMessage(error) } };
  }
}

interface Running {
  readonly work: Work;
  readonly stop: AbortSignal;
  readonly tally: Tally;
}

async function doPart(names: readonly string[], running: Running): Promise<Ended['cut']> {
  const { work, stop, tally } = running;
  if (stop.aborted) return 'stopped';
  if (names.length === 0) return undefined;
  try {
    await sendBatch(names.map(work.getItem), work.isTrial === true ? DRY_RUN : '');
    tally.did(names.length);
    return undefined;
  } catch (error) {
    if (isUnanswered(error)) tally.lost(names.length);
    if (!(error instanceof ApiError) || isOfService(error)) throw error;
    const [name = '', ...others] = names;
    if (others.length === 0) {
      tally.refuse({ name, message: getReason(error) });
      return tally.now.refused < REFUSED_MAX ? undefined : 'too many';
    }
  }
  const half = Math.ceil(names.length / 2);
  return (await doPart(names.slice(0, half), running)) ?? (await doPart(names.slice(half), running));
}

/** @throws ApiError when it would be refused for a reason that applies to all objects */
async function dryRunFirst(item: JsonObject): Promise<void> {
  try {
    await sendBatch([item], DRY_RUN);
  } catch (error) {
    const isForAll =
      !(error instanceof ApiError) ||
      [401, 403].includes(error.code) ||
      error.causes.some(({ field }) => field.includes('metadata.labels'));
    if (isForAll) throw error;
  }
}

/** The reason of an object's refusal, with the first causes from the service. */
function getReason({ message, causes }: ApiError): string {
  const more = causes.map((cause) => cause.message).filter((one) => !message.includes(one));
  return [message, ...more.slice(0, CAUSES_TOLD)].join('; ');
}

/** True when the error does not concern the objects. */
function isOfService({ code }: ApiError): boolean {
  return code === 401 || code === 429 || code >= 500;
}

async function sendBatch(items: readonly JsonObject[], more = ''): Promise<void> {
  try {
    await send(BATCH_URL + more, { method: 'POST', body: { items } });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The position in a batch has no meaning for people.
    const { code, message, reason, causes } = error;
    throw new ApiError(code, message.replace(/^items\[\d+\]: /, ''), reason, { causes });
  }
}

class Tally {
  now: Done = { done: 0, refused: 0, refusals: [], unsure: 0 };

  constructor(private readonly onChange: (done: Done) => void) {}

  did(count: number): void {
    this.#set({ done: this.now.done + count });
  }

  lost(count: number): void {
    this.#set({ unsure: count });
  }

  refuse(refusal: Refusal): void {
    const { refused, refusals } = this.now;
    this.#set({
      refused: refused + 1,
      refusals: refusals.length < REFUSALS_MAX ? [...refusals, refusal] : refusals,
    });
  }

  #set(changed: Partial<Done>): void {
    this.now = { ...this.now, ...changed };
    this.onChange(this.now);
  }
}
