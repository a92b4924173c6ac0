import { badRequest } from '../../errors.js';
import { builtInIndex, type IndexDefinition } from './index-function.js';
import { EXPIRATION, findExpiration } from '../expiration.js';
import { isNamespaced, type Scoped } from '../full-name.js';
import type { ExtensionObject } from '../object.js';
import {
  KEY_TYPES,
  type IndexDeclaration,
  type IndexOrder,
  type KeyType,
  type ValueType,
} from '../resource.js';
import type { ModelClass } from './model-class.js';
import { OWNER_UIDS, getOwners } from '../owner-references.js';
import type { Index } from './scheme.js';

/** Names of the indexes of every model, or of every namespaced one. A model must not declare them again. */
export const BUILT_IN_INDEX_NAMES: ReadonlySet<string> = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.labels',
  'metadata.creationTimestamp',
  'metadata.updateTimestamp',
  'metadata.deletionTimestamp',
  OWNER_UIDS,
  EXPIRATION,
]);

/** The key types for values of the type V. A `long` may also be a text of digits. */
export type KeyTypeOf<V> = V extends string
  ? 'string' | 'instant' | 'long'
  : V extends boolean
    ? 'boolean'
    : V extends number
      ? 'integer' | 'number' | 'long'
      : V extends bigint
        ? 'long'
        : V extends Date
          ? 'instant'
          : ValueType;

/** Any declaration of an index. */
export interface IndexSource {
  /** @throws ServiceError `BadRequest` with the index, when the declaration is incomplete or wrong */
  toDefinition(): IndexDefinition;
}

/** The argument of the registration callback, which declares indexes with it. */
export interface IndexSpecsBuilder {
  /** @throws ServiceError `BadRequest` with the index, when it is wrong, built in or declared twice */
  add(spec: IndexSource): IndexSpecsBuilder;
}

/** Declares an index step by step. `R` is the return type of its function. */
export class IndexSpecBuilder<M extends object, R> implements IndexSource {
  #indexFunc: ((object: M) => R) | undefined;
  #unique = false;
  #order: IndexOrder = 'ASC';
  #ignoreCase = false;

  constructor(
    private readonly name: string,
    private readonly keyType: KeyType,
    private readonly multi: boolean,
  ) {}

  /** Sets the function that reads the values of an object, which is an instance of the model. It must be pure. */
  indexFunc(fn: (object: M) => R): this {
    this.#indexFunc = fn;
    return this;
  }

  /** With true, two objects must not have the same value; not unique by default. */
  unique(unique = true): this {
    this.#unique = unique;
    return this;
  }

  /** Sets the direction for a sort that names none; `ASC` by default. */
  order(order: IndexOrder): this {
    this.#order = order;
    return this;
  }

  /**
   * With true, the index contains its texts in lower case (`String.prototype.toLowerCase`, with `ς` as `σ`), and the values
   * of conditions are converted too: selectors, filters, the order and uniqueness ignore case. Only for the key type
   * `string`; case-sensitive by default.
   */
  ignoreCase(ignoreCase = true): this {
    this.#ignoreCase = ignoreCase;
    return this;
  }

  toDefinition(): IndexDefinition {
    return checkedDefinition({
      name: this.name,
      keyType: this.keyType,
      multi: this.multi,
      unique: this.#unique,
      order: this.#order,
      sparse: false,
      ignoreCase: this.#ignoreCase,
      indexFunc: this.#indexFunc,
    });
  }
}

/** The texts of an object for a text index; absent ones have no words. */
type Texts = string | readonly (string | null | undefined)[] | ReadonlySet<string> | null | undefined;

/** Declares the text index of a model, for `search`. */
export class TextIndexSpecBuilder<M extends object> implements IndexSource {
  #indexFunc: ((object: M) => Texts) | undefined;

  constructor(private readonly name: string) {}

