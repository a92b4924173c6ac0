import { describe, expect, it } from 'vitest';
import { Comparison } from '../../src/access/rule-coverage.js';
import { isAllowed, type Action, type AccessRule } from '../../src/access/rules.js';
import { Random, seedOfRun } from '../helpers/seed.js';

const ALL: readonly AccessRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

const firstNotGranted = (owned: readonly AccessRule[], wanted: readonly AccessRule[]): Action | undefined =>
  new Comparison(owned).firstNotGranted(wanted);

describe('rules', () => {
  const reader: AccessRule = {
    apiGroups: ['a'],
    resources: ['things', 'things/status'],
    verbs: ['get', 'list'],
  };

  it.each<[string, readonly AccessRule[], readonly AccessRule[], Action | undefined]>([
    ['themselves', [reader], [reader], undefined],
    ['nothing', [], [], undefined],
    ['a rule that allows nothing', [], [{ verbs: ['get'], apiGroups: ['a'] }], undefined],
    ['everything, by *', ALL, [reader, ...ALL], undefined],
    ['not *, with lists', [reader], ALL, { verb: '*', group: '*', resource: '*' }],
    [
      'what several of them have together',
      [
        { apiGroups: ['a', 'b'], resources: ['things'], verbs: ['get'] },
        { apiGroups: ['b', 'a'], resources: ['things'], verbs: ['list'] },
      ],
      [{ apiGroups: ['a', 'b'], resources: ['things'], verbs: ['get', 'list'] }],
      undefined,
    ],
    [
      'no other verb',
      [reader],
      [{ ...reader, verbs: ['get', 'watch'] }],
      { verb: 'watch', group: 'a', resource: 'things' },
    ],
    [
      'no other group',
      [reader],
      [{ ...reader, apiGroups: ['a', ''] }],
      { verb: 'get', group: '', resource: 'things' },
    ],
    [
      'no sub-resource that they do not name',
      [reader],
      [{ ...reader, resources: ['things/scale'] }],
      { verb: 'get', group: 'a', resource: 'things/scale' },
    ],
    ['fewer names', [reader], [{ ...reader, resourceNames: ['x'] }], undefined],
    [
      'no more names',
      [{ ...reader, resourceNames: ['x'] }],
      [reader],
      { verb: 'get', group: 'a', resource: 'things' },
    ],
    [
      'no more names, when they are called *',
      [{ ...reader, resourceNames: ['*'] }],
      [reader],
      { verb: 'get', group: 'a', resource: 'things' },
    ],
    [
      'the names of several',
      [
        { ...reader, resourceNames: ['x'] },
        { ...reader, resourceNames: ['y'] },
      ],
      [{ ...reader, resourceNames: ['x', 'y'] }],
      undefined,
    ],
    [
      'paths below theirs',
      [{ nonResourceURLs: ['/v3/*'], verbs: ['get'] }],
      [{ nonResourceURLs: ['/v3/*', '/v3/x', '/v3/x/*'], verbs: ['get'] }],
      undefined,
    ],
    [
      'no paths above theirs',
      [{ nonResourceURLs: ['/v3/*'], verbs: ['get'] }],
      [{ nonResourceURLs: ['/v3*'], verbs: ['get'] }],
      { verb: 'get', path: '/v3*' },
    ],
    [
      'no paths by a star that is part of one',
      [{ nonResourceURLs: ['/v3**'], verbs: ['*'] }],
      [{ nonResourceURLs: ['/v3*'], verbs: ['get'] }],
      { verb: 'get', path: '/v3*' },
    ],
    [
      'paths by no rule for resources',
      [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
      [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
      { verb: 'get', path: '/metrics' },
    ],
  ])('cover %s', (_what, owned, wanted, expected) => {
    expect(firstNotGranted(owned, wanted)).toEqual(expected);
  });

  it('that are too long to compare count as not covered, soon', () => {
    const many = (prefix: string): string[] => Array.from({ length: 500 }, (_, i) => `${prefix}${i}`);
    const long = { apiGroups: many('g'), resources: many('r'), resourceNames: many('n'), verbs: many('v') };
    const paths = { nonResourceURLs: many('/u'), verbs: many('v') };
    const began = performance.now();
    expect(
      firstNotGranted(
        long.verbs.map((verb) => ({ ...long, verbs: [verb] })),
        [long],
      ),
    ).toBeDefined();
    expect(firstNotGranted([paths], [paths])).toBeDefined();
    // Every combination would take days.
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(firstNotGranted([long], [long])).toBeUndefined();
  });
});

/** Values beside those that the rules name stand for all the others there could be. */
const VERBS = ['get', 'create', 'other'];
const GROUPS = ['', 'a', 'other'];
const RESOURCES = ['things', 'things/status', 'other'];
const NAMES = [undefined, 'x', 'y', '*', 'other'];
const PATHS = ['/', '/a', '/ab', '/b', '/b*', '/bb', '/c', '/a/c'];

const UNIVERSE: readonly Action[] = [
  ...VERBS.flatMap((verb) =>
    GROUPS.flatMap((group) =>
      RESOURCES.flatMap((resource) =>
        NAMES.map((name) => ({ verb, group, resource, ...(name !== undefined && { name }) })),
      ),
    ),
  ),
  ...VERBS.flatMap((verb) => PATHS.map((path) => ({ verb, path }))),
];

function randomRule(random: Random): AccessRule {
  const some = (choices: readonly string[], wildcard: number): string[] =>
    random.chance(wildcard) ? ['*'] : random.many(random.chance(0.1) ? 0 : 1, 2, () => random.pick(choices));
  const isPath = random.chance(0.3);
  return {
    verbs: some(VERBS.slice(0, 2), 0.3),
    ...(!isPath || random.chance(0.2)
      ? {
          apiGroups: some(GROUPS.slice(0, 2), 0.3),
          resources: some(RESOURCES.slice(0, 2), 0.3),
          resourceNames: random.chance(0.5) ? [] : random.many(1, 2, () => random.pick(['x', 'y', '*'])),
        }
      : {}),
    ...(isPath && { nonResourceURLs: some(['/', '/a', '/a*', '/b', '/b*', '/b**', '/a/*', '*'], 0.1) }),
  };
}

describe('covering', () => {
  it('agrees with a check of every action', () => {
    const seed = seedOfRun();
    console.log(`rules that cover others: SEED=${seed}`);
    const random = new Random(seed);
    const seen = { covered: 0, beyond: 0 };
    for (let round = 0; round < 20_000; round++) {
      const owned = random.many(0, 4, () => randomRule(random));
      const wanted = random.many(1, 2, () => randomRule(random));
      const isCovered = UNIVERSE.every((action) => !isAllowed(wanted, action) || isAllowed(owned, action));
      const beyond = firstNotGranted(owned, wanted);
      const reported = JSON.stringify({ seed, round, owned, wanted, beyond });
      expect(beyond === undefined, reported).toBe(isCovered);
      seen[isCovered ? 'covered' : 'beyond']++;
    }
    expect(Math.min(seen.covered, seen.beyond)).toBeGreaterThan(1_000);
  });
});
