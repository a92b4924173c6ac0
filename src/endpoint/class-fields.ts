import { isClass } from '../model/schema/schema-of.js';
import { isRecord, setOwn } from '../lib/json/json.js';
import {
  getSchemaFields,
  type Ctor,
  type SchemaType,
  type ValueOptions,
} from '../model/declare/schema-decorator.js';

/** The classes of a declared value and its parts. */
export interface NestedClasses {
  /** The class of the value itself. */
  readonly own?: Ctor;
  /** The classes of an array's items. */
  readonly items?: NestedClasses;
  /** The classes of a map's values. */
  readonly values?: NestedClasses;
}

/** Reads the classes of a field's value from the field's attributes. */
export function getNestedClasses({ type, items, additionalProperties }: ValueOptions): NestedClasses {
  const own = findClass(type);
  return {
    ...(own === undefined ? {} : { own }),
    ...(items === undefined ? {} : { items: getNestedClasses(items) }),
    ...(typeof additionalProperties === 'object' ? { values: getNestedClasses(additionalProperties) } : {}),
  };
}

function findClass(type: SchemaType | undefined): Ctor | undefined {
  if (typeof type !== 'function') return undefined;
  return isClass(type) ? type : type();
}

/**
 * Creates an instance of the class with the members of the data; values of fields that have a class become instances too. A
 * constructor without parameters is run first, so that field initialisers are defaults. A constructor with parameters is not run.
 */
export function createInstance<T extends object>(type: Ctor<T>, data: object): T {
  const instance = createBlank(type);
  for (const [name, value] of Object.entries(data)) setOwn(instance, name, value);
  for (const [name, options] of getSchemaFields(type)) {
    if (Object.hasOwn(data, name)) setOwn(instance, name, typed(getNestedClasses(options), instance[name]));
  }
  return instance as T;
}

function createBlank(type: Ctor): Record<string, unknown> {
  const made: object =
    type.length === 0
      ? (Reflect.construct(type, []) as object)
      : (Object.create(type.prototype as object) as object);
  return made as Record<string, unknown>;
}

function typed({ own, items, values }: NestedClasses, value: unknown): unknown {
  if (Array.isArray(value))
    return items === undefined ? value : value.map((item: unknown) => typed(items, item));
  if (!isRecord(value)) return value;
  if (own !== undefined) return createInstance(own, value);
  if (values === undefined) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) setOwn(copy, key, typed(values, item));
  return copy;
}
