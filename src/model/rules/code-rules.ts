import { formatExcerpt, getMessage } from '../../errors.js';
import { cloneJson, isRecord } from '../../lib/json/json.js';
import { isWithinTime, runWithTimeout } from '../../lib/time/time-limit.js';
import { placeInData } from '../validate/field-path.js';
import { createInstance } from '../declare/instance.js';
import type { ModelClass } from '../declare/model-class.js';
import type { Finding } from '../validate/old-findings.js';
import type { Circumstances, Data, Rules } from './source.js';

/** An error that the code of a model reports. */
export interface Fault {
  /** Dotted path from the object's root. */
  readonly field: string;
  readonly message: string;
}

/**
 * Rules in code: return the errors of an object. The arguments are copies that are instances of the model's class.
 * Must be synchronous and pure.
 * @param old the object that is replaced; undefined for a new one
 */
export type Validate<T extends object = never> = (object: T, old?: T) => readonly Fault[];

export function codeRules(validate: Validate, model: ModelClass): Rules {
  const copyObject = (object: Data | undefined): object | undefined =>
    object && createInstance(model, cloneJson(object));
  return {
    readOld: true,
    find: (object, circumstances) => {
      const args = [
        copyObject(object),
        ...(circumstances.old === undefined ? [] : [copyObject(circumstances.old)]),
      ];
      let returned: unknown;
      try {
        returned = limited((): unknown => Reflect.apply(validate, undefined, args));
      } catch (error) {
        return [failed(`failed: ${formatExcerpt(getMessage(error), 300)}`, true)];
      }
      return findingsIn(returned, object, circumstances);
    },
  };
}

/** Limit for the code per object, in milliseconds. */
const LIMIT_MS = 2_000;

function limited<T>(work: () => T): T {
  return isWithinTime() ? work() : runWithTimeout(LIMIT_MS, work);
}

function findingsIn(returned: unknown, object: Data, { isStored }: Circumstances): readonly Finding[] {
  // A malformed result for the stored object must not excuse the same for the written object.
  const wrong = (reason: string): Finding[] => (isStored ? [] : [failed(reason, false)]);
  if (returned instanceof Promise) {
    returned.catch(() => undefined);
    return wrong('returned a promise; it must be synchronous');
  }
  if (!Array.isArray(returned)) return wrong('must return a list of {field, message}');
  return returned.flatMap((fault: unknown) => {
    if (!isRecord(fault) || typeof fault.field !== 'string' || typeof fault.message !== 'string')
      return wrong('must return a list of {field, message}');
    const { field, message } = fault;
    return {
      key: `validate ${field}\n${message}`,
      at: () => [placeInData(object, field)],
      cause: () => ({ field, reason: 'FieldValueInvalid', message }),
    };
  });
}

/** @param isUnjudged true when other violations may be the cause */
function failed(reason: string, isUnjudged: boolean): Finding {
  const message = `validate() of the model ${reason}`;
  return {
    key: `validate ${reason}`,
    at: () => [],
    cause: () => ({ field: '', reason: 'FieldValueInvalid', message }),
    isUnjudged,
  };
}
