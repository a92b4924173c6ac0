import type { Change, History, ListCall } from './history.js';
import type { Log } from './log.js';
import type { Kind } from './models.js';
import type { Property } from './property.js';
import { rangeOf } from './write-properties.js';

export const READ_PROPERTIES: readonly Property[] = [
  {
    name: 'a read shows all that was answered or shown before it began',
    faults: (history, log) => staleReads(history, log),
  },
  {
    name: 'a list shows what is stored at its revision, by whatever index',
    faults: ({ lists }, log) => wrongLists(lists, log),
  },
  {
    name: 'no list shows a part of a commit',
    faults: ({ lists, writes }, log) => {
      const inner = new Set(writes.flatMap((call) => innerRevisions(rangeOf(call, log))));
      return lists
        .filter(({ revision }) => inner.has(revision))
        .map(({ client, revision }) => `${client} ${revision}`);
    },
  },
];

/** The revisions at which a commit of several changes is not there whole. */
function innerRevisions(range: ReturnType<typeof rangeOf>): number[] {
  if (range === undefined || range === 'torn') return [];
  return Array.from({ length: range.last - range.first }, (_, i) => range.first + i);
}

function staleReads(history: History, log: Log): string[] {
  const floor = floorOf(history, log);
  const gets = history.gets.filter((call) => {
    const { kind, name, revision, began } = call;
    if (revision !== undefined)
      return (log.after(kind, name, revision)?.revision ?? Infinity) <= floor(began);
    return !wasGone(log, { kind, name, since: floor(began) });
  });
  const lists = history.lists.filter(({ revision, began }) => revision < floor(began));
  return [...gets, ...lists.map(({ shown: _, ...call }) => call)].map(
    (call) => `${JSON.stringify(call)}, after ${floor(call.began)}`,
  );
}

/** True when the object did not exist at some moment since the revision. */
function wasGone(log: Log, { kind, name, since }: { kind: Kind; name: string; since: number }): boolean {
  const then = log.at(kind, name, since);
  const isThere = then !== undefined && then.type !== 'DELETED';
  return !isThere || log.of(kind, name).some(({ type, revision }) => type === 'DELETED' && revision > since);
}

/** By a moment: the latest revision that somebody had been answered or shown. */
function floorOf({ writes, gets, lists }: History, log: Log): (at: number) => number {
  const ofWrites = writes.flatMap(({ items, outcome, revision, ended }) => {
    if (outcome !== 'done') return [];
    const marks = items.flatMap(({ mark }) => (mark === undefined ? [] : log.stored(mark)));
    return [{ ended, revision: Math.max(revision ?? 0, ...marks.map((change) => change.revision)) }];
  });
  const ofGets = gets.map(({ ended, revision = 0 }) => ({ ended, revision }));
  const known = [...ofWrites, ...ofGets, ...lists].sort((a, b) => a.ended - b.ended);
  let highest = 0;
  const steps = known.map(({ ended, revision }) => ({
    ended,
    highest: (highest = Math.max(highest, revision)),
  }));
  return (at) => {
    let [low, high] = [0, steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((steps[middle]?.ended ?? Infinity) < at) low = middle + 1;
      else high = middle;
    }
    return steps[low - 1]?.highest ?? 0;
  };
}

/** Goes through the log and looks at each list when its revision has come. */
function wrongLists(lists: readonly ListCall[], log: Log): string[] {
  const there = new Map<Kind, Map<string, Change>>();
  const faults: string[] = [];
  let next = 0;
  for (const list of lists.toSorted((a, b) => a.revision - b.revision)) {
    for (; (log.changes[next]?.revision ?? Infinity) <= list.revision; next += 1) {
      const change = log.changes[next];
      if (change !== undefined) put(there, change);
    }
    const due = [...(there.get(list.kind)?.values() ?? [])]
      .filter(({ shelf }) => list.shelf === undefined || shelf === list.shelf)
      .map(({ name, revision }) => `${name} ${revision}`);
    const shown = Object.entries(list.shown).map(([name, revision]) => `${name} ${revision}`);
    const wrong = [
      ...without(due, shown).map((one) => `lacks ${one}`),
      ...without(shown, due).map((one) => `has ${one}`),
    ];
    if (wrong.length === 0) continue;
    const { client, kind, shelf = 'all', revision } = list;
    faults.push(`${client}: ${kind} ${shelf} at ${revision} ${wrong.slice(0, 5).join(', ')}`);
  }
  return faults;
}

function put(there: Map<Kind, Map<string, Change>>, change: Change): void {
  const ofKind = there.get(change.kind) ?? new Map<string, Change>();
  there.set(change.kind, ofKind);
  if (change.type === 'DELETED') ofKind.delete(change.name);
  else ofKind.set(change.name, change);
}

function without(all: readonly string[], some: readonly string[]): string[] {
  const left = new Set(some);
  return all.filter((one) => !left.has(one));
}
