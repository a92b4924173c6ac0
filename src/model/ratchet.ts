import type { Cause } from '../errors.js';
import { differsAt, type Difference, type Path } from '../lib/json-difference.js';

/** A broken rule. */
export interface Finding {
  /** The value that the rule is about; of a missing or forbidden field, that field. */
  readonly at: Path;
  /** The same for the same rule at the same place, whatever the value is. */
  readonly rule: string;
  /** Makes the message, which takes longer than finding it. */
  cause(): Cause;
}

/** What is wrong with the object as it is stored, as far as a write leaves it alone. */
export class OldFindings {
  readonly #keys = new Set<string>();

  /** @param difference where the object that is written differs from the stored one */
  constructor(
    findings: Iterable<Finding>,
    private readonly difference: Difference | undefined,
  ) {
    for (const finding of findings) if (!this.#isChanged(finding)) this.#keys.add(keyOf(finding));
  }

  /** Whether the stored object breaks the same rule at the same place with the same value. */
  has(finding: Finding): boolean {
    return !this.#isChanged(finding) && this.#keys.has(keyOf(finding));
  }

  #isChanged({ at }: Finding): boolean {
    return differsAt(this.difference, at);
  }
}

/** A text of its own for each rule at each place: unlike a dotted path it tells a dot in a name from a step. */
function keyOf({ at, rule }: Finding): string {
  return `${JSON.stringify(at)}${rule}`;
}

/** Faults of an object: those that a write makes, and those that the stored object has as well. */
export interface Judged {
  readonly made: readonly Cause[];
  readonly old: readonly Cause[];
}

/**
 * Tells what a write makes wrong from what was wrong before.
 * @param max of each at most so many are told; however many old ones there are, no other is missed
 */
export function judge(findings: Iterable<Finding>, old: OldFindings | undefined, max: number): Judged {
  const seen = new Set<string>();
  const judged = { made: new Map<string, Cause>(), old: new Map<string, Cause>() };
  for (const finding of findings) {
    const causes = old?.has(finding) === true ? judged.old : judged.made;
    if (causes.size === max) {
      if (causes === judged.made) break;
      continue;
    }
    const key = keyOf(finding);
    if (seen.has(key)) continue;
    seen.add(key);
    const cause = finding.cause();
    causes.set(`${cause.field}\n${cause.reason}\n${cause.message}`, cause);
  }
  return { made: [...judged.made.values()], old: [...judged.old.values()] };
}
