import { getMessage, type Cause } from '../../../errors.js';
import { TooExpensive } from '../../../lib/work/allowance.js';
import { compileRule } from '../../../model/rules/rule.js';
import { SchemaTypes } from '../../../model/rules/schema-types.js';
import { Shapes } from '../../../model/rules/shapes.js';
import { exposeMetadata } from './exposed-schema.js';
import { fault, type FaultReason } from './fault.js';
import { getPlaces, type SchemaPlace } from './schema-places.js';
import { findField, parseNames } from './schema-path.js';
import type { DeclaredRule, StructuralSchema } from './structural-schema.js';

const KEYWORD = 'x-kubernetes-validations';
const REASONS = ['FieldValueRequired', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueDuplicate'];
const LINE_BREAK = /[\n\r]/;

/** A condition that no rule may meet, apart from its expressions. */
interface RuleFault {
  readonly at: keyof DeclaredRule & string;
  readonly reason: FaultReason;
  readonly message: string;
  readonly isBroken: (rule: DeclaredRule, schema: StructuralSchema) => boolean;
}

const TEXTS: readonly RuleFault[] = [
  {
    at: 'rule',
    reason: 'Required',
    message: 'must be an expression',
    isBroken: ({ rule = '' }) => rule.trim() === '',
  },
  {
    at: 'message',
    reason: 'Invalid',
    message: 'must not be blank',
    isBroken: ({ message = '' }) => isBlank(message),
  },
  {
    at: 'message',
    reason: 'Invalid',
    message: 'must be one line',
    isBroken: ({ message = '' }) => LINE_BREAK.test(message.trim()),
  },
  {
    at: 'message',
    reason: 'Required',
    message: 'must be set for a rule of several lines',
    isBroken: ({ rule = '', message = '' }) => LINE_BREAK.test(rule.trim()) && message.trim() === '',
  },
  {
    at: 'messageExpression',
    reason: 'Required',
    message: 'must not be blank',
    isBroken: ({ messageExpression = '' }) => isBlank(messageExpression),
  },
  {
    at: 'reason',
    reason: 'NotSupported',
    message: `must be one of ${REASONS.join(', ')}`,
    isBroken: ({ reason }) => reason !== undefined && !REASONS.includes(reason),
  },
  {
    at: 'fieldPath',
    reason: 'Invalid',
    message: "must lead to a declared field, in the form .a.b or .a['b-c']",
    isBroken: ({ fieldPath = '' }, schema) => fieldPath !== '' && !leadsToField(fieldPath, schema),
  },
];

/** Faults of the rules of a schema, apart from those that only compilation finds. */
export function checkRuleTexts({ schema, path }: SchemaPlace): readonly Cause[] {
  return (schema[KEYWORD] ?? []).flatMap((rule, i) =>
    TEXTS.filter(({ isBroken }) => isBroken(rule, schema)).map(({ at, reason, message }) =>
      fault(`${path}.${KEYWORD}[${i}].${at}`, reason, message),
    ),
  );
}

/** Compiles the rules of a version. The types of a schema are known when it has no faults, nor a schema in it. */
export function checkExpressions(
  root: StructuralSchema,
  path: string,
  faults: readonly Cause[],
): readonly Cause[] {
  const exposed = exposeMetadata(root);
  const compiler = new ExpressionCheck(exposed);
  const fields = faults.map(({ field }) => field).sort();
  return getPlaces(exposed, path).flatMap((place) => {
    const { [KEYWORD]: rules = [] } = place.schema;
    if (rules.length === 0 || isAtOrAbove(place.path, fields)) return [];
    return rules.flatMap((rule, i) => compiler.check(rule, place, `${place.path}.${KEYWORD}[${i}]`));
  });
}

/** True when a path is one of the sorted ones, or the start of one. */
function isAtOrAbove(path: string, sorted: readonly string[]): boolean {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? '') < path) from = middle + 1;
    else to = middle;
  }
  return sorted[from]?.startsWith(path) === true;
}

/** Compiles rules with the types of a schema. */
class ExpressionCheck {
  readonly #shapes: Shapes;
  readonly #types: SchemaTypes;

  constructor(root: StructuralSchema) {
    this.#shapes = new Shapes(root);
    this.#types = new SchemaTypes(root);
  }

  check(
    { rule = '', messageExpression = '', optionalOldSelf }: DeclaredRule,
    { schema, around }: SchemaPlace,
    path: string,
  ): Cause[] {
    const shape = this.#shapes.of([schema]);
    const place = { shape, self: this.#types.of(shape), hasOld: true };
    const old = optionalOldSelf === undefined ? {} : { optionalOldSelf };
    let field = 'rule';
    try {
      const { readsOld } = compileRule({ rule, ...old }, place);
      if (readsOld && !around.hasOld) return [fault(`${path}.rule`, 'Invalid', NO_OLD)];
      if (!readsOld && optionalOldSelf !== undefined)
        return [fault(`${path}.optionalOldSelf`, 'Invalid', UNREAD)];
      if (messageExpression === '') return [];
      field = 'messageExpression';
      compileRule({ rule, messageExpression, ...old }, place);
      return [];
    } catch (error) {
      if (error instanceof TooExpensive) throw error;
      return [fault(`${path}.${field}`, 'Invalid', getMessage(error))];
    }
  }
}

const NO_OLD = 'oldSelf is available for items only in a list with x-kubernetes-list-type "map"';
const UNREAD = 'must not be set, because the rule does not read oldSelf';

function isBlank(text: string): boolean {
  return text !== '' && text.trim() === '';
}

function leadsToField(fieldPath: string, schema: StructuralSchema): boolean {
  const names = parseNames(fieldPath);
  return names !== undefined && findField(schema, names) !== undefined;
}
