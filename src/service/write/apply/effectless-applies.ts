import { createHash } from 'node:crypto';
import type { Cache, CacheBudget } from '../../../lib/cache-budget.js';
import type { Scheme } from '../../../model/declare/scheme.js';
import type { Apply } from './apply-request.js';

/** Approximate memory of an entry. */
const ENTRY_BYTES = 300;

/**
 * Applies that changed nothing: many clients apply the same fields again and again. The effect of an apply depends only on it,
 * on the state of the object, and on the schema.
 */
export class EffectlessApplies {
  /** The scheme by which nothing was to change; a changed schema is another one. */
  readonly #schemes: Cache<Scheme>;

  constructor(budget: CacheBudget) {
    this.#schemes = budget.cache('applies without an effect');
  }

  /**
   * Identifies an apply and the state that it is for.
   * @returns undefined for an object that does not exist, or that an earlier request of the same commit changes
   */
  keyOf({ model, current, part, applied, options }: Apply): string | undefined {
    if (current?.revision === undefined) return undefined;
    const { fieldManager, forceConflicts, fieldValidation } = options;
    const { uid } = current.metadata;
    const { version } = model.resource;
    const sender = [part, fieldManager, forceConflicts, fieldValidation];
    const digest = createHash('sha256').update(JSON.stringify([sender, applied]));
    return `${uid} ${current.revision} ${version} ${digest.digest('base64')}`;
  }

  has(key: string, { model }: Pick<Apply, 'model'>): boolean {
    return model.scheme !== undefined && this.#schemes.get(key) === model.scheme;
  }

  note(key: string, { model }: Pick<Apply, 'model'>): void {
    if (model.scheme !== undefined) this.#schemes.set(key, model.scheme, ENTRY_BYTES);
  }
}
