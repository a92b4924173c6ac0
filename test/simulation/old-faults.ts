import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { vi } from 'vitest';
import { temporaryDirectory } from '../helpers/store.js';
import type { WorldOptions } from './world.js';

const ROOT = new URL('../../', import.meta.url).pathname;

/** A fault that the program or the world had, or could have. */
export interface OldFault {
  readonly name: string;
  /** A seed that finds it. */
  readonly seed: number;
  /** The problem that the simulation must find; others may be found too. */
  readonly problem: RegExp;
  readonly file?: string;
  /** Texts of the file, and those that replace them. */
  readonly edits?: readonly (readonly [text: string, fault: string])[];
  readonly options?: WorldOptions;
}

/** The simulation must find each of them. */
export const OLD_FAULTS: readonly OldFault[] = [
  {
    name: 'a watch joins during a step that does not read its model',
    seed: 103,
    problem: /a watch has a gap/,
    file: 'src/watch/hub.ts',
    edits: [['if (this.#stepModels?.has(modelId) === false) return false;', '']],
    options: { focus: 'watches' },
  },
  {
    name: 'a kept page is sent again for an earlier state of the store',
    seed: 34,
    problem: /a list (has another total|differs)/,
    file: 'src/list/change-tracker.ts',
    edits: [['revision > until || ', '']],
    options: { focus: 'pages' },
  },
  {
    name: 'a reconcile reads the state before the change that asked for it',
    seed: 487,
    problem: /a leader leaves work/,
    file: 'src/controller/running-controller.ts',
    edits: [
      ['revision < this.#events.newest', 'revision < 0'],
      ['endCount() > 0', 'endCount() < 0'],
    ],
    options: { focus: 'watches', medium: 'disk' },
  },
  {
    name: 'a reconcile counts that read the state before its change for a moment',
    seed: 173,
    problem: /a leader leaves work: .* has another status/,
    file: 'src/controller/running-controller.ts',
    edits: [['endCount() > 0', 'endCount() < 0']],
    options: { focus: 'owners' },
  },
  {
    name: 'the collector decides by a state from before a change that it has read',
    seed: 188,
    problem: /a leader leaves work: .* is (not removed|gone)/,
    file: 'src/owners/objects.ts',
    edits: [['revision >= this.#newest || ', 'revision >= 0 || ']],
    options: { focus: 'owners' },
  },
  {
    name: 'a leader goes on writing after another one has taken over',
    seed: 508,
    problem: /an earlier leader has written/,
    file: 'src/cluster/lease.ts',
    edits: [
      ['if (isSameTerm({ holder, token }, decode(tx.get(this.#key)))) return;', 'if (token > 0) return;'],
    ],
    options: { focus: 'leases' },
  },
  {
    name: 'a read is answered by a look at the log that began before it',
    seed: 150,
    problem: /misses a change that was seen/,
    file: 'src/engines/replicated/catch-up.ts',
    edits: [
      [
        'if (!this.#hasLooked) return this.#underWay;',
        'if (this.#hasLooked || !this.#hasLooked) return this.#underWay;',
      ],
    ],
    options: { focus: 'log' },
  },
  {
    name: 'a watch ignores that its revision is no longer in the log',
    seed: 46,
    problem: /a watch has a gap/,
    file: 'src/store/log/log-reader.ts',
    edits: [['if (revision < head.trimmed) {', 'if (revision < 0) {']],
    options: { focus: 'watches' },
  },
  {
    name: 'an append without an answer counts as refused',
    seed: 9,
    problem: /a refused write is stored/,
    file: 'src/engines/replicated/retry-policy.ts',
    edits: [['isUnknown ||= mayBeStored();', '']],
    options: { focus: 'log' },
  },
  {
    name: 'a record that was sent twice is not recognised',
    seed: 9,
    problem: /a refused write is stored/,
    file: 'test/simulation/log.ts',
    edits: [
      [
        "return isSentAgain && (await this.#isStored(after, record)) ? 'appended' : 'moved';",
        "return 'moved';",
      ],
    ],
    options: { focus: 'log' },
  },
  {
    name: 'a watch that waits for a passed-over commit reads without a pause',
    seed: 356,
    problem: /reads without end/,
    file: 'src/watch/subscription.ts',
    edits: [['this.#needsPause = !this.#isLive;', 'this.#needsPause = false;']],
    options: { focus: 'disk' },
  },
  {
    name: 'a commit is answered before it is durable',
    seed: 290,
    problem: /an answered write is lost/,
    options: { answersEarly: true, focus: 'disk' },
  },
  {
    name: 'a log server appends after a record that is not the last',
    seed: 1,
    problem: /a replica differs from its log|an answered write is lost|the log lost changes/,
    file: 'test/simulation/log-server.ts',
    edits: [['if (last.seq !== after.seq || last.id !== after.id) return false;', '']],
    options: { focus: 'log' },
  },
  {
    name: 'a writer begins from the commit that readers have, not from the newest',
    seed: 58,
    problem: /an answered write is lost/,
    file: 'test/simulation/engine.ts',
    edits: [
      ['if (this.disk.repair(this.process.scheduler.nowMs)) return false;', ''],
      ['disk.answersEarly ? disk.visible : disk.durable', 'disk.visible'],
    ],
    options: { focus: 'disk' },
  },
  {
    name: 'writers wait for ever for a stopped process that has the lock',
    seed: 120,
    problem: /waits too long/,
    file: 'src/engines/lmdb/lock-wait.ts',
    edits: [['this.#waitedMs < this.waitMsMax', 'this.#waitedMs < Infinity']],
    options: { focus: 'disk' },
  },
  {
    name: 'a kept page ignores changes of its objects',
    seed: 7,
    problem: /a list differs/,
    file: 'src/list/page-window.ts',
    edits: [
      ["return side !== 'within' && side === this.#side(after);", 'return side === this.#side(after);'],
    ],
    options: { focus: 'pages' },
  },
  {
    name: 'two objects may have one value of a unique index',
    seed: 1,
    problem: /two objects have one unique value/,
    file: 'src/store/index/entries.ts',
    edits: [
      ['if (index.unique) refuseTakenValues', 'if (index.unique && table.modelId < 0) refuseTakenValues'],
    ],
  },
  {
    name: 'an object is deleted although others refer to it',
    seed: 131,
    problem: /a reference has no object/,
    file: 'src/service/references/restrict.ts',
    edits: [['  if (first === undefined) return;\n  throw', '  if (looked >= 0) return;\n  throw']],
  },
  {
    name: 'a removal of old changes is not noted in the log',
    seed: 9,
    problem: /its last change is not in the log|a watch has a gap/,
    file: 'src/store/log/trim.ts',
    edits: [['Math.max(head.trimmed, revisionInLogKey(last))', 'head.trimmed']],
  },
  {
    name: 'the removal of old changes removes those that are kept',
    seed: 9,
    problem: /the log lost changes/,
    file: 'src/store/log/trim.ts',
    edits: [['const spare = entries - count;', 'const spare = entries - count + 1;']],
  },
  {
    name: 'a term has the token of the term before',
    seed: 1,
    problem: /has the token/,
    file: 'src/cluster/lease.ts',
    edits: [['token: now.token + 1, beat', 'token: now.token, beat']],
    options: { focus: 'leases' },
  },
  {
    name: 'the position of a webhook passes changes that are not delivered',
    seed: 7,
    problem: /a webhook has not told a change/,
    file: 'src/webhooks/courier.ts',
    edits: [['first === undefined ? this.#cursor : first - 1', 'this.#cursor']],
    options: { focus: 'webhooks' },
  },
  {
    name: 'a webhook sends changes of one object at the same time',
    seed: 1,
    problem: /a webhook has told a change after a later one/,
    file: 'src/webhooks/lanes.ts',
    edits: [
      ['keyOf({ modelId, name }', 'keyOf({ modelId, name, revision }'],
      ['`${modelId}/${name}`', '`${modelId}/${name}/${revision}`'],
    ],
    options: { focus: 'webhooks' },
  },
  {
    name: 'the log is trimmed past what a webhook needs',
    seed: 77,
    problem: /a webhook has not told a change/,
    file: 'src/daemon/upkeep.ts',
    edits: [['{ ...retention, unread }', 'retention']],
    options: { focus: 'webhooks' },
  },
];

