import type { Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import type { KindRules } from './kind-check.js';
import { microTimeFaults } from './micro-time.js';

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
      ...microTimeFaults(spec, ['acquireTime', 'renewTime'], 'spec'),
    ];
  },
};

function fault(field: string, message: string): Cause {
  return { field: `spec.${field}`, reason: 'FieldValueInvalid', message };
}
