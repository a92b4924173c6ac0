/** A running service with the objects of the shop. */
export interface World {
  readonly url: string;
  readonly directory: string;
  /** Also removes the store. */
  readonly stop: () => Promise<void>;
}

export interface WorldOptions {
  readonly products?: number;
  readonly port?: number;
  readonly flags?: readonly string[];
  readonly plugins?: readonly string[];
}

export function startWorld(options?: WorldOptions): Promise<World>;
