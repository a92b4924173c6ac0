/** The reason why an expression has no value. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/**
 * The error for an expression that exceeds its steps. Unlike a {@link Failure}, no other part of the expression can
 * compensate for it.
 */
export class CutOff extends Error {
  override readonly name = 'CutOff';
}

/** @throws Failure */
export function fail(reason: string): never {
  throw new Failure(reason);
}
