import type { Clock } from '../lib/time/clock.js';

const HANG_MS = 60_000;
const LOOK_EVERY_MS = 10_000;

interface InWork {
  readonly name: string;
  readonly since: number;
}

/** Reports, once each, the reconciles that run for more than a minute. */
export class HangWatch {
  #cancel: (() => void) | undefined;
  /** The reported reconciles: the name, and when its reconcile began. */
  #reported = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly inWork: () => readonly InWork[],
    private readonly report: (name: string, seconds: number) => void,
  ) {}

  start(): void {
    this.#cancel = this.clock.setTimer(LOOK_EVERY_MS, () => {
      this.#look();
      this.start();
    });
  }

  stop(): void {
    this.#cancel?.();
  }

  #look(): void {
    const now = this.clock.now();
    const hanging = this.inWork().filter(({ since }) => now - since >= HANG_MS);
    for (const { name, since } of hanging) {
      if (this.#reported.get(name) !== since) this.report(name, Math.round((now - since) / 1000));
    }
    this.#reported = new Map(hanging.map(({ name, since }) => [name, since]));
  }
}
