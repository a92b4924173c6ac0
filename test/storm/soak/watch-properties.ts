import type { Change, History, Watched } from './history.js';
import type { Log } from './log.js';
import type { Property } from './property.js';

export const WATCH_PROPERTIES: readonly Property[] = [
  {
    name: 'a watch tells changes in the order of revisions, each once',
    faults: ({ watches }) => watches.flatMap(outOfOrder),
  },
  {
    name: 'a watch tells of each object that it begins, changes and ends, in this order',
    faults: ({ watches }) => watches.flatMap(wrongTypes),
  },
  {
    name: 'every watch tells all changes that it selects',
    faults: ({ watches }: History, log) => watches.flatMap((watched) => differencesOf(watched, log)),
  },
];

function outOfOrder({ watch, changes }: Watched): string[] {
  return changes
    .filter(({ revision }, i) => revision <= (changes[i - 1]?.revision ?? 0))
    .map((change) => `${watch}: ${JSON.stringify(change)}`);
}

function wrongTypes({ watch, changes }: Watched): string[] {
  const there = new Set<string>();
  return changes
    .filter(({ name, type }) => {
      const isWrong = there.has(name) === (type === 'ADDED');
      if (type === 'DELETED') there.delete(name);
      else there.add(name);
      return isWrong;
    })
    .map((change) => `${watch}: ${JSON.stringify(change)}`);
}

/** Differences between the changes received from a watch and those expected by the log. */
function differencesOf({ watch, kind, shelf, changes }: Watched, log: Log): string[] {
  const expected = log.changes
    .filter((change) => change.kind === kind)
    .flatMap((change) => shownAs(change, shelf, log));
  const [reported, due] = [changes.map(lineOf), expected.map(lineOf)];
  const [toldSet, dueSet] = [new Set(reported), new Set(due)];
  return [
    ...due.filter((line) => !toldSet.has(line)).map((line) => `${watch} lacks ${line}`),
    ...reported.filter((line) => !dueSet.has(line)).map((line) => `${watch} should not have ${line}`),
  ];
}

/** Of an object that ends, a watch may tell what it was before. */
const lineOf = ({ revision, type, name, mark }: Change): string =>
  `${revision} ${type} ${name} ${type === 'DELETED' ? '' : mark}`;

/** The event of a change for a watch of one shelf; none when the object neither was nor is on it. */
function shownAs(change: Change, shelf: string | undefined, log: Log): Change[] {
  if (shelf === undefined) return [change];
  const before = log.before(change);
  const was = before !== undefined && before.type !== 'DELETED' && before.shelf === shelf;
  const is = change.type !== 'DELETED' && change.shelf === shelf;
  if (!was && !is) return [];
  return [{ ...change, type: !was ? 'ADDED' : is ? 'MODIFIED' : 'DELETED' }];
}
