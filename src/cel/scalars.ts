import { formatDuration, formatTime } from './time.js';
import type { SimpleKind } from './types.js';

export const INT_MIN = -(2n ** 63n);
export const INT_MAX = 2n ** 63n - 1n;
export const UINT_MAX = 2n ** 64n - 1n;

/** A value that has no JavaScript type. Two values of one kind are equal when their texts are equal. */
export abstract class CelScalar {
  abstract readonly kind: SimpleKind;
  abstract toString(): string;
}

/** An integer without a sign, of 64 bits. */
export class Uint extends CelScalar {
  readonly kind = 'uint';

  constructor(readonly value: bigint) {
    super();
  }

  toString(): string {
    return String(this.value);
  }
}

/** A point in time, in nanoseconds since 1970. */
export class Timestamp extends CelScalar {
  readonly kind = 'timestamp';

  constructor(readonly nanos: bigint) {
    super();
  }

  toString(): string {
    return formatTime(this.nanos);
  }
}

/** A span of time, in nanoseconds. */
export class Duration extends CelScalar {
  readonly kind = 'duration';

  constructor(readonly nanos: bigint) {
    super();
  }

  toString(): string {
    return formatDuration(this.nanos);
  }
}

/** The result of `type(x)`. */
export class TypeValue extends CelScalar {
  readonly kind = 'type';

  constructor(readonly name: string) {
    super();
  }

  toString(): string {
    return this.name;
  }
}
