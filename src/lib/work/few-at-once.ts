import { ServiceError } from '../../errors.js';

export interface FewOptions {
  /** Limit for pieces of work in progress. */
  readonly max: number;
  /** The error message for refused work. */
  readonly message: string;
  readonly retryAfterSeconds: number;
}

/** Counts work in progress of an expensive kind, and refuses more than the limit. */
export class FewAtOnce {
  #underWay = 0;

  constructor(private readonly options: FewOptions) {}

  /**
   * Begins one piece of work.
   * @returns a function that ends it; further calls change nothing
   * @throws ServiceError `TooManyRequests`
   */
  begin(): () => void {
    const { max, message, retryAfterSeconds } = this.options;
    if (this.#underWay >= max) throw new ServiceError('TooManyRequests', message, { retryAfterSeconds });
    this.#underWay++;
    let isUnderWay = true;
    return () => {
      if (isUnderWay) this.#underWay--;
      isUnderWay = false;
    };
  }
}
