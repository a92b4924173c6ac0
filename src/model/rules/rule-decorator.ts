import { badRequest } from '../../errors.js';
import '../declare/symbol-metadata.js';
import type { JsonObject } from '../object.js';
import type { Ctor } from '../declare/schema-decorator.js';
import type { RuleOptions } from './declaration.js';

export interface RuleDecorator {
  <This, V>(target: undefined, context: ClassFieldDecoratorContext<This, V>): void;
  <T extends Ctor>(target: T, context?: ClassDecoratorContext<T>): void;
}

const RULES = Symbol.for('xsvc.rules');
/** The key for rules of the class itself. No field has this name. */
const OF_CLASS = '';

type RulesByField = ReadonlyMap<string, readonly JsonObject[]>;

/**
 * Declares a rule, an expression of CEL. `self` is the object of the class or the value of the field, and `oldSelf`
 * the value that it replaces. A rule with `oldSelf` applies to updates only. `Rule(...)(Class)` in plain JavaScript.
 * A subclass inherits the rules of its base. The expression is checked when the model is registered.
 * @throws ServiceError `BadRequest` on static, private or symbol-named fields
 */
export function Rule(rule: string, options: RuleOptions = {}): RuleDecorator {
  const declared: JsonObject = { rule, ...options };
  return (target: Ctor | undefined, context?: ContextLike) => {
    const metadata: Record<PropertyKey, unknown> = context?.metadata ?? (target && ownMetadata(target)) ?? {};
    const rules = ownRules(metadata);
    const name = fieldName(context);
    // Decorators are applied in reverse order.
    rules.set(name, [declared, ...(rules.get(name) ?? [])]);
  };
}

/** The rules of a class itself and of its bases, in source order. */
export function rulesOfClass(type: Ctor): readonly JsonObject[] {
  return getRules(type).get(OF_CLASS) ?? [];
}

/** The rules of the fields of a class and its bases, by name. */
export function rulesOfFields(type: Ctor): RulesByField {
  return new Map([...getRules(type)].filter(([name]) => name !== OF_CLASS));
}

interface ContextLike {
  readonly kind: string;
  readonly name: string | symbol | undefined;
  readonly metadata: DecoratorMetadataObject | undefined;
  readonly static?: boolean;
  readonly private?: boolean;
}

function fieldName(context: ContextLike | undefined): string {
  if (context === undefined || context.kind === 'class') return OF_CLASS;
  if (typeof context.name === 'string' && context.static !== true && context.private !== true)
    return context.name;
  throw badRequest(`@Rule: ${String(context.name)} must be a public instance field with a string name`);
}

function getRules(type: Ctor): RulesByField {
  const rules = type[Symbol.metadata]?.[RULES];
  return isRules(rules) ? rules : new Map<string, readonly JsonObject[]>();
}

/**
 * The map of this class alone. Metadata of a subclass inherits that of its base by prototype, so the map is copied
 * first.
 */
function ownRules(metadata: Record<PropertyKey, unknown>): Map<string, readonly JsonObject[]> {
  const found = metadata[RULES];
  if (Object.hasOwn(metadata, RULES) && isRules(found)) return found;
  const own = new Map(isRules(found) ? found : []);
  metadata[RULES] = own;
  return own;
}

function isRules(value: unknown): value is Map<string, readonly JsonObject[]> {
  return value instanceof Map;
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
