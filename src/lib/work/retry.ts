import { hasCode } from '../../errors.js';

/** Most attempts of a write that others disturb: each lost one means that another writer succeeded. */
export const ATTEMPTS_MAX = 20;

/** Ends an attempt of a write that must be made again, with something that has to be read first. Nothing was stored. */
export class AttemptEnded extends Error {}

/** True when the object was changed since it was read. */
export function isConflict(error: unknown): boolean {
  return hasCode(error, 'Conflict');
}

/** True when another writer was faster; a taken unique value does not count. */
export function isRace(error: unknown): boolean {
  return isConflict(error) || hasCode(error, 'AlreadyExists', 'NotFound');
}

/**
 * Repeats a write that another writer may beat.
 * @param attempt reads the current state and writes
 * @param mayRetry is called with the error of each attempt but the last; it may prepare the next attempt
 * @throws the error of the last attempt
 */
export async function retryOnConflict<T>(
  attempt: () => Promise<T>,
  mayRetry: (error: unknown) => boolean | Promise<boolean> = isConflict,
): Promise<T> {
  for (let left = ATTEMPTS_MAX - 1; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !(await mayRetry(error))) throw error;
    }
  }
}
