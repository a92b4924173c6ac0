import type { Engine } from '../store/engine.js';
import { byProcess, Lease, type LeaseOptions, type Liveness } from './lease.js';
import { isPresent } from './presence.js';
import type { Processes } from './served-models.js';

export interface MemberOptions {
  /** The unique name of this process among those that share the store; identifies the builder of an index. */
  readonly owner: string;
  /** True when the store is open for reading only. Default: false. */
  readonly readOnly?: boolean;
  /** True when the process with this owner name is alive. */
  readonly isAlive: (owner: string) => boolean;
  /** Detects if the holder of a lease is still alive. Default: by `isAlive`. */
  readonly liveness?: Liveness | undefined;
}

export type LeaseEvents = Pick<LeaseOptions, 'onBegin' | 'onEnd' | 'onProblem'>;

/** A process among those that share the data of an engine: it competes for leases, and finds living others. */
export class Member implements Processes {
  readonly owner: string;
  readonly isAlive: (owner: string) => boolean;
  readonly isReadOnly: boolean;
  readonly answers: Processes['answers'];
  protected readonly liveness: Liveness;

  constructor(
    private readonly engine: Engine,
    { owner, isAlive, readOnly = false, liveness }: MemberOptions,
  ) {
    this.owner = owner;
    this.isAlive = isAlive;
    this.isReadOnly = readOnly;
    this.liveness = liveness ?? byProcess((holder) => (isAlive(holder) ? 'alive' : 'dead'));
    const { beats, durationMs: answerMs } = this.liveness;
    this.answers = beats ? (other) => isPresent(engine, other, { asker: owner, answerMs }) : undefined;
  }

  /**
   * A lease for which this process and others compete. It must be started, and stopped before the engine closes.
   */
  lease(name: string, events: LeaseEvents): Lease {
    const { engine, owner: holder, liveness } = this;
    return new Lease({ ...events, engine, name, holder, liveness });
  }
}
