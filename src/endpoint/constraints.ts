import { badRequest, getMessage } from '../errors.js';
import type { Ctor } from '../model/declare/schema-decorator.js';
import '../model/declare/symbol-metadata.js';
import { linearRegExp } from '../lib/linear-reg-exp.js';
import type { ConstraintKind, OwnMessage } from './constraint-messages.js';

/** A rule on a field of a body class, in addition to its schema. */
export interface Constraint {
  readonly kind: ConstraintKind;
  /** The placeholders that the message may name, such as `{min}`. */
  readonly params: Readonly<Record<string, string | number>>;
  /** Replaces the built-in message. */
  readonly message: OwnMessage | undefined;
  /** Accepts absent values and null for all constraints except `NotNull` and `NotBlank`. */
  accepts(value: unknown): boolean;
}

export interface ConstraintOptions {
  /** A text, or texts by language. `{min}`, `{max}`, `{value}` and `{pattern}` are filled in. */
  readonly message?: OwnMessage;
}

export interface SizeOptions extends ConstraintOptions {
  readonly min?: number;
  readonly max?: number;
}

export type ConstraintDecorator = <This, V>(
  target: undefined,
  context: ClassFieldDecoratorContext<This, V>,
) => void;

/** Works bare (`@NotNull`) and called (`@NotNull({ message })`). */
export interface BareConstraint {
  <This, V>(target: undefined, context: ClassFieldDecoratorContext<This, V>): void;
  (options?: ConstraintOptions): ConstraintDecorator;
}

const CONSTRAINTS = Symbol.for('xsvc.constraints');

/** Requires the field to be present and not null. */
export const NotNull = bare('NotNull', (value) => value !== undefined && value !== null);

/** Requires the field to be a text with at least one character that is not white space. */
export const NotBlank = bare('NotBlank', (value) => typeof value === 'string' && value.trim() !== '');

/** Requires the text, when present, to be an email address. */
export const Email = bare(
  'Email',
  (value) => isNothing(value) || (typeof value === 'string' && isEmail(value)),
);

/**
 * Limits the characters of a text, the items of an array or the entries of a map. Both bounds are inclusive.
 * @throws ServiceError `BadRequest` when the bounds are invalid
 */
export function Size(options: SizeOptions): ConstraintDecorator {
  const { min, max, message } = options;
  for (const bound of [min, max]) {
    if (bound !== undefined && (!Number.isSafeInteger(bound) || bound < 0))
      throw badRequest(`@Size: a bound must be an integer from 0, got ${bound}`);
  }
  if ((min === undefined && max === undefined) || (min ?? 0) > (max ?? Infinity))
    throw badRequest('@Size: needs min or max, and min must not be greater than max');
  const kind = max === undefined ? 'SizeMin' : min === undefined ? 'SizeMax' : 'Size';
  const params = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  return decorator({
    kind,
    params,
    message,
    accepts(value) {
      if (isNothing(value)) return true;
      const size = findSize(value);
      return size !== undefined && size >= (min ?? 0) && size <= (max ?? Infinity);
    },
  });
}

/** Requires the number, when present, to be at least the bound. @throws ServiceError `BadRequest` when the bound is not a number */
export function Min(value: number, options: ConstraintOptions = {}): ConstraintDecorator {
  return bound('Min', value, options, (number) => number >= value);
}

/** Requires the number, when present, to be at most the bound. @throws ServiceError `BadRequest` when the bound is not a number */
export function Max(value: number, options: ConstraintOptions = {}): ConstraintDecorator {
  return bound('Max', value, options, (number) => number <= value);
}

/**
 * Requires the text, when present, to match the expression: anywhere in the text, unless the expression is anchored. Matching takes
 * linear time. Only the flags `i`, `m` and `s` have an effect.
 * @throws ServiceError `BadRequest` for an expression that cannot be matched in linear time
 */
export function Pattern(pattern: RegExp | string, options: ConstraintOptions = {}): ConstraintDecorator {
  const [source, flags] = pattern instanceof RegExp ? [pattern.source, pattern.flags] : [pattern, ''];
  const compiled = compiledPattern(source, flags);
  return decorator({
    kind: 'Pattern',
    params: { pattern: source },
    message: options.message,
    accepts: (value) => isNothing(value) || (typeof value === 'string' && compiled.test(value)),
  });
}

/** Constraints of a class and its bases by field, in order of declaration; empty when the class has none. */
export function getConstraints(type: Ctor): ReadonlyMap<string, readonly Constraint[]> {
  return mapIn(type[Symbol.metadata]?.[CONSTRAINTS]) ?? NO_CONSTRAINTS;
}

const NO_CONSTRAINTS: ReadonlyMap<string, readonly Constraint[]> = new Map();

function bare(kind: ConstraintKind, accepts: Constraint['accepts']): BareConstraint {
  return ((first?: unknown, context?: ContextLike) => {
    if (context !== undefined) {
      declare({ kind, params: {}, message: undefined, accepts }, context);
      return undefined;
    }
    const { message } = (first ?? {}) as ConstraintOptions;
    return decorator({ kind, params: {}, message, accepts });
  }) as BareConstraint;
}

function bound(
  kind: 'Min' | 'Max',
  value: number,
  { message }: ConstraintOptions,
  holds: (number: number) => boolean,
): ConstraintDecorator {
  if (typeof value !== 'number' || Number.isNaN(value))
    throw badRequest(`@${kind}: the bound must be a number, got ${String(value)}`);
  return decorator({
    kind,
    params: { value },
    message,
    accepts: (given) => isNothing(given) || (typeof given === 'number' && holds(given)),
  });
}

function decorator(constraint: Constraint): ConstraintDecorator {
  return (_target: undefined, context: ContextLike) => declare(constraint, context);
}

/** The parts of the context of a decorator that are needed. */
export interface ContextLike {
  readonly kind: string;
  readonly name: string | symbol;
  readonly static: boolean;
  readonly private: boolean;
  readonly metadata: DecoratorMetadataObject | undefined;
}

function declare(constraint: Constraint, { kind, name, metadata, ...context }: ContextLike): void {
  const where = `@${constraint.kind.replace(/^Size.*/, 'Size')}`;
  if (metadata === undefined)
    throw badRequest(`${where}: decorators need Symbol.metadata; import xsvc first`);
  if (kind !== 'field' || typeof name !== 'string' || context.static || context.private)
    throw badRequest(`${where}: ${String(name)} must be a public instance field with a string name`);
  const inherited = mapIn(metadata[CONSTRAINTS]);
  // Metadata of a subclass inherits its base's by prototype, so it is copied first.
  const own = Object.hasOwn(metadata, CONSTRAINTS) && inherited ? inherited : new Map(inherited ?? []);
  metadata[CONSTRAINTS] = own;
  // Decorators of one field are applied from the last to the first.
  own.set(name, [constraint, ...(own.get(name) ?? [])]);
}

function mapIn(value: unknown): Map<string, readonly Constraint[]> | undefined {
  return value instanceof Map ? value : undefined;
}

function compiledPattern(source: string, flags: string): { test(text: string): boolean } {
  try {
    return linearRegExp(source, flags);
  } catch (error) {
    throw badRequest(`@Pattern: /${source}/ ${getMessage(error)}`);
  }
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** The longest email address in characters (RFC 5321). */
const EMAIL_LENGTH_MAX = 254;

function isEmail(text: string): boolean {
  return text.length <= EMAIL_LENGTH_MAX && /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text);
}

function findSize(value: unknown): number | undefined {
  // Characters are code points, as in a schema's minLength.
  if (typeof value === 'string') return Array.from(value).length;
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
}
