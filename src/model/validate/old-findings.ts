import type { Cause } from '../../errors.js';
import { differsAt, type Difference, type Path } from '../../lib/json/json-difference.js';

/** A violation. Expensive details are computed on demand. */
export interface Finding {
  /** Identifies the rule and the place, independently of the value. */
  readonly key: string;
  /**
   * The paths of the values that determine the violation; for a missing or forbidden field, the path of that field.
   */
  at(): readonly Path[];
  cause(): Cause;
  /** True when the rule could not be evaluated, possibly because of another violation. */
  readonly isUnjudged?: boolean;
}

/** Violations of the stored object, in the parts that a write does not change. */
export class OldFindings {
  readonly #keys = new Set<string>();

  /** @param difference the difference between the written object and the stored one */
  constructor(
    findings: Iterable<Finding>,
    private readonly difference: Difference | undefined,
  ) {
    for (const { key } of findings) this.#keys.add(key);
  }

  /** True when the stored object breaks the same rule at the same place with the same value. */
  has(finding: Finding): boolean {
    return this.#keys.has(finding.key) && !finding.at().some((path) => differsAt(this.difference, path));
  }
}

/** Violations of an object: those that a write adds, and those that the stored object has as well. */
export interface Judged {
  readonly made: readonly Cause[];
  readonly old: readonly Cause[];
}

/**
 * Separates the violations that a write adds from earlier ones. Rules that could not be evaluated are reported only
 * when no other violation is new.
 * @param max limit for each kind; any number of old violations hides no new one
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
