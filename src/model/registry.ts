import { badRequest, notFound, ServiceError } from '../errors.js';
import { columnsOf } from './columns.js';
import { gvkOf, type GvkDeclaration } from './gvk.js';
import { bindIndex } from './index-function.js';
import {
  BUILT_IN_INDEX_NAMES,
  builtInIndexes,
  type IndexSource,
  type IndexSpecsBuilder,
} from './index-spec.js';
import { lintSchema } from './lint-schema.js';
import { isReservedGroup, PLATFORM_SUFFIX } from './naming.js';
import { apiVersionOf, type GroupVersionKind, type Resource } from './resource.js';
import { schemaOf } from './schema-of.js';
import type { Index, ModelClass, Scheme } from './scheme.js';
import { compileModel } from './validator.js';

export interface RegisterOptions {
  /** Whether the owner may register models in the groups of the platform; false by default. */
  readonly allowReservedGroup?: boolean;
}

/** Declares the indexes of a model during its registration; it must not be asynchronous. */
export type DeclareIndexes = (specs: IndexSpecsBuilder) => void;

/** A two-level-then-name map: looking up makes no strings. */
type Triple = Map<string, Map<string, Map<string, Scheme>>>;

/** All registered models. It holds them and tells nobody: who registers also informs. */
export class SchemeRegistry {
  readonly #byModel = new Map<ModelClass, Scheme>();
  readonly #byPlural: Triple = new Map();
  readonly #byKind: Triple = new Map();

