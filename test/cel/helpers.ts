import { valueOfData } from '../../src/cel/data.js';
import { ExpressionFault, characterAt } from '../../src/cel/text/fault.js';
import { compileExpression, type EvaluationLimits } from '../../src/cel/program.js';
import { CelScalar } from '../../src/cel/scalars.js';
import { DYN, type Type } from '../../src/cel/types.js';
import { ListValue, MapValue, OptionalValue, type Value } from '../../src/cel/values.js';
import { Allowance } from '../../src/lib/work/allowance.js';
import type { JsonObject } from '../../src/model/object.js';
import { RULE_STEPS_MAX } from '../../src/model/rules/rule.js';
import { SchemaTypes } from '../../src/model/rules/schema-types.js';
import { Shapes } from '../../src/model/rules/shapes.js';

/** Those of a rule. */
export const STEPS = RULE_STEPS_MAX;

/** The type that a schema gives to what it describes. */
export function typeOfSchema(schema: JsonObject): Type {
  return new SchemaTypes(schema).of(new Shapes(schema).of([schema]));
}

/** Limits for one evaluation. */
export function limits(stepsMax = STEPS): EvaluationLimits {
  return { allowance: new Allowance({ objectSteps: 2 * stepsMax }), kind: 'rules', stepsMax };
}

/** The result of an expression about `self`, in plain values. */
export function valueOf(text: string, self: unknown = null, schema?: JsonObject): unknown {
  const type = schema === undefined ? DYN : typeOfSchema(schema);
  const program = compileExpression(text, { self: type });
  return plain(program.evaluate([valueOfData(self, type)], limits()));
}

/** Ints are bigints; what JavaScript has no values for is its text, with its kind. */
export function plain(value: Value): unknown {
  if (value instanceof ListValue) return [...value.values()].map(plain);
  if (value instanceof MapValue)
    return Object.fromEntries(value.keys().map((key) => [String(plain(key)), plain(value.get(key) ?? null)]));
  if (value instanceof OptionalValue)
    return value.value === undefined ? 'none' : { some: plain(value.value) };
  if (value instanceof CelScalar) return `${value.kind} ${value.toString()}`;
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}

/** Why an expression cannot be used, with the position. */
export function faultOf(text: string, schema: JsonObject = {}): string {
  try {
    compileExpression(text, { self: typeOfSchema(schema) });
  } catch (error) {
    if (error instanceof ExpressionFault) return `${error.reason}, at ${characterAt(text, error.at)}`;
    throw error;
  }
  throw new Error(`it can be used: ${text}`);
}