let changed: string | undefined;

/** Loads the simulation with a copy of a source file that has the fault. */
export async function loadWith({ file, edits = [] }: OldFault): Promise<typeof import('./run.js')> {
  vi.resetModules();
  if (changed !== undefined) vi.doUnmock(changed);
  changed = undefined;
  if (file !== undefined) {
    const source = path.join(ROOT, file);
    const copy = path.join(temporaryDirectory(), file);
    mkdirSync(path.dirname(copy), { recursive: true });
    writeFileSync(copy, edited(source, edits));
    changed = source;
    vi.doMock(source, () => import(copy) as Promise<object>);
  }
  return import('./run.js');
}

/** The text of a file with edits. Its relative imports name files at their places. */
function edited(source: string, edits: NonNullable<OldFault['edits']>): string {
  let text = readFileSync(source, 'utf8');
  for (const [found, fault] of edits) {
    if (!text.includes(found)) throw new Error(`${source} does not contain ${found}`);
    text = text.replace(found, fault);
  }
  const isRelative = /(?<= from ')\.[^']+(?=')/g;
  return text.replace(isRelative, (name) => path.join(path.dirname(source), name));
}

/** More seeds than any of the faults needs. */
const SEEDS_MAX = 2_000;

/**
 * Simulates seeds until one finds the problem of a fault.
 * @returns the seed
 * @throws Error with the other problems that were found, when none does
 */
export async function findWith(fault: OldFault, first = fault.seed): Promise<number> {
  const { runSeed } = await loadWith(fault);
  const others: string[] = [];
  for (let seed = first; seed < first + SEEDS_MAX; seed++) {
    const found = await runSeed(seed, fault.options).then(
      () => '',
      (error: unknown) => String(error),
    );
    if (fault.problem.test(found)) return seed;
    if (found !== '') others.push(found);
  }
  throw new Error(`${SEEDS_MAX} seeds do not find it, but ${others.join('\n') || 'nothing'}`);
}
