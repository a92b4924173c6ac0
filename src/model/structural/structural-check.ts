import type { Cause } from '../../errors.js';
import { cloneJson } from '../../lib/json/json.js';
import type { Path } from '../../lib/json/json-difference.js';
import { withoutAllowance } from '../../lib/work/allowance.js';
import { checkExpiration } from '../expiration.js';
import type { JsonObject, ObjectDraft } from '../object.js';
import { checkNames, type NameForm } from '../names-and-labels.js';
import { RuleAsker } from '../rules/ask-rules.js';
import { PlaceRuleCompiler, type PlaceRules } from '../rules/place-rules.js';
import { fieldPath, placeInData } from '../validate/field-path.js';
import { judgeUpdate } from '../validate/changed-values.js';
import { judge, type Finding } from '../validate/old-findings.js';
import { CAUSES_MAX, type ObjectCheck } from '../validate/validator.js';
import { finalizerCauses } from './embedded.js';
import { hasListFault } from './lists.js';
import { nodeOf, objectNodeOf, type SchemaNode } from './node.js';
import { Past } from './past.js';
import { repair } from './repair.js';
import { SchemaWalk, type Unchanged } from './schema-walk.js';

/**
 * Checks whole objects by a structural schema, as Kubernetes does with custom resources. Nothing is compiled before
 * its first use. An object is repaired in place first: unknown fields and nulls that are no values are removed, and
 * defaults are set.
 * @param schema must not change
 * @param names the form of the objects' names
 */
export function structuralCheck(schema: JsonObject, names: NameForm = 'subdomain'): ObjectCheck {
  const rules = new StructuralRules(schema);
  return (object, stored, { isStored = false } = {}) => {
    const node = objectNodeOf(schema);
    const unknown = repair(node, object);
    const history = stored && new History(node, object, stored);
    return judgeUpdate(stored, (isPartial) => {
      const walk = new SchemaWalk(history, isPartial);
      walk.visit(object, node);
      for (const cause of metadataCauses(object, names)) {
        const way = placeInData(object, cause.field);
        walk.add(way, cause, history?.has(way) === true);
      }
      rules.ask(walk, { history, isStored, isPartial, isObject: true });
      return history === undefined
        ? { causes: getCauses(walk.made), unknown }
        : { causes: getCauses(walk.made), unknown, old: { causes: getCauses(walk.old), unknown: [] } };
    });
  };
}

/** Checks the metadata of an object, its name included. Changes nothing. @returns every violation */
export function checkMetadata(object: ObjectDraft): readonly Cause[] {
  const walk = new SchemaWalk(undefined);
  walk.visit(object, objectNodeOf(WHOLE));
  return [...getCauses(walk.made), ...metadataCauses(object, 'subdomain')];
}

function metadataCauses(object: ObjectDraft, names: NameForm): Cause[] {
  return [
    ...checkNames(object, names),
    ...checkExpiration(object),
    ...finalizerCauses(object.metadata?.finalizers),
  ];
}

const WHOLE: JsonObject = {};

/** Checks a value by a structural schema. Changes nothing. @returns every violation */
export function checkValue(schema: JsonObject, value: unknown): readonly Cause[] {
  const walk = new SchemaWalk(undefined);
  walk.visit(value, nodeOf(schema));
  new StructuralRules(schema).ask(walk, { history: undefined, isStored: false, isObject: false });
  return getCauses(walk.made);
}

function getCauses(findings: readonly Finding[]): readonly Cause[] {
  return judge(findings, undefined, CAUSES_MAX).made;
}

/** The object that is replaced, repaired when it is needed. */
class History implements Unchanged {
  #past: Past | undefined;
  #hasListFaults: boolean | undefined;

  constructor(
    private readonly node: SchemaNode,
    private readonly now: ObjectDraft,
    private readonly stored: ObjectDraft,
  ) {}

  get past(): Past {
    if (this.#past === undefined) {
      const old = cloneJson(this.stored);
      repair(this.node, old);
      this.#past = new Past(this.node, this.now, old);
    }
    return this.#past;
  }

  has(way: Path): boolean {
    return this.past.isUnchanged(way);
  }

  get hasListFaults(): boolean {
    return (this.#hasListFaults ??= hasListFault(this.node, this.past.find([])));
  }
}

interface Occasion {
  readonly history: History | undefined;
  readonly isStored: boolean;
  /** True when rules about unchanged values are not asked. */
  readonly isPartial?: boolean;
  /** False for a part of an object. */
  readonly isObject: boolean;
}

/** The rules of a schema, which are compiled on first use. */
class StructuralRules {
  readonly #compiler: PlaceRuleCompiler;
  readonly #known = new Map<SchemaNode, PlaceRules>();

  constructor(schema: JsonObject) {
    this.#compiler = new PlaceRuleCompiler(schema);
  }

  /** Asks the rules for the values that a walk has found, when none of its violations forbids it. */
  ask(walk: SchemaWalk, { history, isStored, isPartial, isObject }: Occasion): void {
    if (walk.isBlocked) return;
    const circumstances = { old: undefined, isStored, faults: () => [] };
    const asker = new RuleAsker(circumstances, isObject ? [] : undefined);
    for (const { node, way, value } of walk.ruled) {
      const { self, rules, faults } = this.#of(node);
      for (const message of faults)
        walk.add(way, { field: fieldPath(way), reason: 'FieldValueInvalid', message }, false);
      for (const [index, rule] of rules.entries()) {
        if (isPartial === true && !rule.readsOld && history?.has(way) === true) continue;
        const old = rule.readsOld ? history?.past.find(way) : undefined;
        const finding = asker.ask(rule, String(index), { way, self, now: value, old });
        if (finding === undefined) continue;
        const isRatcheted = !rule.readsOld && finding.isUnjudged !== true && history?.has(way) === true;
        walk.add(way, finding.cause(), isRatcheted);
      }
    }
  }

  #of(node: SchemaNode): PlaceRules {
    const rules =
      this.#known.get(node) ?? withoutAllowance(() => this.#compiler.compile(node.schema, node.isMatched));
    this.#known.set(node, rules);
    return rules;
  }
}
