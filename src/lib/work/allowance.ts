import { ServiceError } from '../../errors.js';
import { isLongTurn, ownTurn, timed } from './turn.js';
import type { Work } from './work.js';
import { Yielder, type Resumable } from './yield.js';

/** Kinds of work, as messages name them. */
export type WorkKind =
  | 'patterns'
  | 'formats'
  | 'enums'
  | 'schemas'
  | 'large maps'
  | 'unique items'
  | 'defaults'
  | 'expressions'
  | 'rules'
  | 'policies'
  | 'match conditions'
  | 'suggestions'
  | 'conversions'
  | 'field managers';

/** Steps for one object, without a break. A step takes at most a tenth of a microsecond. */
export const OBJECT_STEPS_MAX = 2_000_000;
/** Steps for all objects of a request, with a break between two of them. */
export const REQUEST_STEPS_MAX = 10 * OBJECT_STEPS_MAX;
/** Steps for judging the unchanged values of an object. They count only toward this limit. */
export const UNCHANGED_STEPS_MAX = OBJECT_STEPS_MAX / 4;
/** Bytes of JSON that defaults may add to one object that is written. */
export const OBJECT_BYTES_MAX = 8 * 1024 * 1024;
/** Bytes of JSON that defaults may add to all objects of a request. */
export const REQUEST_BYTES_MAX = 64 * 1024 * 1024;

export interface AllowanceLimits {
  /** Default {@link OBJECT_STEPS_MAX}. */
  readonly objectSteps?: number;
  /** Default {@link OBJECT_BYTES_MAX}. */
  readonly objectBytes?: number;
  /** Checked at each break, which ends the work when the client has gone. Absent: nobody can leave. */
  readonly work?: Work | undefined;
}

/** The error of a request that costs more than a request may. Nothing catches it to go on. */
export class TooExpensive extends ServiceError {
  /** The same error with the configuration that took the last steps. */
  in(place: string): TooExpensive {
    const causes = this.details.causes?.map((cause) => ({
      ...cause,
      message: `${cause.message} (${place})`,
    }));
    return new TooExpensive(this.code, `${this.message} (${place})`, {
      ...this.details,
      ...(causes && { causes }),
    });
  }
}

/**
 * The work that a request may cause by its objects: steps of judging them, and bytes that defaults add. It is made where
 * the request enters, and handed down. Steps are limited, not times, so that a request has the same answer on each machine.
 */
export class Allowance {
  #steps: Account;
  readonly #oldValues: Account;
  readonly #bytes: Account;
  readonly #turns: Turns;

  constructor(limits: AllowanceLimits = {}, request?: Allowance) {
    const { objectSteps = OBJECT_STEPS_MAX, objectBytes = OBJECT_BYTES_MAX, work } = limits;
    if (request === undefined) {
      this.#steps = new Account(objectSteps, { max: REQUEST_STEPS_MAX, left: REQUEST_STEPS_MAX });
      this.#oldValues = new Account(UNCHANGED_STEPS_MAX, { max: REQUEST_STEPS_MAX, left: REQUEST_STEPS_MAX });
      this.#bytes = new Account(objectBytes, { max: REQUEST_BYTES_MAX, left: REQUEST_BYTES_MAX });
      this.#turns = new Turns(work);
    } else {
      this.#steps = request.#steps.forObject();
      this.#oldValues = request.#oldValues.forObject();
      this.#bytes = request.#bytes.forObject();
      this.#turns = request.#turns;
    }
  }

  /** The allowance of one object of the request, or of one more attempt to write it. */
  forObject(): Allowance {
    return new Allowance({}, this);
  }

  /** Steps that are left for the object. */
  get steps(): number {
    return this.#steps.left;
  }

