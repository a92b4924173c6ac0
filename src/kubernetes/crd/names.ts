import type { DefinitionNames } from './definition.js';

/** The names in a group that other kinds have. */
export interface TakenNames {
  /** Plurals, singulars and short names. */
  readonly resources: ReadonlySet<string>;
  /** Kinds, and kinds of lists. */
  readonly kinds: ReadonlySet<string>;
}

/** The condition `NamesAccepted`, without its time. */
export interface NamesCondition {
  readonly type: 'NamesAccepted';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

interface NameKey {
  readonly key: 'plural' | 'singular' | 'shortNames' | 'kind' | 'listKind';
  readonly among: keyof TakenNames;
  readonly reason: string;
}

const KEYS: readonly NameKey[] = [
  { key: 'plural', among: 'resources', reason: 'PluralConflict' },
  { key: 'singular', among: 'resources', reason: 'SingularConflict' },
  { key: 'shortNames', among: 'resources', reason: 'ShortNamesConflict' },
  { key: 'kind', among: 'kinds', reason: 'KindConflict' },
  { key: 'listKind', among: 'kinds', reason: 'ListKindConflict' },
];

/**
 * Decides which of the names of a definition are accepted. A name that another kind has is not, and the one that was
 * accepted before it stays.
 * @param before the names of this definition that are accepted already
 * @returns of several conflicts, the condition has the last
 */
export function acceptNames(
  wanted: DefinitionNames,
  taken: TakenNames,
  before: DefinitionNames = {},
): { readonly accepted: DefinitionNames; readonly condition: NamesCondition } {
  const accepted: DefinitionNames = { ...before };
  let condition: NamesCondition = {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no other kind of the group has one of the names',
  };
  for (const { key, among, reason } of KEYS) {
    const own = new Set([before[key]].flat());
    const lost = [wanted[key]]
      .flat()
      .filter((name) => name !== undefined && !own.has(name) && taken[among].has(name));
    if (lost.length === 0) {
      take(accepted, wanted, key);
      continue;
    }
    const names = lost.map((name) => JSON.stringify(name)).join(', ');
    condition = {
      type: 'NamesAccepted',
      status: 'False',
      reason,
      message: `another kind of the group has ${names}`,
    };
  }
  take(accepted, wanted, 'categories');
  return { accepted, condition };
}

/** Copies a name, or that there is none. */
function take(accepted: DefinitionNames, wanted: DefinitionNames, key: keyof DefinitionNames & string): void {
  const { [key]: name } = wanted;
  if (name === undefined) delete accepted[key];
  else accepted[key] = name;
}
