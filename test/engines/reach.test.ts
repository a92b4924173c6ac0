import { expect, it } from 'vitest';
import { unavailable } from '../../src/errors.js';
import { Lost, Reach } from '../../src/engines/replicated/reach.js';

const reach = new Reach({
  name: 'The log',
  timeoutMs: 10_000,
  warn: () => undefined,
  told: (error) => error,
  isInTheWay: () => false,
});

/** Asks for what fails by these errors, one after another. */
function failing(errors: Error[], mayBeStored: () => boolean): Promise<never> {
  return reach.persist(() => Promise.reject(errors.shift() ?? new Error('asked too often')), mayBeStored);
}

it('what was sent before the connection broke may be stored, though it is refused when it is sent again', async () => {
  const errors = [new Lost('cut'), unavailable('the disk is full')];
  await expect(failing(errors, () => true)).rejects.toMatchObject({ code: 'OutcomeUnknown' });
});

it('what was never sent before it was refused is not stored', async () => {
  const errors = [new Lost('cut'), unavailable('the disk is full')];
  await expect(failing(errors, () => false)).rejects.toThrow('the disk is full');
  await expect(failing([unavailable('the disk is full')], () => true)).rejects.toThrow('the disk is full');
});
