import { badRequest } from '../../errors.js';
import type { ConsoleHints } from '../schema/hints.js';
import './symbol-metadata.js';

/** A class, abstract or not, whose instances are of type T. */
export type Ctor<T extends object = object> = abstract new (...args: never[]) => T;

export type SchemaTypeName = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
/** A type by name, or a nested class. `() => Class` for a class that is defined later, and for the class itself. */
export type SchemaType = SchemaTypeName | Ctor | (() => Ctor);
export type RequiredMode = 'REQUIRED' | 'NOT_REQUIRED' | 'AUTO';

/** Attributes of a value. */
export interface ValueOptions {
  /** When absent, derived from the other attributes where they are unambiguous; otherwise any type is accepted. */
  readonly type?: SchemaType;
  /** A short name for people, such as `Due date`; the field keeps its own. */
  readonly title?: string;
  readonly description?: string;
  /** Sample value for the description. */
  readonly example?: unknown;
  /** In characters. */
  readonly minLength?: number;
  /** In characters. */
  readonly maxLength?: number;
  /** Inclusive. */
  readonly minimum?: number;
  /** Inclusive. */
  readonly maximum?: number;
  /** For example `date`, `date-time`, `time`, `email`, `int64`. */
  readonly format?: string;
  /** A regular expression without flags; it matches anywhere unless it is anchored. */
  readonly pattern?: string | RegExp;
  readonly enum?: readonly (string | number | boolean | null)[];
  /** Attributes of the elements of an array. */
  readonly items?: ValueOptions;
  /** The least number of elements of an array. */
  readonly minItems?: number;
  /** The greatest number of elements of an array. */
  readonly maxItems?: number;
  /** True when an array must not contain a value twice. */
  readonly uniqueItems?: boolean;
  /** Attributes of the values of a map. As a boolean: true when undeclared fields are accepted. */
  readonly additionalProperties?: boolean | ValueOptions;
  /** True when null is accepted. */
  readonly nullable?: boolean;
  /** Set on write when the field is absent. */
  readonly default?: unknown;
  readonly readOnly?: boolean;
  readonly deprecated?: boolean;
  /** Hints for its display in the console; on a model class, those of the model. */
  readonly console?: ConsoleHints;
}

/** Attributes of a field, or of a nested class. */
export interface SchemaOptions extends ValueOptions {
  /** Absent and `AUTO` mean not required. */
  readonly requiredMode?: RequiredMode;
  /** On a class only: the name of its schema; overrides the name of the class. */
  readonly name?: string;
}

type Opt<T> = T | null | undefined;

/** The types allowed for a field with the attributes O. */
export type FieldOf<O> = O extends { type: 'string' }
  ? Opt<string>
  : O extends { type: 'integer' | 'number' }
    ? Opt<number | bigint>
    : O extends { type: 'boolean' }
      ? Opt<boolean>
      : O extends { type: 'array' }
        ? Opt<readonly unknown[] | ReadonlySet<unknown>>
        : O extends { type: 'object' }
          ? Opt<object>
          : O extends { type: Ctor<infer T> }
            ? Opt<T>
            : O extends { type: () => Ctor<infer T> }
              ? Opt<T>
              : O extends { minLength: number } | { maxLength: number } | { pattern: string | RegExp }
                ? Opt<string>
                : O extends { minimum: number } | { maximum: number }
                  ? Opt<number | bigint>
                  : O extends { minItems: number } | { maxItems: number } | { uniqueItems: boolean }
                    ? Opt<readonly unknown[] | ReadonlySet<unknown>>
                    : O extends { enum: readonly (infer E)[] }
                      ? Opt<E>
                      : unknown;

/** Turns a misspelt option into a compile error. A type parameter alone does not. */
export type NoOther<O> = Readonly<Record<Exclude<keyof O, keyof SchemaOptions>, never>>;

/** A decorator of fields and classes. One signature: the compiler prints the failure of every overload. */
export type SchemaDecorator<O> = <C extends ClassFieldDecoratorContext | ClassDecoratorContext>(
  target: undefined | Ctor,
  context: C & Fits<C, FieldOf<O>>,
) => void;

