import { conflict } from '../../errors.js';
import { SYSTEM_CLOCK, type Clock } from '../../lib/time/clock.js';
import type { ProcessState } from '../../lib/process/process-identity.js';
import type { Engine, Transaction } from '../engine.js';
import type { Fence } from './fence.js';
import { leaseKey } from '../index/keys.js';

/**
 * A lease as it is stored. Nothing else knows of it: it has no revision, no entry in the log, and no watch tells of it.
 */
export interface LeaseRecord {
  /** Who holds it, by the name of the process; empty while nobody does. */
  readonly holder: string;
  /** Rises with each change of the holder. */
  readonly token: number;
  /** Rises with each sign of life of the holder. */
  readonly beat: number;
  /** Without a beat for so long, the holder has lost it. */
  readonly durationMs: number;
  /** Whether somebody wants to see a beat of a holder who gives none by itself. */
  readonly isAsked?: boolean;
}

/** How it is known whether the holder of a lease still works. */
export interface Liveness {
  /** How often to look. */
  readonly tickMs: number;
  readonly durationMs: number;
  /** Whether a holder beats at each look, and has lost the lease when it cannot; else it beats when it is asked. */
  readonly beats: boolean;
  /** The beats tell of a holder whose state is unknown. */
  getState(holder: string): ProcessState;
}

/** Looking costs one read. Other processes hear of a release sooner. */
const PROCESS_TICK_MS = 1_000;
/** What a living holder that cannot be seen needs to answer at most. */
const ANSWER_MS = 4_000;

/**
 * For holders that all run on one machine: nothing is written while all is as it was.
 * @param durationMs a holder that cannot be seen must answer within it; at most 4 s
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

/** What a holder that beats is given by default. */
const LEASE_MS = 10_000;

/**
 * For holders anywhere. No clocks of two machines are compared: each waits for a beat by its own.
 * @param durationMs a holder that is not heard of for so long has lost the lease
 */
export function byBeats(durationMs = LEASE_MS): Liveness {
  return { tickMs: durationMs / 4, durationMs, beats: true, getState: () => 'unknown' };
}

/** The time of a holder, from the moment it took the lease until it lost it or gave it back. */
export interface Term extends Fence {
  readonly holder: string;
}

export interface LeaseOptions {
  readonly engine: Pick<Engine, 'get' | 'commit' | 'onOtherCommit'>;
  readonly name: string;
  /** Unlike any other process and any other part of this one. */
  readonly holder: string;
  readonly liveness: Liveness;
  readonly clock?: Clock;
  readonly onBegin: (term: Term) => void;
  /** Another took the lease, or this one could not beat in time. Its writes are refused from here on. */
  readonly onEnd: (term: Term) => void;
  /** The lease can be neither read nor written; it is tried again. */
  readonly onProblem: (error: unknown) => void;
}

/** A holder that could not beat stops before another one may begin, with time for what it does at the moment. */
const ACT_SHARE = 0.6;
/** Commits of others come in crowds; one look is enough for all. */
const WAKE_MS = 20;

const FREE: LeaseRecord = { holder: '', token: 0, beat: 0, durationMs: 0 };

/** One of those that want to hold a lease. At most one holds it; when that one ends, another takes over. */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #key: Buffer;
  readonly #clock: Clock;
  #record = FREE;
  #term: Term | undefined;
  /** Beat of a holder that cannot be seen, and when it was seen first. */
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

  /** Whose it is, as far as is known. */
  get record(): LeaseRecord {
    return this.#record;
  }

  /** Undefined while another holds it, or nobody. */
  get term(): Term | undefined {
    return this.#term;
  }

  /** Takes the lease if it can be had, and waits for it otherwise. Resolves after the first attempt. */
  async start(): Promise<void> {
    this.#stopListening = this.#options.engine.onOtherCommit(() => this.#wake());
    await this.#tick();
  }

  /** Gives the lease back, so that another can take it at once; the term must have no more to write. */
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

  /** Looks now. */
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

  /** Who waits for the lease looks when another process has written: it may have given the lease back. */
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
    // What is still ours from a term that has ended is taken anew, so that the token tells the terms apart.
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
    // It may have ended meanwhile.
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
      // Another was quicker, or the holder lives after all.
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

  /** Whether nobody holds it who still works. */
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

  /** A holder that must beat ends by itself in time, also when it cannot reach the store. */
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

/** The same until the holder beats or another one holds it. */
function getHeartbeat({ holder, token, beat }: LeaseRecord): string {
  return [holder, token, beat].join(' ');
}

function decode(bytes: Buffer | undefined): LeaseRecord {
  return bytes === undefined ? FREE : (JSON.parse(bytes.toString()) as LeaseRecord);
}

function encode(record: LeaseRecord): Buffer {
  return Buffer.from(JSON.stringify(record));
}