  /** @throws TooExpensive when fewer steps are left, also from each later call */
  spend(steps: number, kind: WorkKind): void {
    if (!this.#steps.spend(steps, kind))
      throw this.#steps.isRequest ? tooMuch() : tooLong(this.#steps.largest);
  }

  /** Counts bytes that defaults are about to add. @throws TooExpensive when fewer bytes are left */
  addBytes(bytes: number): void {
    if (!this.#bytes.spend(bytes, 'defaults')) throw this.#bytes.isRequest ? tooLarge() : tooLong('defaults');
  }

  /**
   * Judges an object together with its unchanged values, without cost for the object.
   * @returns undefined when it takes too long
   */
  tryWhole<T>(judge: () => T): T | undefined {
    const steps = this.#steps;
    this.#steps = this.#oldValues;
    try {
      return judge();
    } catch (error) {
      if (error instanceof TooExpensive) return undefined;
      throw error;
    } finally {
      this.#steps = steps;
    }
  }

  /** Runs code that has no breaks. The functions {@link spend} and {@link addBytes} draw from this allowance meanwhile. */
  during<T>(body: () => T): T {
    return within(this, body);
  }

  /** {@link during} for each step of work that has breaks. */
  *throughout<T>(steps: Resumable<T>): Resumable<T> {
    const next = (): IteratorResult<undefined, T> => steps.next();
    for (;;) {
      const step = within(this, next);
      if (step.done === true) return step.value;
      yield;
    }
  }

  /**
   * Lets other work run when this work has had its turn. Objects of a request that are judged at the same time pause
   * one after another.
   * @throws ServiceError when the client has gone
   */
  pause(): Promise<void> {
    return this.#turns.pause();
  }
}

/** The breaks of a request. */
class Turns {
  #yielder: Yielder | undefined;
  #last = Promise.resolve();

  constructor(private readonly work: Work | undefined) {}

  pause(): Promise<void> {
    return (this.#last = this.#last.then(() => this.#take()));
  }

  async #take(): Promise<void> {
    this.#yielder ??= new Yielder(this.work);
    if (this.#yielder.isDue) await this.#yielder.take();
    if (isLongTurn()) await ownTurn();
  }
}

/** The allowance of the code that runs. A variable, because compiled schemas and patterns take no further argument. */
let current: Allowance | undefined;

function within<T>(allowance: Allowance | undefined, body: () => T): T {
  const outer = current;
  current = allowance;
  try {
    return outer === undefined ? timed(body) : body();
  } finally {
    current = outer;
  }
}

/** Runs code whose result all later objects use, so that the first of them does not pay for it. */
export function withoutAllowance<T>(body: () => T): T {
  return within(undefined, body);
}

/** Spends from the allowance of the code that runs. Upkeep of the service has none. @throws TooExpensive */
export function spend(steps: number, kind: WorkKind): void {
  current?.spend(steps, kind);
}

/** {@link Allowance.addBytes} of the code that runs. @throws TooExpensive */
export function addBytes(bytes: number): void {
  current?.addBytes(bytes);
}

export function currentAllowance(): Allowance | undefined {
  return current;
}

/** Steps or bytes of one object, which are also those of its request. */
class Account {
  readonly #spent = new Map<WorkKind, number>();
  /** The kind of the latest amounts, whose sum is not in the map yet: work of one kind usually comes together. */
  #kind: WorkKind = 'schemas';
  #ofKind = 0;
  #here = 0;

  constructor(
    private readonly objectMax: number,
    /** Shared by the objects of a request. */
    private readonly request: { readonly max: number; left: number },
  ) {}

  /** An account of another object of the request. */
  forObject(): Account {
    return new Account(this.objectMax, this.request);
  }

  get left(): number {
    return Math.max(0, Math.min(this.objectMax - this.#here, this.request.left));
  }

  /** True when the objects of the request together, and not this one, have spent too much. */
  get isRequest(): boolean {
    return this.#here <= this.objectMax || this.objectMax >= this.request.max;
  }

  /** The kind of work that has cost most for the object. */
  get largest(): WorkKind {
    this.#note();
    const [[kind] = ['schemas'] as const] = [...this.#spent].sort(([, a], [, b]) => b - a);
    return kind;
  }

  /** @returns false beyond the limit */
  spend(amount: number, kind: WorkKind): boolean {
    if (kind !== this.#kind) {
      this.#note();
      this.#kind = kind;
    }
    this.#ofKind += amount;
    // Other objects do not pay for what is refused.
    this.request.left -= Math.min(amount, this.objectMax - this.#here);
    this.#here += amount;
    return this.#here <= this.objectMax && this.request.left >= 0;
  }

  #note(): void {
    this.#spent.set(this.#kind, (this.#spent.get(this.#kind) ?? 0) + this.#ofKind);
    this.#ofKind = 0;
  }
}

function tooLong(kind: WorkKind): TooExpensive {
  const message = `takes too long to check, most of it for ${kind}; use shorter texts and lists, or a simpler schema`;
  const causes = [{ field: '', reason: 'FieldValueInvalid', message }] as const;
  return new TooExpensive('Invalid', `the object ${message}`, { causes });
}

function tooMuch(): TooExpensive {
  return new TooExpensive(
    'RequestEntityTooLarge',
    'the objects of the request together take too long to check; send fewer at once',
  );
}

function tooLarge(): TooExpensive {
  return new TooExpensive(
    'RequestEntityTooLarge',
    `the objects of the request grow beyond ${REQUEST_BYTES_MAX} bytes by the defaults of their schemas; ask for fewer at once`,
  );
}
