import { hasCode, ServiceError, type Cause, type ErrorCode } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { joinFullName } from '../../model/full-name.js';
import { modelKey } from '../../model/resource.js';
import { placeInData } from '../../model/validate/field-path.js';
import { BATCH_BYTES_MAX } from '../../service/batch-items.js';
import type { BatchItem, CommitCheck } from '../../service/verbs.js';
import type { RawBatchResult } from '../../service/write/result.js';
import type { AgentWrites } from '../caller.js';
import { readEffects, type Effect } from './effects.js';

/** A reason why an item cannot be stored. */
export interface ItemViolation {
  /** The position of the item. */
  readonly item: number;
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** A commit that was tried and not stored. */
export interface Trial {
  readonly result: RawBatchResult;
  readonly effects: readonly Effect[];
}

/** The judgement of all items: a trial, or their violations. */
export type Judgement =
  | { readonly trial: Trial }
  | {
      readonly violations: readonly ItemViolation[];
      /** False when further items may have violations, because their check took too long. */
      readonly isComplete: boolean;
    };

/** Most time for all trials of a plan, in milliseconds. */
const TRIALS_MS_MAX = 10_000;

/** Errors that are about one item; others are about the request. */
const OF_ITEMS: readonly ErrorCode[] = [
  'BadRequest',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'PreconditionFailed',
  'RequestEntityTooLarge',
  'Invalid',
];

/** An item that is still judged, with its position in the request. */
interface LeftItem {
  readonly item: BatchItem;
  readonly position: number;
}

/**
 * Tries all items in one commit. Those with violations are left out and the others tried again, until no more are found.
 * @throws ServiceError for an error that is not about an item
 */
export async function judgeItems(writes: AgentWrites, items: readonly BatchItem[]): Promise<Judgement> {
  const violations: ItemViolation[] = [];
  const failed = new FailedItems();
  const judged = (isComplete: boolean): Judgement => ({
    violations: violations.toSorted((a, b) => a.item - b.item),
    isComplete,
  });
  let left: readonly LeftItem[] = items.map((item, position) => ({ item, position }));
  const until = performance.now() + TRIALS_MS_MAX;
  while (left.length > 0) {
    const tried = await tryItems(
      writes,
      left.map(({ item }) => item),
    );
    if ('trial' in tried) return violations.length === 0 ? tried : judged(true);
    for (const [at, { item, position }] of left.entries()) {
      const refusal = tried.refusals.get(at);
      if (refusal === undefined) continue;
      violations.push(...violationsOf(refusal, at, position).filter((one) => !failed.explains(item, one)));
      failed.add(item);
    }
    left = left.filter((_one, at) => !tried.refusals.has(at));
    if (performance.now() > until) return judged(left.length === 0);
  }
  return judged(true);
}

/** The refusals of items, by their place in a trial. */
interface Refused {
  readonly refusals: ReadonlyMap<number, ServiceError>;
}

async function tryItems(
  writes: AgentWrites,
  items: readonly BatchItem[],
): Promise<{ readonly trial: Trial } | Refused> {
  let effects: Effect[] = [];
  const refusals = new Map<number, ServiceError>();
  try {
    const result = await writes.write({ dryRun: true }, (all) => {
      refusals.clear();
      const admission: CommitCheck = (tx, changes) => {
        all.admission?.(tx, changes);
        effects = readEffects(changes);
      };
      const onFault = (refusal: ServiceError, position: number): void => void refusals.set(position, refusal);
      return writes.service.batch(items, { ...all, admission, onFault, bytesMax: BATCH_BYTES_MAX });
    });
    return { trial: { result, effects } };
  } catch (error) {
    if (!hasCode(error, ...OF_ITEMS)) throw error;
    if (refusals.size > 0) return { refusals };
    const position = positionOf(error);
    if (position === undefined) throw error;
    return { refusals: new Map([[position, error]]) };
  }
}

function positionOf({ details: { causes = [] } }: ServiceError): number | undefined {
  const [, position] = /^items\[(\d+)\]\./.exec(causes[0]?.field ?? '') ?? [];
  return position === undefined ? undefined : Number(position);
}

/** @param at the place of the item in the trial, which the error names */
function violationsOf(
  { code, message, details }: ServiceError,
  at: number,
  position: number,
): ItemViolation[] {
  const prefix = `items[${at}]`;
  const own = message.startsWith(`${prefix}: `) ? message.slice(prefix.length + 2) : message;
  const causes = (details.causes ?? []).map((cause: Cause) => ({
    item: position,
    field: cause.field.startsWith(`${prefix}.`) ? cause.field.slice(prefix.length + 1) : cause.field,
    reason: cause.reason,
    message: cause.message,
  }));
  if (code === 'Invalid' || code === 'AlreadyExists') return causes;
  // A batch adds a cause with the whole message to an error without causes.
  const others = causes.filter((cause) => cause.message !== own);
  return [{ item: position, field: 'metadata.name', reason: code, message: own }, ...others];
}

/** The items that cannot be stored; later items may depend on them. */
class FailedItems {
  readonly #objects = new Set<string>();
  readonly #names = new Set<string>();

  add(item: BatchItem): void {
    const name = nameOf(item);
    if (name === undefined) return;
    this.#objects.add(`${modelKey(item.resource)} ${name}`);
    this.#names.add(name);
  }

  /** True for a violation that is only there because an earlier item is missing. */
  explains(item: BatchItem, { field, reason }: ItemViolation): boolean {
    const name = nameOf(item);
    if (reason === 'NotFound' && name !== undefined)
      return this.#objects.has(`${modelKey(item.resource)} ${name}`);
    if (reason !== 'FieldValueNotFound' || !('object' in item)) return false;
    const value = placeInData(item.object, field).reduce<unknown>(
      (at, step) => (Array.isArray(at) ? at[Number(step)] : isRecord(at) ? at[String(step)] : undefined),
      item.object,
    );
    return typeof value === 'string' && this.#names.has(value);
  }
}

/** The full name of the object; undefined for a generated name. */
function nameOf(item: BatchItem): string | undefined {
  if ('name' in item) return item.name;
  const metadata = isRecord(item.object) && isRecord(item.object.metadata) ? item.object.metadata : {};
  const { name, namespace } = metadata;
  if (typeof name !== 'string') return undefined;
  return joinFullName({ name, ...(typeof namespace === 'string' && { namespace }) });
}
