import { ConnectionLost, NotSent } from '../../src/engines/replicated/retry-policy.js';
import type { SimulatedProcess } from './scheduler.js';

/** The time until a sender notices that nothing answers. */
const NOTICE_MS = 60;
/** The latest time at which a request arrives whose sender has given up. */
const LATE_MS = 1_500;

/** What the network does to messages. */
export class Network {
  /** Machines whose requests do not arrive, or only the answers to them. */
  readonly cut = new Map<string, 'requests' | 'answers'>();
  /** The share of requests whose answer is lost, before or after they are executed. */
  lossRate = 0;
  readonly #links = new Set<Link>();

  constructor(
    /** The process at the other end. */
    readonly server: SimulatedProcess,
    /** The longest time of a message. */
    readonly delayMs: number,
  ) {}

  link(process: SimulatedProcess, machine: string): Link {
    const link = new Link(this, process, machine);
    this.#links.add(link);
    return link;
  }

  cutOff(machine: string, what: 'requests' | 'answers'): void {
    this.cut.set(machine, what);
    for (const link of this.#links) if (link.machine === machine) link.endStreams();
  }

  heal(): void {
    this.cut.clear();
    this.lossRate = 0;
  }
}

/** The connection of a process to the server. */
export class Link {
  readonly #streams = new Set<() => void>();

  constructor(
    private readonly network: Network,
    private readonly process: SimulatedProcess,
    readonly machine: string,
  ) {}

  get #cut(): 'requests' | 'answers' | undefined {
    return this.network.cut.get(this.machine);
  }

  #delayMs(): number {
    return this.process.scheduler.random.next() ** 3 * this.network.delayMs;
  }

  /** Executes a request at the server. @throws ConnectionLost when its answer does not arrive */
  request<T>(label: string, execute: () => T | Promise<T>): Promise<T> {
    const { process, network } = this;
    const { random } = process.scheduler;
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void =>
        void process.later(NOTICE_MS, `${label}: no answer`, () => reject(error));
      if (this.#cut === 'requests') {
        fail(new NotSent('the log is not reachable'));
        return;
      }
      const isLost = random.chance(network.lossRate);
      if (isLost) fail(new ConnectionLost('the answer is lost'));
      if (isLost && random.chance(0.3)) return;
      const ms = isLost && random.chance(0.5) ? random.next() * LATE_MS : this.#delayMs();
      network.server.later(ms, label, () => {
        Promise.resolve(execute()).then(
          (answer) => {
            if (isLost) return;
            if (this.#cut !== undefined) fail(new ConnectionLost('the network is cut'));
            else process.later(this.#delayMs(), `${label}: answered`, () => resolve(answer));
          },
          (error: unknown) => {
            network.server.scheduler.failure ??= error instanceof Error ? error : new Error(String(error));
          },
        );
      });
    });
  }

  /** Receives notices until the connection ends. @throws ConnectionLost when it does */
  stream(subscribe: (notify: () => void) => () => void, receive: () => void): Promise<void> {
    const { process } = this;
    return new Promise((_resolve, reject) => {
      if (this.#cut !== undefined) {
        reject(new NotSent('the log is not reachable'));
        return;
      }
      const unsubscribe = subscribe(() => process.later(this.#delayMs() * 5, 'notices a commit', receive));
      const end = (): void => {
        this.#streams.delete(end);
        unsubscribe();
        process.later(NOTICE_MS, 'the notices end', () => reject(new ConnectionLost('the network is cut')));
      };
      this.#streams.add(end);
    });
  }

  endStreams(): void {
    for (const end of [...this.#streams]) end();
  }
}
