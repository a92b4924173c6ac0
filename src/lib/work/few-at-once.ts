import { ServiceError } from '../../errors.js';

export interface FewOptions {
  /** How many may be under way at a time. */
  readonly max: number;
  /** Told to those who are refused. */
  readonly message: string;
  readonly retryAfterSeconds: number;
}

/** Counts work that is under way, of a kind that few may do at a time, and refuses more. */
export class FewAtOnce {
  #underWay = 0;

  constructor(private readonly options: FewOptions) {}

  /**
   * Begins one piece of work.
   * @returns ends it; more than one call changes nothing
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
