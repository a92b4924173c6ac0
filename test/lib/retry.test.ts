import { describe, expect, it } from 'vitest';
import { badRequest, conflict, notFound } from '../../src/errors.js';
import { ATTEMPTS_MAX, isRace, retryOnConflict } from '../../src/lib/work/retry.js';

/** An attempt that throws the first errors of a list, and its number of calls. */
function failing(errors: readonly Error[]): { readonly attempt: () => Promise<string>; calls: number } {
  const counted = {
    calls: 0,
    attempt: (): Promise<string> => {
      const error = errors[counted.calls++];
      return error === undefined ? Promise.resolve('written') : Promise.reject(error);
    },
  };
  return counted;
}

describe('retryOnConflict', () => {
  it('repeats a write that another writer beat', async () => {
    const write = failing([conflict('first'), conflict('second')]);
    expect(await retryOnConflict(write.attempt)).toBe('written');
    expect(write.calls).toBe(3);
  });

  it('does not repeat after another error', async () => {
    const write = failing([conflict('first'), badRequest('second')]);
    await expect(retryOnConflict(write.attempt)).rejects.toThrow('second');
    expect(write.calls).toBe(2);
  });

  it('repeats after the errors of a race when they are asked for', async () => {
    const errors = [notFound('gone'), conflict('changed')];
    expect(await retryOnConflict(failing(errors).attempt, isRace)).toBe('written');
    await expect(retryOnConflict(failing(errors).attempt)).rejects.toThrow('gone');
  });

  it('ends at the limit with the last error', async () => {
    const errors = Array.from({ length: ATTEMPTS_MAX }, (_, i) => conflict(`attempt ${i + 1}`));
    const write = failing(errors);
    await expect(retryOnConflict(write.attempt)).rejects.toThrow(`attempt ${ATTEMPTS_MAX}`);
    expect(await retryOnConflict(failing(errors.slice(1)).attempt)).toBe('written');
  });

  it('prepares the next attempt, whose error is final', async () => {
    const write = failing([conflict('first')]);
    const prepare = (): Promise<boolean> => Promise.reject(notFound('gone meanwhile'));
    await expect(retryOnConflict(write.attempt, prepare)).rejects.toThrow('gone meanwhile');
  });
});