  /**
   * Registers a model: builds its schema, checks and compiles it, binds its indexes. Either all of it happens or
   * nothing.
   * @param owner who registers it: the plugin's name, or `platform`
   * @throws ServiceError that names what is wrong: `BadRequest` for a bad declaration (GVK, schema, columns,
   *   indexes), `AlreadyExists` for a class, kind or plural that is taken, `Forbidden` for a reserved group
   */
  register(
    model: ModelClass,
    owner: string,
    declareIndexes?: DeclareIndexes,
    options: RegisterOptions = {},
  ): Scheme {
    const gvk = declarationOf(model);
    this.#checkFree(model, gvk, options.allowReservedGroup ?? false);
    const scheme = buildScheme(model, gvk, owner, declareIndexes);
    this.#byModel.set(model, scheme);
    put(this.#byPlural, gvk.group, gvk.version, gvk.plural, scheme);
    put(this.#byKind, gvk.group, gvk.version, gvk.kind, scheme);
    return scheme;
  }

  /** Takes a model back. Returns what was registered, `undefined` when nothing was. */
  unregister(model: ModelClass): Scheme | undefined {
    const scheme = this.#byModel.get(model);
    if (!scheme) return undefined;
    const { group, version, plural, kind } = scheme.resource;
    this.#byModel.delete(model);
    remove(this.#byPlural, group, version, plural);
    remove(this.#byKind, group, version, kind);
    return scheme;
  }

  /** All models, in order of registration; a copy. */
  schemes(): readonly Scheme[] {
    return [...this.#byModel.values()];
  }

  /** The model that is served under a path; `undefined` when none is. */
  find(group: string, version: string, plural: string): Scheme | undefined {
    return this.#byPlural.get(group)?.get(version)?.get(plural);
  }

  findByKind(group: string, version: string, kind: string): Scheme | undefined {
    return this.#byKind.get(group)?.get(version)?.get(kind);
  }

  /**
   * The model of a class, or of group, version and kind. A class that was not registered itself stands for the one
   * with its group, version and kind: a plugin that imports another's model has a copy of that class.
   * @throws ServiceError `NotFound` when it is not registered
   */
  schemeOf(model: ModelClass | GroupVersionKind): Scheme {
    if (typeof model === 'function') {
      const gvk = gvkOf(model);
      const scheme = this.#byModel.get(model) ?? (gvk && this.findByKind(gvk.group, gvk.version, gvk.kind));
      if (scheme) return scheme;
      throw notFound(`the model ${model.name} is not registered`);
    }
    const scheme = this.findByKind(model.group, model.version, model.kind);
    if (scheme) return scheme;
    throw notFound(`there is no model ${apiVersionOf(model)} ${model.kind}`, {
      group: model.group,
      kind: model.kind,
    });
  }

  #checkFree(model: ModelClass, gvk: GvkDeclaration, allowReservedGroup: boolean): void {
    const { group, version, kind, plural } = gvk;
    if (isReservedGroup(group) && !allowReservedGroup) {
      throw new ServiceError(
        'Forbidden',
        `model ${model.name}: the group "${group}" is reserved for the platform (the empty group and ${PLATFORM_SUFFIX})`,
      );
    }
    if (this.#byModel.has(model)) throw taken(`the class ${model.name} is already registered`, gvk);
    for (const { resource, owner } of this.#byModel.values()) {
      if (resource.group !== group) continue;
      const by = `already registered by ${owner}`;
      if (resource.kind === kind) throw taken(`the kind ${kind} of the group "${group}" is ${by}`, gvk);
      if (resource.version === version && resource.plural === plural) {
        throw taken(`the plural ${plural} of ${apiVersionOf(gvk)} is ${by}`, gvk);
      }
    }
  }
}

function taken(message: string, { group, kind }: GvkDeclaration): ServiceError {
  return new ServiceError('AlreadyExists', message, { group, kind });
}

function declarationOf(model: ModelClass): GvkDeclaration {
  const given: unknown = model;
  if (typeof given !== 'function') throw badRequest(`a model must be a class, got ${String(given)}`);
  const gvk = gvkOf(model);
  if (!gvk) throw badRequest(`class ${model.name} is not a model: it has no @GVK of its own`);
  return gvk;
}

function buildScheme(
  model: ModelClass,
  gvk: GvkDeclaration,
  owner: string,
  declareIndexes: DeclareIndexes | undefined,
): Scheme {
  const schema = schemaOf(model);
  lintSchema(model.name, schema);
  const indexes = [...builtInIndexes(), ...declaredIndexes(model, declareIndexes)];
  const resource: Resource = {
    group: gvk.group,
    version: gvk.version,
    kind: gvk.kind,
    plural: gvk.plural,
    singular: gvk.singular,
    shortNames: gvk.shortNames ?? [],
    categories: gvk.categories ?? [],
    columns: columnsOf(model, schema),
    schema,
    indexes: indexes.map(declarationOnly),
  };
  return { resource, model, owner, indexes, validate: compileModel(schema) };
}

function declarationOnly({
  name,
  keyType,
  multi,
  unique,
  order,
  sparse,
}: Index): Resource['indexes'][number] {
  return { name, keyType, multi, unique, order, sparse };
}

function declaredIndexes(model: ModelClass, declare: DeclareIndexes | undefined): Index[] {
  const indexes = new Map<string, Index>();
  const specs: IndexSpecsBuilder = {
    add(spec: IndexSource) {
      const definition = spec.toDefinition();
      const { name } = definition;
      if (BUILT_IN_INDEX_NAMES.has(name))
        throw bad(model, `the index ${name} is built in, it must not be declared`);
      if (indexes.has(name)) throw bad(model, `the index ${name} is declared twice`);
      indexes.set(name, bindIndex(definition, model));
      return specs;
    },
  };
  const returned: unknown = declare?.(specs);
  if (returned instanceof Promise) {
    returned.catch(() => undefined);
    throw bad(model, 'the function that declares indexes must not be asynchronous');
  }
  return [...indexes.values()];
}

function bad(model: ModelClass, text: string): ServiceError {
  return badRequest(`model ${model.name}: ${text}`);
}

function put(map: Triple, a: string, b: string, c: string, scheme: Scheme): void {
  const inner = map.get(a) ?? new Map<string, Map<string, Scheme>>();
  const innermost = inner.get(b) ?? new Map<string, Scheme>();
  map.set(a, inner);
  inner.set(b, innermost);
  innermost.set(c, scheme);
}

function remove(map: Triple, a: string, b: string, c: string): void {
  map.get(a)?.get(b)?.delete(c);
}
