import { ServiceError } from '../../../errors.js';
import type { ObjectDraft } from '../../../model/object.js';

/** The refusal of an object that violates its model, with the object: what only the store knows is added to it. */
export class InvalidObjectError extends ServiceError {
  /** Private, so that no log contains it. */
  readonly #object: ObjectDraft;

  constructor({ code, message, details }: ServiceError, object: ObjectDraft) {
    super(code, message, details);
    this.#object = object;
  }

  /** The object with its defaults. */
  get object(): ObjectDraft {
    return this.#object;
  }
}