  /**
   * Sets the function that reads the texts of an object, which is an instance of the model. It must be pure. The words of
   * different texts are never side by side for a phrase.
   */
  indexFunc(fn: (object: M) => Texts): this {
    this.#indexFunc = fn;
    return this;
  }

  toDefinition(): IndexDefinition {
    return definitionOf({ name: this.name, ...TEXT_INDEX, indexFunc: this.#indexFunc });
  }
}

/** The members of a declaration that all text indexes share. */
export const TEXT_INDEX = {
  keyType: 'text',
  multi: true,
  unique: false,
  order: 'ASC',
  sparse: true,
} as const satisfies Omit<IndexDeclaration, 'name'>;

/** Declares indexes: `IndexSpecs.single<Person, number>('spec.age', 'integer').indexFunc((p) => p.spec.age)`. */
export const IndexSpecs = {
  /** An index with at most one value per object; null and undefined mean none. */
  single<M extends object = ExtensionObject, V = unknown>(
    name: string,
    keyType: KeyTypeOf<V>,
  ): IndexSpecBuilder<M, V | null | undefined> {
    return new IndexSpecBuilder(name, keyType, false);
  },
  /** An index with any number of values per object: an array or a Set without null. */
  multi<M extends object = ExtensionObject, V = unknown>(
    name: string,
    keyType: KeyTypeOf<V>,
  ): IndexSpecBuilder<M, readonly V[] | ReadonlySet<V> | null | undefined> {
    return new IndexSpecBuilder(name, keyType, true);
  },
  /**
   * The index of words that `search` uses; at most one for a model:
   * `IndexSpecs.text<Service>('search').indexFunc((s) => [s.spec.title, s.spec.body])`. Its name cannot be used as a field.
   */
  text<M extends object = ExtensionObject>(name: string): TextIndexSpecBuilder<M> {
    return new TextIndexSpecBuilder(name);
  },
} as const;

/** A function over a model's objects; `multi` is true when it returns several values. */
export interface IndexAttribute {
  readonly multi: boolean;
  readonly indexFunc: (object: never) => unknown;
}

/** @deprecated Use {@link IndexSpecs}. */
export const IndexAttributeFactory = {
  /** @deprecated Use {@link IndexSpecs.single}. One value of text, or none. */
  simpleAttribute<M extends object>(
    _model: ModelClass<M>,
    indexFunc: (object: M) => string | null | undefined,
  ): IndexAttribute {
    return { multi: false, indexFunc };
  },
  /** @deprecated Use {@link IndexSpecs.multi}. Any number of values of text. */
  multiValueAttribute<M extends object>(
    _model: ModelClass<M>,
    indexFunc: (object: M) => readonly string[] | ReadonlySet<string> | null | undefined,
  ): IndexAttribute {
    return { multi: true, indexFunc };
  },
} as const;

/** The options of the deprecated form of an index declaration. */
export interface IndexSpecOptions {
  readonly name: string;
  readonly indexFunc: IndexAttribute;
  readonly unique?: boolean;
  readonly order?: IndexOrder;
}

/** @deprecated Use {@link IndexSpecs}. Its key type is `string`. */
export class IndexSpec implements IndexSource {
  constructor(private options: Partial<IndexSpecOptions> = {}) {}

  /** @deprecated Use {@link IndexSpecs}. */
  setName(name: string): this {
    return this.#set({ name });
  }

  /** @deprecated Use {@link IndexSpecBuilder.order}. */
  setOrder(order: IndexOrder): this {
    return this.#set({ order });
  }

  /** @deprecated Use {@link IndexSpecBuilder.unique}. */
  setUnique(unique: boolean): this {
    return this.#set({ unique });
  }

  /** @deprecated Use {@link IndexSpecBuilder.indexFunc}. */
  setIndexFunc(indexFunc: IndexAttribute): this {
    return this.#set({ indexFunc });
  }

  #set(options: Partial<IndexSpecOptions>): this {
    this.options = { ...this.options, ...options };
    return this;
  }

  toDefinition(): IndexDefinition {
    const { name, indexFunc, unique = false, order = 'ASC' } = this.options;
    const { multi, indexFunc: fn } = getAttribute(indexFunc);
    return checkedDefinition({ name, keyType: 'string', multi, unique, order, sparse: false, indexFunc: fn });
  }
}

/**
 * The indexes of the platform, in a fixed order. In a cluster-scoped model `metadata.name` is not one of them: it is the
 * order of the objects.
 */
export function builtInIndexes(model: Scoped): readonly Index[] {
  const common = { unique: false, order: 'ASC' } as const;
  return [
    builtInIndex(
      { name: 'metadata.labels', keyType: 'string', multi: true, sparse: true, ...common },
      1,
      ({ metadata }) => Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`),
    ),
    builtInIndex(
      { name: 'metadata.creationTimestamp', keyType: 'instant', multi: false, sparse: false, ...common },
      1,
      ({ metadata }) => metadata.creationTimestamp,
    ),
    builtInIndex(
      { name: 'metadata.updateTimestamp', keyType: 'instant', multi: false, sparse: false, ...common },
      1,
      ({ metadata }) => metadata.updateTimestamp,
    ),
    builtInIndex(
      { name: 'metadata.deletionTimestamp', keyType: 'instant', multi: false, sparse: true, ...common },
      1,
      ({ metadata }) => metadata.deletionTimestamp,
    ),
    builtInIndex({ name: OWNER_UIDS, keyType: 'string', multi: true, sparse: true, ...common }, 1, (object) =>
      getOwners(object).map(({ uid }) => uid),
    ),
    builtInIndex(
      { name: EXPIRATION, keyType: 'instant', multi: false, sparse: true, ...common },
      1,
      ({ metadata }) => findExpiration(metadata),
    ),
    ...(isNamespaced(model) ? ['name', 'namespace'] : []).map((field) =>
      builtInIndex(
        { name: `metadata.${field}`, keyType: 'string', multi: false, sparse: false, ...common },
        1,
        ({ metadata }) => metadata[field],
      ),
    ),
  ];
}

function getAttribute(value: unknown): { multi: boolean; indexFunc: unknown } {
  if (typeof value !== 'object' || value === null) return { multi: false, indexFunc: value };
  const multi = 'multi' in value && value.multi === true;
  return { multi, indexFunc: 'indexFunc' in value ? value.indexFunc : undefined };
}

type Unchecked = { readonly [K in keyof IndexDefinition]: unknown };

/** Plugins may be plain JavaScript, so every attribute is checked. */
function checkedDefinition(given: Unchecked): IndexDefinition {
  const { name } = given;
  const keyType = KEY_TYPES.find((type) => type === given.keyType);
  if (keyType === undefined) {
    throw badRequest(
      `index ${String(name)}: unknown key type ${String(given.keyType)}; known types: ${KEY_TYPES.join(', ')}`,
    );
  }
  return definitionOf({ ...given, keyType });
}

function definitionOf({ keyType, ...given }: Unchecked & Pick<IndexDefinition, 'keyType'>): IndexDefinition {
  const { name, indexFunc, unique, multi, sparse, ignoreCase } = given;
  if (typeof name !== 'string' || name.trim() === '') throw badRequest('an index needs a name');
  const order = (['ASC', 'DESC'] as const).find((one) => one === given.order);
  if (order === undefined)
    throw badRequest(`index ${name}: order must be ASC or DESC, got ${String(given.order)}`);
  if (ignoreCase === true && keyType !== 'string')
    throw badRequest(`index ${name}: ignoreCase needs the key type string, not ${keyType}`);
  if (!isFunction(indexFunc)) throw badRequest(`index ${name}: indexFunc is missing`);
  return {
    name,
    keyType,
    multi: multi === true,
    unique: unique === true,
    order,
    sparse: sparse === true,
    ...(ignoreCase === true && { ignoreCase }),
    indexFunc,
  };
}

function isFunction(value: unknown): value is (object: never) => unknown {
  return typeof value === 'function';
}
