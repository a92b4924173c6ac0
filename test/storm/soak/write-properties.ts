import type { Change, Item, WriteCall } from './history.js';
import { isStated, type Log } from './log.js';
import type { Property } from './property.js';

const asText = (value: unknown): string => JSON.stringify(value);

export const WRITE_PROPERTIES: readonly Property[] = [
  {
    name: 'an answered write is stored',
    faults: ({ writes }, log) =>
      writes
        .filter(({ outcome }) => outcome === 'done')
        .filter((call) => !call.items.every((item) => isStored(call, item, log)))
        .map(asText),
  },
  {
    name: 'a refused write is not stored',
    faults: ({ writes }, log) =>
      writes
        .filter(({ outcome }) => outcome === 'refused')
        .filter(({ items }) => items.some(({ mark }) => mark !== undefined && log.stored(mark).length > 0))
        .map(asText),
  },
  {
    name: 'no write is stored twice',
    faults: ({ writes }, log) =>
      writes
        .flatMap(({ items }) => items)
        .filter(({ mark }) => mark !== undefined && log.stored(mark).length > 1)
        .map(asText),
  },
  {
    name: 'a change is a write that was asked for, or of the controller',
    faults: ({ writes }, log) => strangersOf(writes, log).map(asText),
  },
  {
    name: 'no object is deleted more often than it was asked for',
    faults: ({ writes }, log) => deletedTooOften(writes, log),
  },
  {
    name: 'what is one commit is stored whole, at one moment, or not at all',
    faults: ({ writes }, log) =>
      writes
        .filter(({ isAtomic, items }) => isAtomic && items.length > 1)
        .filter((call) => rangeOf(call, log) === 'torn')
        .map(asText),
  },
  {
    name: 'a write with a lock follows the revision that it names',
    faults: ({ writes }, log) =>
      writes
        .flatMap(({ items }) => items)
        .filter(({ mark, base }) => {
          const [change] = mark === undefined ? [] : log.stored(mark);
          return change !== undefined && base !== undefined && log.before(change)?.revision !== base;
        })
        .map(asText),
  },
  {
    name: 'the sum of all amounts stays',
    faults: (_, log) => sumsOf(log),
  },
];

function isStored({ items, revision, verb }: WriteCall, { kind, name, mark }: Item, log: Log): boolean {
  const first = (revision ?? 0) - items.length + 1;
  const isThen = (change: Change): boolean =>
    revision === undefined || (change.revision >= first && change.revision <= revision);
  const changes = mark === undefined ? log.of(kind, name).filter(isDeletion) : log.stored(mark);
  if (mark === undefined && revision === undefined) throw new Error(`${verb} does not say its revision`);
  return changes.some((change) => change.kind === kind && change.name === name && isThen(change));
}

const isDeletion = ({ type }: Change): boolean => type === 'DELETED';

function strangersOf(writes: readonly WriteCall[], log: Log): Change[] {
  const known = new Set(
    writes.flatMap(({ items }) => items).map(({ kind, name, mark }) => `${kind} ${name} ${String(mark)}`),
  );
  return log.changes.filter((change) => {
    const { kind, name, mark, reconciled } = change;
    if (isDeletion(change)) return false;
    const before = log.before(change);
    return isStated(change, before)
      ? !known.has(`${kind} ${name} ${mark}`)
      : reconciled !== mark || before?.reconciled === mark;
  });
}

/** Deletions that no answer names are of calls without an answer. */
function deletedTooOften(writes: readonly WriteCall[], log: Log): string[] {
  const left = new Map<string, number>();
  for (const { items, outcome } of writes) {
    if (outcome === 'refused') continue;
    for (const { kind, name, mark } of items)
      if (mark === undefined) left.set(`${kind} ${name}`, (left.get(`${kind} ${name}`) ?? 0) + 1);
  }
  for (const { kind, name } of log.changes.filter(isDeletion))
    left.set(`${kind} ${name}`, (left.get(`${kind} ${name}`) ?? 0) - 1);
  return [...left].filter(([, count]) => count < 0).map(([object]) => object);
}

/** The revisions of a commit; undefined when it is not stored. */
export function rangeOf(
  { items }: WriteCall,
  log: Log,
): { first: number; last: number } | 'torn' | undefined {
  const marked = items.filter(({ mark }) => mark !== undefined);
  const stored = marked.flatMap(({ mark = '' }) => log.stored(mark).slice(0, 1));
  if (stored.length === 0) return undefined;
  const revisions = stored.map(({ revision }) => revision);
  // Items with a mark come first, in order.
  const first = Math.min(...revisions);
  const last = first + items.length - 1;
  const isWhole = items.every(({ kind, name }) =>
    log.of(kind, name).some(({ revision }) => revision >= first && revision <= last),
  );
  return stored.length === marked.length && isWhole ? { first, last } : 'torn';
}

/** Each batch takes an amount from an account, and the next revision gives it to a vault. */
function sumsOf(log: Log): string[] {
  const amounts = new Map<string, number>();
  let sum = 0;
  let expected: number | undefined;
  const faults: string[] = [];
  for (const change of log.changes) {
    const { kind, name, amount, mark, revision } = change;
    if (kind === 'Entry') continue;
    sum += amount - (amounts.get(`${kind} ${name}`) ?? 0);
    amounts.set(`${kind} ${name}`, amount);
    if (mark.startsWith('first ')) expected = sum;
    else if (kind === 'Vault' && sum !== expected) faults.push(`${sum}, not ${expected}, at ${revision}`);
  }
  return faults;
}
