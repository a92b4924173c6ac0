import type { Delivery } from './changes.js';

/** A delivery with the state of its attempts. */
export interface Queued extends Delivery {
  /** Failed attempts. */
  attempts: number;
  /** True for a dead letter that is sent again. */
  readonly isAgain: boolean;
}

/** The deliveries of one object, in the order of revisions. */
type Lane = Queued[];

/** Deliveries by object: those of one object are sent one after another, those of others at the same time. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** The deliveries that were not dead letters, by revision, ascending. */
  readonly #pending = new Map<number, Queued>();
  /** The first deliveries of objects of which nothing is being sent. */
  #ready: Queued[] = [];
  #size = 0;
  #bytes = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of deliveries, dead letters not counted. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Bytes of all bodies. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The first revision that is not delivered; undefined when there is none. */
  get first(): number | undefined {
    return this.#pending.keys().next().value;
  }

  /** The deliveries, with their failed attempts. */
  entries(): [revision: number, attempts: number][] {
    return [...this.#pending].map(([revision, { attempts }]) => [revision, attempts]);
  }

  add(delivery: Queued): void {
    if (!delivery.isAgain) this.#pending.set(delivery.revision, delivery);
    this.#size += 1;
    this.#bytes += delivery.bytes;
    const key = keyOf(delivery);
    const lane = this.#lanes.get(key);
    if (lane !== undefined) lane.push(delivery);
    else {
      this.#lanes.set(key, [delivery]);
      this.#ready.push(delivery);
    }
  }

  /** The next delivery that may be sent; the caller ends it with {@link done} or {@link again}. */
  next(): Queued | undefined {
    return this.#ready.shift();
  }

  /** Removes a delivery; the next one of its object may be sent. */
  done(delivery: Queued): void {
    if (!delivery.isAgain) this.#pending.delete(delivery.revision);
    this.#size -= 1;
    this.#bytes -= delivery.bytes;
    const key = keyOf(delivery);
    const lane = this.#lanes.get(key);
    lane?.shift();
    const next = lane?.[0];
    if (next === undefined) this.#lanes.delete(key);
    else this.#ready.push(next);
  }

  /** Makes a delivery that was not successful the next one of its object again. */
  again(delivery: Queued): void {
    this.#ready.push(delivery);
  }
}

function keyOf({ modelId, name }: Delivery): string {
  return `${modelId}/${name}`;
}
