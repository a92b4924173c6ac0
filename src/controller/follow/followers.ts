import { EventSource, type EventSourcePorts } from './event-source.js';
import type { FollowedModel } from './followed.js';
import type { ControllerPhase } from '../status.js';

/** Receives the names and the losses of all followed models. */
export interface FollowersTarget {
  /** Receives a name to reconcile because an object changed. */
  changed(name: string, followed: FollowedModel): void;
  /** Receives a name of a sync. */
  synced(name: string, followed: FollowedModel): void;
  /** Undefined when the target can take further names of a sync; else a promise of that. */
  room(): Promise<void> | undefined;
  /** The changes of a model cannot be followed; it is tried again after this number of milliseconds. */
  broken(followed: FollowedModel, message: string, retryAfterMs: number): void;
}

interface State {
  readonly phase: Extract<ControllerPhase, 'syncing' | 'running' | 'recovering'>;
  /** The reason of a recovery. */
  readonly message?: string;
}

/** Follows all models of a controller, as one: it is running when each of them is followed. */
export class Followers {
  readonly #sources: readonly EventSource[];
  readonly #states: State[];

  constructor(followed: readonly FollowedModel[], ports: EventSourcePorts, target: FollowersTarget) {
    this.#states = followed.map(() => ({ phase: 'syncing' }));
    this.#sources = followed.map((one, at) => {
      const enter = (state: State): void => void (this.#states[at] = state);
      return new EventSource(one, ports, {
        changed: (name) => target.changed(name, one),
        synced: (name) => target.synced(name, one),
        room: () => target.room(),
        syncing: () => enter({ phase: 'syncing' }),
        settled: () => enter({ phase: 'running' }),
        broken: (message, retryAfterMs) => {
          enter({ phase: 'recovering', message });
          target.broken(one, message, retryAfterMs);
        },
      });
    });
  }

  /** The state of the model that is furthest from being followed. */
  get state(): State {
    const find = (phase: State['phase']): State | undefined =>
      this.#states.find((state) => state.phase === phase);
    return find('recovering') ?? find('syncing') ?? { phase: 'running' };
  }

  /** Every change of each model up to this revision was delivered; -1 during a delivery, or when changes cannot be read. */
  get position(): number {
    return Math.min(...this.#sources.map(({ position }) => position ?? -1));
  }

  /** No change of any model after this revision was delivered. */
  get newest(): number {
    return Math.max(...this.#sources.map(({ newest }) => newest));
  }

  /** Ends when the signal is aborted; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.run(signal)));
  }
}
