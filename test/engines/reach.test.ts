import { expect, it } from 'vitest';
import { unavailable } from '../../src/errors.js';
import { ConnectionLost, RetryPolicy } from '../../src/engines/replicated/retry-policy.js';

const reach = new RetryPolicy({
  name: 'The log',
  timeoutMs: 10_000,
  warn: () => undefined,
  told: (error) => error,
  isSerializationConflict: () => false,
});

/** Asks for what fails by these errors, one after another. */
function failing(errors: Error[], mayBeStored: () => boolean): Promise<never> {
  return reach.persist(() => Promise.reject(errors.shift() ?? new Error('asked too often')), mayBeStored);
}

it('what was sent before the connection broke may be stored, though it is refused when it is sent again', async () => {
  const errors = [new ConnectionLost('cut'), unavailable('the disk is full')];
  await expect(failing(errors, () => true)).rejects.toMatchObject({ code: 'OutcomeUnknown' });
});

it('what was never sent before it was refused is not stored', async () => {
  const errors = [new ConnectionLost('cut'), unavailable('the disk is full')];
  await expect(failing(errors, () => false)).rejects.toThrow('the disk is full');
  await expect(failing([unavailable('the disk is full')], () => true)).rejects.toThrow('the disk is full');
});
