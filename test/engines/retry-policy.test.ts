import { expect, it } from 'vitest';
import { unavailable } from '../../src/errors.js';
import { ConnectionLost, RetryPolicy } from '../../src/engines/replicated/retry-policy.js';

const retries = new RetryPolicy({
  name: 'The log',
  timeoutMs: 10_000,
  warn: () => undefined,
  toCallerError: (error) => error,
  isSerializationConflict: () => false,
});

/** Asks for what fails by these errors, one after another. */
function failing(errors: Error[], mayBeStored: () => boolean): Promise<never> {
  return retries.persist(() => Promise.reject(errors.shift() ?? new Error('asked too often')), mayBeStored);
}

it('a write sent before the connection broke may be stored, although its repetition is refused', async () => {
  const errors = [new ConnectionLost('cut'), unavailable('the disk is full')];
  await expect(failing(errors, () => true)).rejects.toMatchObject({ code: 'OutcomeUnknown' });
});

it('a write that was refused the first time it was sent is not stored', async () => {
  const errors = [new ConnectionLost('cut'), unavailable('the disk is full')];
  await expect(failing(errors, () => false)).rejects.toThrow('the disk is full');
  await expect(failing([unavailable('the disk is full')], () => true)).rejects.toThrow('the disk is full');
});
