import { conflict } from '../errors.js';
import { SYSTEM_CLOCK, type Clock } from '../lib/time/clock.js';
import type { ProcessState } from '../lib/process/process-identity.js';
import type { Engine, Transaction } from '../store/engine.js';
import type { Fence } from '../store/fence.js';
import { leaseKey } from '../store/index/keys.js';

/** A stored lease. It has no revision and no log entry, and watches do not report it. */
export interface LeaseRecord {
  /** The owner name of the holder; empty without a holder. */
  readonly holder: string;
  /** Increases with each change of the holder. */
  readonly token: number;
  /** Increases with each heartbeat of the holder. */
  readonly beat: number;
  /** Without a heartbeat for this time, the holder has lost the lease. */
  readonly durationMs: number;
  /** True when another process requests a heartbeat from a holder that sends none by itself. */
  readonly isAsked?: boolean;
}

/** Detects if the holder of a lease is still alive. */
export interface Liveness {
  /** Interval of the checks, in milliseconds. */
  readonly tickMs: number;
  readonly durationMs: number;
  /**
   * True when a holder sends a heartbeat at each check, and loses the lease when it cannot. False when it sends one
   * on request.
   */
  readonly beats: boolean;
  /** For `unknown`, heartbeats decide. */
  getState(holder: string): ProcessState;
}

/** A check costs one read. Other processes are notified of a release sooner. */
const PROCESS_TICK_MS = 1_000;
/** Longest time for the answer of a living holder whose process is not visible. */
const ANSWER_MS = 4_000;

/**
 * For holders that all run on one machine. Nothing is written while the holder is unchanged.
 * @param durationMs time in which a holder whose process is not visible must answer; at most 4 s
 */
export function byProcess(getState: Liveness['getState'], durationMs = ANSWER_MS): Liveness {
  const answerMs = Math.min(durationMs, ANSWER_MS);
  return {
    tickMs: Math.min(PROCESS_TICK_MS, answerMs / 4),
    durationMs: answerMs,
    beats: false,
    getState: getState,
  };
}

/** Default time without a heartbeat until the lease is lost. */
const LEASE_MS = 10_000;

/**
 * For holders on any machine. Clocks of two machines are never compared: each process measures the time between
 * heartbeats by its clock.
 * @param durationMs time without a heartbeat until the holder has lost the lease
 */
export function byBeats(durationMs = LEASE_MS): Liveness {
  return { tickMs: durationMs / 4, durationMs, beats: true, getState: () => 'unknown' };
}

/** The period of a holder, from acquiring the lease until losing or releasing it. */
export interface Term extends Fence {
  readonly holder: string;
}

export interface LeaseOptions {
  readonly engine: Pick<Engine, 'get' | 'commit' | 'onOtherCommit'>;
  readonly name: string;
  /** Differs from every other process, and from every other part of this one. */
  readonly holder: string;
  readonly liveness: Liveness;
  readonly clock?: Clock;
  readonly onBegin: (term: Term) => void;
  /** Another process took the lease, or the heartbeat was late. Writes of the term are refused from now on. */
  readonly onEnd: (term: Term) => void;
  /** The lease can be neither read nor written. The attempt is repeated. */
  readonly onProblem: (error: unknown) => void;
}

/**
 * A holder without a heartbeat stops at this share of the duration. The rest is time for its current work, before
 * another holder may begin.
 */
const ACT_SHARE = 0.6;
/** Delay that combines bursts of commits into one check. */
const WAKE_MS = 20;

const FREE: LeaseRecord = { holder: '', token: 0, beat: 0, durationMs: 0 };

