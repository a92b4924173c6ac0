import { badRequest, type ServiceError } from '../errors.js';
import { deepEqual, isRecord } from '../lib/json/json.js';

/** A statement about the state of an object, in its `status.conditions`. One object has at most one of each type. */
export interface StatusCondition {
  /** Names the statement, such as `Ready`. */
  type: string;
  status: 'True' | 'False' | 'Unknown';
  /** Why it has this status: one word for programs. */
  reason?: string;
  /** A sentence for people. */
  message?: string;
  /** The `metadata.generation` that the statement is about. `xsvc wait` ignores conditions of older generations. */
  observedGeneration?: number;
  /** When `status` last changed; RFC 3339. */
  lastTransitionTime: string;
}

/** A condition as {@link setCondition} takes it: without the time, which the function sets. */
export interface NewCondition extends Pick<StatusCondition, 'type' | 'status'> {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** Most often `object.metadata.generation`. */
  readonly observedGeneration?: number | undefined;
}

interface Member {
  readonly isOptional?: true;
  readonly accepts: (value: unknown) => boolean;
  readonly expected: string;
}

const TEXT = {
  isOptional: true,
  accepts: (value) => typeof value === 'string',
  expected: 'a text',
} satisfies Member;

/** The members of a new condition. */
const MEMBERS: Readonly<Record<keyof NewCondition, Member>> = {
  type: {
    accepts: (value) => typeof value === 'string' && value !== '',
    expected: 'a text that is not empty',
  },
  status: {
    accepts: (value) => value === 'True' || value === 'False' || value === 'Unknown',
    expected: 'True, False or Unknown',
  },
  reason: TEXT,
  message: TEXT,
  observedGeneration: {
    isOptional: true,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    expected: 'an integer of at least 0',
  },
};

/**
 * Adds a condition to `status.conditions` of the given object, or replaces the one of its type; the object is not stored. Creates
 * `status` and `conditions` when they are absent. Other conditions and the order stay. `lastTransitionTime` becomes the current
 * time when the condition is new or its `status` changes, and stays otherwise.
 *
 * ```ts
 * if (setCondition(note, { type: 'Ready', status: 'True', observedGeneration: note.metadata.generation }))
 *   await this.ctx.client.updateStatus(note);
 * ```
 *
 * @returns true when the object changed, so that it must be stored
 * @throws ServiceError `BadRequest` for a malformed condition, and for an object whose `status` or `conditions` cannot hold one
 */
export function setCondition(object: { status?: unknown }, condition: NewCondition): boolean {
  check(condition);
  const { status, conditions } = read(object);
  const at = conditions.findIndex((one) => isRecord(one) && one.type === condition.type);
  const now = withTime(condition, conditions[at]);
  if (deepEqual(conditions[at], now)) return false;
  const all = at < 0 ? [...conditions, now] : conditions.with(at, now);
  object.status = Object.assign(status, { conditions: all });
  return true;
}

function check(condition: unknown): asserts condition is NewCondition {
  if (!isRecord(condition)) throw wrong(`the condition must be an object, got ${JSON.stringify(condition)}`);
  for (const [name, { isOptional, accepts, expected }] of Object.entries<Member>(MEMBERS)) {
    const value = condition[name];
    if ((isOptional && value === undefined) || accepts(value)) continue;
    throw wrong(`${name} of the condition must be ${expected}, got ${JSON.stringify(value)}`);
  }
  const other = Object.keys(condition).find((name) => !Object.hasOwn(MEMBERS, name));
  if (other !== undefined)
    throw wrong(`a condition has no member "${other}"; it has ${Object.keys(MEMBERS).join(', ')}`);
}

/** The status to write to, and its conditions. */
function read(object: { status?: unknown }): { status: object; conditions: readonly unknown[] } {
  const status = object.status ?? {};
  if (!isRecord(status)) throw wrong(`status of the object must be an object, got ${JSON.stringify(status)}`);
  const conditions = status.conditions ?? [];
  if (!Array.isArray(conditions))
    throw wrong(`status.conditions of the object must be a list, got ${JSON.stringify(conditions)}`);
  return { status, conditions };
}

function withTime(condition: NewCondition, old: unknown): StatusCondition {
  const { type, status, reason, message, observedGeneration } = condition;
  const since = isRecord(old) && old.status === status ? old.lastTransitionTime : undefined;
  return {
    type,
    status,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime: typeof since === 'string' && since !== '' ? since : new Date().toISOString(),
  };
}

function wrong(message: string): ServiceError {
  return badRequest(`setCondition: ${message}`);
}
