import type { JsonObject } from '../object.js';
import {
  fieldName,
  findMap,
  ownMapIn,
  type Ctor,
  type DecoratorContextLike,
} from '../declare/schema-decorator.js';
import type { RuleOptions } from './declaration.js';

export interface RuleDecorator {
  <This, V>(target: undefined, context: ClassFieldDecoratorContext<This, V>): void;
  <T extends Ctor>(target: T, context?: ClassDecoratorContext<T>): void;
}

const RULES = Symbol.for('xsvc.rules');
/** The key for rules of the class itself. No field has this name. */
const OF_CLASS = '';

/**
 * Declares a rule, an expression of CEL. `self` is the object of the class or the value of the field, and `oldSelf`
 * the value that it replaces. A rule with `oldSelf` applies to updates only. `Rule(...)(Class)` in plain JavaScript.
 * A subclass inherits the rules of its base. The expression is checked when the model is registered.
 * @throws ServiceError `BadRequest` on static, private or symbol-named fields
 */
export function Rule(rule: string, options: RuleOptions = {}): RuleDecorator {
  const declared: JsonObject = { rule, ...options };
  return (target: Ctor | undefined, context?: DecoratorContextLike) => {
    const metadata: Record<PropertyKey, unknown> = context?.metadata ?? (target && ownMetadata(target)) ?? {};
    const rules = ownMapIn<readonly JsonObject[]>(metadata, RULES);
    const isField = context !== undefined && context.kind !== 'class';
    const name = isField ? fieldName('@Rule', context) : OF_CLASS;
    // Decorators are applied in reverse order.
    rules.set(name, [declared, ...(rules.get(name) ?? [])]);
  };
}

/** The rules of a class itself and of its bases, in source order. */
export function rulesOfClass(type: Ctor): readonly JsonObject[] {
  return findMap<readonly JsonObject[]>(type, RULES).get(OF_CLASS) ?? [];
}

/** The rules of the fields of a class and its bases, by name. */
export function rulesOfFields(type: Ctor): ReadonlyMap<string, readonly JsonObject[]> {
  return new Map([...findMap<readonly JsonObject[]>(type, RULES)].filter(([name]) => name !== OF_CLASS));
}

/** A class without decorators has no own metadata. */
function ownMetadata(target: Ctor): DecoratorMetadataObject {
  const own: unknown = Object.getOwnPropertyDescriptor(target, Symbol.metadata)?.value;
  if (isMetadata(own)) return own;
  const made = Object.create(target[Symbol.metadata] ?? null) as DecoratorMetadataObject;
  Object.defineProperty(target, Symbol.metadata, { value: made, configurable: true });
  return made;
}

function isMetadata(value: unknown): value is DecoratorMetadataObject {
  return typeof value === 'object' && value !== null;
}
