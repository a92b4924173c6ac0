import { decodeLogHead, LOG_HEAD_KEY, type LogHead } from '../../src/store/log/log.js';
import type { LeaseRecord } from '../../src/cluster/lease.js';
import { leaseKey } from '../../src/store/index/keys.js';
import type { Pairs } from './pairs.js';

function headOf(pairs: Pairs): LogHead {
  return decodeLogHead(pairs.get(LOG_HEAD_KEY));
}

const LEADER = leaseKey('leader');

/** The lease of the leader. */
export function leaderIn(pairs: Pairs): Pick<LeaseRecord, 'holder' | 'token'> {
  const bytes = pairs.get(LEADER);
  return bytes === undefined ? { holder: '', token: 0 } : (JSON.parse(bytes.toString()) as LeaseRecord);
}

/** Keeps the states before each removal of old changes, so that all changes can be compared at the end. */
export class Archive {
  readonly states: Pairs[] = [];
  /** A commit that no process may make. */
  problem: string | undefined;

  /** @param changesMin the number of last changes that are never removed */
  constructor(private readonly changesMin: number) {}

  /** Notes a commit. */
  note(before: Pairs, after: Pairs): void {
    this.#noteLeader(leaderIn(before), leaderIn(after));
    this.#noteTrim(before, headOf(before), headOf(after));
  }

  /** Each term has a token of its own. */
  #noteLeader(old: Pick<LeaseRecord, 'holder' | 'token'>, now: Pick<LeaseRecord, 'holder' | 'token'>): void {
    if (now.holder === old.holder || now.holder === '' || now.token > old.token) return;
    this.problem ??= `${now.holder} has the token ${now.token} of ${old.holder}`;
  }

  #noteTrim(before: Pairs, old: LogHead, now: LogHead): void {
    if (now.trimmed === old.trimmed) return;
    this.states.push(before);
    if (now.trimmed > now.revision - this.changesMin)
      this.problem ??= `the log lost changes up to ${now.trimmed} of ${now.revision}`;
  }
}
