import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import { Yielder } from '../../lib/work/yield.js';
import type { ExtensionObject } from '../object.js';

/** An object that is to be converted to a version. */
export interface WantedConversion {
  /** Identifies the object's content and the version. */
  readonly key: string;
  readonly object: ExtensionObject;
  readonly apiVersion: string;
}

/** Conversions whose results, or errors, are known until they are released. */
export interface HeldConversions {
  release(): void;
}

/** Converts objects by asking another program. */
export interface ConversionSource {
  /** Waits for the results. Never rejects: errors are results too. */
  settle(wanted: readonly WantedConversion[]): Promise<HeldConversions>;
}

/**
 * Thrown where the result of a conversion is not known yet. Conversions are synchronous, so that transactions can make
 * them; the caller waits for the result and tries again, see {@link withConversions}.
 */
export class PendingConversion extends Error {
  private constructor(private readonly wanted: ReadonlyMap<ConversionSource, readonly WantedConversion[]>) {
    super('an object is converted by another program, whose answer was not awaited');
  }

  static of(source: ConversionSource, wanted: WantedConversion): PendingConversion {
    return new PendingConversion(new Map([[source, [wanted]]]));
  }

  /** Several that are settled together. */
  static together(pending: readonly PendingConversion[]): PendingConversion {
    const all = new Map<ConversionSource, WantedConversion[]>();
    for (const { wanted } of pending)
      for (const [source, some] of wanted) all.set(source, [...(all.get(source) ?? []), ...some]);
    return new PendingConversion(all);
  }

  /** Waits for the results. Never rejects. */
  async settle(): Promise<HeldConversions> {
    const held = await Promise.all([...this.wanted].map(([source, some]) => source.settle(some)));
    return { release: () => held.forEach((one) => one.release()) };
  }
}

/** Most rounds. A write needs one for each version that its object passes, and those of its managers. */
const ROUNDS_MAX = 100;

/**
 * Runs work again and again, each time with the conversions that it lacked before.
 * @param work must be repeatable; gets the number of its earlier runs
 */
export function withConversions<T>(work: (round: number) => MaybePromise<T>): MaybePromise<T> {
  try {
    const result = work(0);
    return result instanceof Promise ? result.catch((error: unknown) => runAgain(work, error)) : result;
  } catch (error) {
    if (error instanceof PendingConversion) return runAgain(work, error);
    throw error;
  }
}

async function runAgain<T>(work: (round: number) => MaybePromise<T>, first: unknown): Promise<T> {
  const held: HeldConversions[] = [];
  try {
    let error = first;
    for (let round = 1; error instanceof PendingConversion && round <= ROUNDS_MAX; round++) {
      held.push(await error.settle());
      try {
        return await work(round);
      } catch (next) {
        error = next;
      }
    }
    throw error;
  } finally {
    for (const one of held) one.release();
  }
}

/**
 * Runs work with conversions that are not pending then: the program is asked with few calls for all of them.
 * @param conversions make one conversion each; their errors are ignored
 */
export async function withHeldConversions<T>(
  conversions: readonly (() => unknown)[],
  work: () => MaybePromise<T>,
): Promise<T> {
  const held: HeldConversions[] = [];
  const yielder = new Yielder();
  try {
    for (let left = conversions; left.length > 0 && held.length < ROUNDS_MAX;) {
      const pending = new Map<() => unknown, PendingConversion>();
      for (const convert of left) {
        const error = errorOf(convert);
        if (error instanceof PendingConversion) pending.set(convert, error);
        if (yielder.isDue) await yielder.take();
      }
      left = [...pending.keys()];
      if (left.length > 0) held.push(await PendingConversion.together([...pending.values()]).settle());
    }
    return await work();
  } finally {
    for (const one of held) one.release();
  }
}

function errorOf(convert: () => unknown): unknown {
  try {
    convert();
    return undefined;
  } catch (error) {
    return error;
  }
}
