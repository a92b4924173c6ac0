import type { Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import type { KindRules } from './kind-check.js';

/** RFC 3339 with microseconds. */
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d)$/;

export const LEASE: KindRules = {
  validate: ({ spec }) => {
    if (!isRecord(spec)) return [];
    const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = spec;
    return [
      ...(typeof seconds === 'number' && seconds <= 0
        ? [fault('leaseDurationSeconds', 'must be greater than 0')]
        : []),
      ...(typeof transitions === 'number' && transitions < 0
        ? [fault('leaseTransitions', 'must be at least 0')]
        : []),
      ...['acquireTime', 'renewTime']
        .filter((field) => typeof spec[field] === 'string' && !MICRO_TIME.test(spec[field]))
        .map((field) => fault(field, 'must be a time of RFC 3339 with microseconds')),
    ];
  },
};

function fault(field: string, message: string): Cause {
  return { field: `spec.${field}`, reason: 'FieldValueInvalid', message };
}