/** A missing property, whose name is the compile error, when the type of the field has values that the attributes do not allow. */
type Fits<C, F> = C extends { access: { get(object: never): infer V } }
  ? [V] extends [F]
    ? unknown
    : { '@Schema does not allow all values of the type of the field, only': NonNullable<F> }
  : unknown;

const FIELDS = Symbol.for('xsvc.schema.fields');
const CLASS = Symbol.for('xsvc.schema.class');

/**
 * Declares a field of a model or nested class, with its rules and its description. On a nested class, names and
 * describes its schema. A field without it is not part of the schema. The fields of a base class come first.
 * @throws ServiceError `BadRequest` on static, private or symbol-named fields
 */
export function Schema<const O extends SchemaOptions>(options: O & NoOther<O>): SchemaDecorator<O> {
  return (_target: unknown, context: DecoratorContextLike) => {
    if (context.kind === 'class') metadataIn(context)[CLASS] = options;
    else ownMap<SchemaOptions>(context, FIELDS).set(fieldName('@Schema', context), options);
  };
}

/** Adds a field to the schema, for other decorators. Attributes of `@Schema` take precedence, in any order. */
export function declareField(context: DecoratorContextLike, name: string, options: SchemaOptions): void {
  const fields = ownMap<SchemaOptions>(context, FIELDS);
  if (!fields.has(name)) fields.set(name, options);
}

/** Declared fields of a class and its bases, in order of declaration; empty when it has none. */
export function getSchemaFields(type: Ctor): ReadonlyMap<string, SchemaOptions> {
  return findMap(type, FIELDS);
}

/** The attributes of `@Schema` on the class itself; empty when it has none, even if its base class has some. */
export function getClassSchema(type: Ctor): SchemaOptions {
  const metadata = findMetadata(type);
  if (!metadata || !Object.hasOwn(type, Symbol.metadata) || !Object.hasOwn(metadata, CLASS)) return {};
  const options = metadata[CLASS];
  return typeof options === 'object' && options !== null ? options : {};
}

export interface DecoratorContextLike {
  readonly kind: string;
  readonly name: string | symbol | undefined;
  readonly metadata: DecoratorMetadataObject | undefined;
  readonly static?: boolean;
  readonly private?: boolean;
}

/** @param decorator name of the decorator, for the message */
export function fieldName(decorator: string, context: DecoratorContextLike): string {
  if (typeof context.name === 'string' && context.static !== true && context.private !== true)
    return context.name;
  throw badRequest(
    `${decorator}: ${String(context.name)} must be a public instance field with a string name`,
  );
}

/** The map of decorator data for a class and its bases; empty when it has none. */
export function findMap<T>(type: Ctor, key: symbol): ReadonlyMap<string, T> {
  const found = findMetadata(type)?.[key];
  return isMap<T>(found) ? found : new Map<string, T>();
}

/** The map of decorator data for the decorated class alone. */
export function ownMap<T>(context: DecoratorContextLike, key: symbol): Map<string, T> {
  return ownMapIn(metadataIn(context), key);
}

/** Metadata of a subclass inherits that of its base by prototype, so the map is copied first. */
export function ownMapIn<T>(metadata: Record<PropertyKey, unknown>, key: symbol): Map<string, T> {
  const found = metadata[key];
  if (Object.hasOwn(metadata, key) && isMap<T>(found)) return found;
  const own = new Map(isMap<T>(found) ? found : []);
  metadata[key] = own;
  return own;
}

function metadataIn({ metadata }: DecoratorContextLike): Record<PropertyKey, unknown> {
  if (metadata !== undefined) return metadata;
  throw badRequest('@Schema: decorators need Symbol.metadata; import xsvc first');
}

function isMap<T>(value: unknown): value is Map<string, T> {
  return value instanceof Map;
}

/** The decorator metadata of a class; undefined when it has none. */
export function findMetadata(type: Ctor): DecoratorMetadataObject | undefined {
  return type[Symbol.metadata] ?? undefined;
}
