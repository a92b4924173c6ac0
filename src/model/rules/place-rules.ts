import { getMessage } from '../../errors.js';
import type { Type } from '../../cel/types.js';
import type { JsonObject } from '../object.js';
import { rulesIn } from './declaration.js';
import { compileRule, type Rule } from './rule.js';
import { resourceType, SchemaTypes } from './schema-types.js';
import { Shapes } from './shapes.js';

export interface PlaceRules {
  readonly self: Type;
  readonly rules: readonly Rule[];
  /** The reasons of rules that cannot be used. */
  readonly faults: readonly string[];
}

/** Compiles the rules of single places of a schema. */
export class PlaceRuleCompiler {
  readonly #shapes: Shapes;
  readonly #types: SchemaTypes;

  constructor(private readonly schema: JsonObject) {
    this.#shapes = new Shapes(schema);
    this.#types = new SchemaTypes(schema);
  }

  /**
   * @param part the schema of the place; a whole object has that of the compiler
   * @param hasOld true where the earlier value can be found
   */
  compile(part: JsonObject, hasOld: boolean): PlaceRules {
    const shape = this.#shapes.of([part]);
    const type = this.#types.of(shape);
    const self = part === this.schema ? resourceType(type) : type;
    const rules: Rule[] = [];
    const faults: string[] = [];
    for (const declaration of rulesIn(part)) {
      try {
        rules.push(compileRule(declaration, { shape, self, hasOld }));
      } catch (error) {
        faults.push(getMessage(error));
      }
    }
    return { self, rules, faults };
  }
}
