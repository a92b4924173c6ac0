import type { Cause } from '../../errors.js';
import { differsAt, type Difference, type Path } from '../../lib/json/json-difference.js';

/** A broken rule. What takes longer than to find it is done when it is asked for. */
export interface Finding {
  /** The same for the same rule at the same place, whatever the value is, and for no other. */
  readonly key: string;
  /** The values that decide whether the rule is broken; of a missing or forbidden field, that field. */
  at(): readonly Path[];
  cause(): Cause;
  /** Whether the rule could not be asked, which may come from something else that is wrong. */
  readonly isUnjudged?: boolean;
}

/** What is wrong with the object as it is stored, as far as a write leaves it alone. */
export class OldFindings {
  readonly #keys = new Set<string>();

  /** @param difference where the object that is written differs from the stored one */
  constructor(
    findings: Iterable<Finding>,
    private readonly difference: Difference | undefined,
  ) {
    for (const { key } of findings) this.#keys.add(key);
  }

  /** Whether the stored object breaks the same rule at the same place with the same value. */
  has(finding: Finding): boolean {
    return this.#keys.has(finding.key) && !finding.at().some((path) => differsAt(this.difference, path));
  }
}

/** Faults of an object: those that a write makes, and those that the stored object has as well. */
export interface Judged {
  readonly made: readonly Cause[];
  readonly old: readonly Cause[];
}

/**
 * Tells what a write makes wrong from what was wrong before. Rules that could not be asked are told only where nothing
 * else is wrong.
 * @param max of each at most so many are told; however many old ones there are, no other is missed
 */
export function judge(findings: Iterable<Finding>, old: OldFindings | undefined, max: number): Judged {
  const seen = new Set<string>();
  const judged = {
    made: new Map<string, Cause>(),
    unjudged: new Map<string, Cause>(),
    old: new Map<string, Cause>(),
  };
  for (const finding of findings) {
    const isOld = old?.has(finding) === true;
    const causes = isOld ? judged.old : finding.isUnjudged === true ? judged.unjudged : judged.made;
    if (causes.size === max) {
      if (causes === judged.made) break;
      continue;
    }
    if (seen.has(finding.key)) continue;
    seen.add(finding.key);
    const cause = finding.cause();
    causes.set(`${cause.field}\n${cause.reason}\n${cause.message}`, cause);
  }
  const made = judged.made.size > 0 ? judged.made : judged.unjudged;
  return { made: [...made.values()], old: [...judged.old.values()] };
}
