import { expect, it } from 'vitest';
import { type Change, History, type WriteCall } from './history.js';
import { wholeOf } from './log.js';
import { KINDS } from './models.js';
import { faultsOf } from './properties.js';

const at = (began: number) => ({ client: 'ann', began, ended: began + 1 });

function entry(revision: number, type: Change['type'], name: string, mark: string): Change {
  return { kind: 'Entry', revision, type, name, mark, shelf: 'north', amount: 0 };
}

function write(
  began: number,
  given: Pick<WriteCall, 'items' | 'outcome'> & { revision?: number },
): WriteCall {
  return { ...at(began), verb: 'write', answer: '', isAtomic: true, ...given };
}

const ONE = entry(1, 'ADDED', 'a', 'm1');
const ITEM = { kind: 'Entry', name: 'a', mark: 'm1' } as const;
const WRITTEN = write(1, { items: [ITEM], outcome: 'done', revision: 1 });

/** A history of a store that has gone wrong in one way. */
function historyOf(changes: readonly Change[], fill: (history: History) => void): History {
  const history = new History();
  for (const kind of KINDS)
    history.watches.push({
      watch: wholeOf(kind),
      kind,
      changes: changes.filter((change) => change.kind === kind),
    });
  fill(history);
  return history;
}

it('finds nothing in a sound history', () => {
  const deleted = { kind: 'Entry', name: 'a' } as const;
  const changes = [
    ONE,
    { ...entry(2, 'MODIFIED', 'a', 'm1'), reconciled: 'm1' },
    entry(3, 'DELETED', 'a', 'm1'),
  ];
  const history = historyOf(changes, (empty) => {
    empty.write(WRITTEN);
    empty.get({ ...at(3), kind: 'Entry', name: 'a', revision: 1 });
    empty.list({ ...at(5), kind: 'Entry', revision: 2, shown: { a: 2 } });
    empty.write(write(7, { items: [deleted], outcome: 'done', revision: 3 }));
    empty.get({ ...at(9), kind: 'Entry', name: 'a' });
    empty.write(write(11, { items: [{ ...ITEM, mark: 'm2' }], outcome: 'unsure' }));
  });
  expect(faultsOf(history)).toEqual([]);
});

const TWO = { kind: 'Entry', name: 'b', mark: 'm2' } as const;

it.each<readonly [property: string, changes: readonly Change[], fill: (history: History) => void]>([
  ['an answered write is stored', [], (history) => history.write(WRITTEN)],
  ['a refused write is not stored', [ONE], (history) => history.write({ ...WRITTEN, outcome: 'refused' })],
  [
    'no write is stored twice',
    [ONE, entry(2, 'MODIFIED', 'a', 'm2'), entry(3, 'MODIFIED', 'a', 'm1')],
    (history) => {
      history.write(WRITTEN);
      history.write(write(2, { items: [{ ...ITEM, mark: 'm2' }], outcome: 'done', revision: 2 }));
    },
  ],
  ['a change is a write that was asked for, or of the controller', [ONE], () => undefined],
  [
    'no object is deleted more often than it was asked for',
    [ONE, entry(2, 'DELETED', 'a', 'm1')],
    (history) => history.write(WRITTEN),
  ],
  [
    'what is one commit is stored whole, at one moment, or not at all',
    [ONE],
    (history) => history.write(write(1, { items: [ITEM, TWO], outcome: 'unsure' })),
  ],
  [
    'a write with a lock follows the revision that it names',
    [ONE, entry(2, 'MODIFIED', 'a', 'm2'), entry(3, 'MODIFIED', 'a', 'm3')],
    (history) => {
      history.write(WRITTEN);
      history.write(write(2, { items: [{ ...ITEM, mark: 'm2' }], outcome: 'done', revision: 2 }));
      history.write(write(2, { items: [{ ...ITEM, mark: 'm3', base: 1 }], outcome: 'done', revision: 3 }));
    },
  ],
  [
    'the sum of all amounts stays',
    [
      { ...ONE, kind: 'Vault', mark: 'first a', amount: 5 },
      { ...entry(2, 'MODIFIED', 'a', 'm2'), kind: 'Vault', amount: 6 },
    ],
    (history) => {
      history.write(write(1, { items: [{ kind: 'Vault', name: 'a', mark: 'first a' }], outcome: 'done' }));
      history.write(write(2, { items: [{ kind: 'Vault', name: 'a', mark: 'm2' }], outcome: 'done' }));
    },
  ],
  [
    'a read shows all that was answered or shown before it began',
    [ONE],
    (history) => {
      history.write(WRITTEN);
      history.get({ ...at(5), kind: 'Entry', name: 'a' });
    },
  ],
  [
    'a list shows what is stored at its revision, by whatever index',
    [ONE],
    (history) => {
      history.write(WRITTEN);
      history.list({ ...at(5), kind: 'Entry', shelf: 'north', revision: 1, shown: {} });
    },
  ],
  [
    'no list shows a part of a commit',
    [ONE, entry(2, 'ADDED', 'b', 'm2')],
    (history) => {
      history.list({ ...at(0), kind: 'Entry', revision: 1, shown: { a: 1 } });
      history.write(write(0, { items: [ITEM, TWO], outcome: 'done', revision: 2 }));
    },
  ],
  [
    'a watch tells changes in the order of revisions, each once',
    [ONE],
    (history) => {
      history.write(WRITTEN);
      history.watches.push({ watch: 'w', kind: 'Entry', changes: [ONE, ONE] });
    },
  ],
  [
    'a watch tells of each object that it begins, changes and ends, in this order',
    [ONE],
    (history) => {
      history.write(WRITTEN);
      history.watches.push({ watch: 'w', kind: 'Entry', changes: [{ ...ONE, type: 'MODIFIED' }] });
    },
  ],
  [
    'every watch tells all changes that it selects',
    [ONE],
    (history) => {
      history.write(WRITTEN);
      history.watches.push({ watch: 'w', kind: 'Entry', shelf: 'north', changes: [] });
    },
  ],
])('finds where it does not hold that %s', (property, changes, fill) => {
  const faults = faultsOf(historyOf(changes, fill));
  expect(
    faults.some((fault) => fault.startsWith(`${property}: `)),
    faults.join('\n'),
  ).toBe(true);
});
