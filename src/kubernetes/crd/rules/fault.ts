import type { Cause } from '../../../errors.js';

/** The end of a cause's reason. */
export type FaultReason = 'Required' | 'Invalid' | 'Duplicate' | 'NotSupported' | 'Forbidden';

export function fault(field: string, reason: FaultReason, message: string): Cause {
  return { field, reason: `FieldValue${reason}`, message };
}