/** A candidate for a lease. At most one candidate holds it; when that one ends, another takes over. */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #key: Buffer;
  readonly #clock: Clock;
  #record = FREE;
  #term: Term | undefined;
  /** The latest heartbeat of a holder whose process is not visible, and the time when it was first seen. */
  #seen: { readonly beat: string; readonly sinceMs: number } | undefined;
  #looking: Promise<void> | undefined;
  #isStopped = false;
  #cancelTick = nothing;
  #cancelWake: (() => void) | undefined;
  #cancelEnd = nothing;
  #stopListening = nothing;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#key = leaseKey(options.name);
    this.#clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** The last known state of the lease. */
  get record(): LeaseRecord {
    return this.#record;
  }

  /** Undefined while another process holds the lease, and while it is free. */
  get term(): Term | undefined {
    return this.#term;
  }

  /** Acquires the lease when it is free, and waits for it otherwise. Resolves after the first attempt. */
  async start(): Promise<void> {
    this.#stopListening = this.#options.engine.onOtherCommit(() => this.#wake());
    await this.#tick();
  }

  /** Releases the lease, so that another candidate can acquire it at once. The term must have no more writes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopListening();
    this.#cancelTick();
    this.#cancelWake?.();
    this.#cancelEnd();
    await this.#looking;
    const term = this.#term;
    this.#term = undefined;
    if (term === undefined) return;
    await this.#options.engine
      .commit((tx) => {
        const record = decode(tx.get(this.#key));
        if (isSameTerm(term, record)) tx.put(this.#key, encode({ ...record, holder: '', beat: 0 }));
      })
      .catch(this.#options.onProblem);
  }

  /** Checks the lease now. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch(this.#options.onProblem)
      .finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #tick(): Promise<void> {
    this.#cancelTick();
    if (this.#isStopped) return;
    this.#cancelTick = this.#clock.setTimer(this.#options.liveness.tickMs, () => void this.#tick());
    await this.look();
  }

  /** A waiting candidate checks when another process has written, which may be a release of the lease. */
  #wake(): void {
    if (this.#term !== undefined || this.#isStopped) return;
    this.#cancelWake ??= this.#clock.setTimer(WAKE_MS, () => {
      this.#cancelWake = undefined;
      void this.look();
    });
  }

  async #look(): Promise<void> {
    const sinceMs = this.#clock.now();
    const record = decode(await this.#options.engine.get(this.#key));
    if (this.#isStopped) return;
    this.#record = record;
    const term = this.#term;
    if (term !== undefined) {
      if (isSameTerm(term, record)) await this.#keep(term, record, sinceMs);
      else this.#end();
      return;
    }
    // A lease still held from an ended term is acquired again, so that the token distinguishes the terms.
    if (record.holder === this.#options.holder || (await this.#isGone(record))) await this.#take(record);
  }

  async #keep(term: Term, record: LeaseRecord, sinceMs: number): Promise<void> {
    if (!this.#options.liveness.beats && record.isAsked !== true) return;
    const kept = await this.#options.engine.commit((tx) => {
      const { isAsked: _answered, ...now } = decode(tx.get(this.#key));
      if (!isSameTerm(term, now)) return undefined;
      const next = { ...now, beat: now.beat + 1 };
      tx.put(this.#key, encode(next));
      return next;
    });
    // The term may have ended in the meantime.
    if (this.#term !== term) return;
    if (kept === undefined) this.#end();
    else {
      this.#record = kept;
      this.#endUnlessKept(sinceMs);
    }
  }

  async #take(found: LeaseRecord): Promise<void> {
    const sinceMs = this.#clock.now();
    const { engine, holder, liveness } = this.#options;
    const taken = await engine.commit((tx) => {
      const now = decode(tx.get(this.#key));
      // Another candidate was faster, or the holder is alive after all.
      if (getHeartbeat(now) !== getHeartbeat(found)) return undefined;
      const next = { holder, token: now.token + 1, beat: 0, durationMs: liveness.durationMs };
      tx.put(this.#key, encode(next));
      return next;
    });
    if (taken === undefined) return;
    this.#record = taken;
    this.#term = { holder, token: taken.token, guard: (tx) => this.#guard(tx, taken) };
    if (this.#isStopped) return;
    this.#endUnlessKept(sinceMs);
    this.#options.onBegin(this.#term);
  }

  /** True when the lease has no living holder. */
  async #isGone(record: LeaseRecord): Promise<boolean> {
    if (record.holder === '') return true;
    const { liveness, engine } = this.#options;
    const state = liveness.getState(record.holder);
    if (state !== 'unknown') return state === 'dead';
    const [beat, nowMs] = [getHeartbeat(record), this.#clock.now()];
    if (this.#seen?.beat !== beat) this.#seen = { beat, sinceMs: nowMs };
    if (nowMs - this.#seen.sinceMs >= record.durationMs) return true;
    if (!liveness.beats && record.isAsked !== true)
      await engine.commit((tx) => {
        const now = decode(tx.get(this.#key));
        if (getHeartbeat(now) === beat) tx.put(this.#key, encode({ ...now, isAsked: true }));
      });
    return false;
  }

  /** Ends the term of a holder without a heartbeat in time, even when the store cannot be reached. */
  #endUnlessKept(sinceMs: number): void {
    const { beats, durationMs } = this.#options.liveness;
    if (!beats) return;
    this.#cancelEnd();
    const leftMs = sinceMs + ACT_SHARE * durationMs - this.#clock.now();
    this.#cancelEnd = this.#clock.setTimer(leftMs, () => this.#end());
  }

  #end(): void {
    const term = this.#term;
    this.#cancelEnd();
    this.#term = undefined;
    if (term !== undefined) this.#options.onEnd(term);
  }

  #guard(tx: Transaction, { holder, token }: LeaseRecord): void {
    if (isSameTerm({ holder, token }, decode(tx.get(this.#key)))) return;
    throw conflict(
      `this process is no longer the leader: another one took over (token ${token}); this write is not stored`,
    );
  }
}

function nothing(): void {}

function isSameTerm({ holder, token }: Pick<Term, 'holder' | 'token'>, record: LeaseRecord): boolean {
  return record.holder === holder && record.token === token;
}

/** Unchanged until the next heartbeat, or another holder. */
function getHeartbeat({ holder, token, beat }: LeaseRecord): string {
  return [holder, token, beat].join(' ');
}

function decode(bytes: Buffer | undefined): LeaseRecord {
  return bytes === undefined ? FREE : (JSON.parse(bytes.toString()) as LeaseRecord);
}

function encode(record: LeaseRecord): Buffer {
  return Buffer.from(JSON.stringify(record));
}
