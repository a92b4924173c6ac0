import type { KnownRule, State } from './role-world.js';

/** The fields of a state that a member sees: their paths, or all of them. */
export type Seen = readonly string[] | 'all';

/** Undefined for a state that the member does not see. */
export function seenOf(rules: readonly KnownRule[], state: State): Seen | undefined {
  const held = rules.filter(({ holds }) => holds(state));
  if (held.length === 0) return undefined;
  if (held.some(({ read }) => read === undefined)) return 'all';
  return held.flatMap(({ read }) => read ?? []);
}

/** True when a field is in what a member sees. */
export function sees(seen: Seen | undefined, path: string): boolean {
  if (seen === undefined || seen === 'all') return seen === 'all';
  return seen.some((one) => path === one || path.startsWith(`${one}.`));
}

/** The marked values of a state that a member sees. */
export function marksIn(rules: readonly KnownRule[], state: State): readonly string[] {
  const seen = seenOf(rules, state);
  return [...state.fields].filter(([path]) => sees(seen, path)).map(([, value]) => value);
}

/** True when a member sees all of a model. */
export function seesWhole(rules: readonly KnownRule[]): boolean {
  return rules.some(({ rule, read }) => rule.filter === undefined && read === undefined);
}

/** True when a field may be used in the conditions, the order and the numbers of lists. */
export function mayUse(rules: readonly KnownRule[], path: string): boolean {
  if (seesWhole(rules)) return true;
  return rules.every(({ read }) => read === undefined || sees(read, path));
}

/** All marked values in a text. */
export function marksOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/\bk\d+z\b/g) ?? []);
}
