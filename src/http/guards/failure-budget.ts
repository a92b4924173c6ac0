export interface FailureBudgetOptions {
  /** Failures that an address may have at once. */
  readonly failuresMax: number;
  /** After so many milliseconds it may have one more. */
  readonly refillMs: number;
  /** Addresses that are remembered; beyond that, those that failed longest ago are forgotten. */
  readonly addressesMax: number;
}

const DEFAULTS: FailureBudgetOptions = { failuresMax: 20, refillMs: 3_000, addressesMax: 10_000 };

/** How many failures each address still has: a bucket that fills again. */
export class FailureBudget {
  readonly #options: FailureBudgetOptions;
  /** When the bucket of a network is full again, in milliseconds; the one that failed last is the last. */
  readonly #fullAt = new Map<string, number>();

  constructor(options: Partial<FailureBudgetOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Networks that are remembered. */
  get size(): number {
    return this.#fullAt.size;
  }

  /**
   * Counts a failure.
   * @returns undefined while the address has failures left; else after how many milliseconds it has one again
   */
  spend(address: string, nowMs: number): number | undefined {
    const { failuresMax, refillMs, addressesMax } = this.#options;
    const network = getNetwork(address);
    const fullAt = Math.max(nowMs, this.#fullAt.get(network) ?? 0);
    const waitMs = fullAt + refillMs - failuresMax * refillMs - nowMs;
    this.#fullAt.delete(network);
    this.#fullAt.set(network, waitMs > 0 ? fullAt : fullAt + refillMs);
    for (const oldest of this.#fullAt.keys()) {
      if (this.#fullAt.size <= addressesMax) break;
      this.#fullAt.delete(oldest);
    }
    return waitMs > 0 ? waitMs : undefined;
  }
}

/** Whom an address belongs to: an IPv6 host has a whole network of 64 bits for itself. */
export function getNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const groups = [...(first ?? [])];
  if (tail !== undefined) while (groups.length + (last?.length ?? 0) < 8) groups.push('0');
  return [...groups, ...(last ?? [])].slice(0, 4).join(':');
}
