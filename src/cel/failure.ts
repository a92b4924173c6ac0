/** Why an expression has no value. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** It takes more steps than it may. Unlike a {@link Failure}, no part of the expression can make up for it. */
export class CutOff extends Error {
  override readonly name = 'CutOff';
}

/** @throws Failure */
export function fail(reason: string): never {
  throw new Failure(reason);
}
