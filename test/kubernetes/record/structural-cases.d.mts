import type { JsonObject } from '../../../src/model/object.js';

/** An object to be created, or replaced when there is one with its name. */
export interface Step {
  readonly object: JsonObject & { readonly metadata: { readonly name: string } };
  /** Replaces the schema before. */
  readonly schema?: JsonObject;
}

export const CASES: readonly {
  readonly name: string;
  readonly schema: JsonObject;
  readonly steps: readonly Step[];
}[];
