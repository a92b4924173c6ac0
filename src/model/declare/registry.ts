import { notFound, ServiceError } from '../../errors.js';
import { buildDataVersions, type DataModel } from './data-model.js';
import { findGvk, type GvkDeclaration } from './gvk.js';
import { isReservedGroup, PLATFORM_SUFFIX } from '../names-and-labels.js';
import { getApiVersion, modelKey, type GroupVersionKind } from '../resource.js';
import { buildVersions, getDeclaration, type DeclareIndexes } from './scheme-builder.js';
import type { ModelClass } from './model-class.js';
import type { ModelVersions, Scheme } from './scheme.js';
import { checkModelOptions, type ModelOptions } from '../evolve/versions.js';

export interface RegisterOptions {
  /** The other versions and the migrations, as given by the plugin. */
  readonly model?: ModelOptions | undefined;
  /** True when the owner may register models in the groups of the platform; false by default. */
  readonly allowReservedGroup?: boolean;
  /** Receives a text for each deprecated form in the declaration. */
  readonly onDeprecated?: (text: string) => void;
}

/** Nested maps: a look-up creates no strings. */
type Triple = Map<string, Map<string, Map<string, Scheme>>>;

/** All registered models. The registry notifies nobody: its caller does. */
export class SchemeRegistry {
  readonly #all = new Set<Scheme>();
  readonly #byClass = new Map<ModelClass, Scheme>();
  readonly #byPlural: Triple = new Map();
  readonly #byKind: Triple = new Map();

  /**
   * Registers a model with all its versions: builds, checks and compiles their schemas, and binds its indexes,
   * conversions and migrations. When any step fails, nothing is registered.
   * @param model the class of the storage version
   * @param owner the name of the registering plugin, or `platform`
   * @returns the storage version
   * @throws ServiceError that names the error: `BadRequest` for a wrong declaration (GVK, schema, columns, indexes,
   * versions), `AlreadyExists` for a class, kind or plural that is in use, `Forbidden` for a reserved group
   */
  register(
    model: ModelClass,
    owner: string,
    declareIndexes?: DeclareIndexes,
    { allowReservedGroup = false, model: modelOptions, onDeprecated }: RegisterOptions = {},
  ): Scheme {
    const gvk = getDeclaration(model);
    this.#checkFree(model, gvk, allowReservedGroup);
    const options = checkModelOptions(model.name, modelOptions);
    const { storage, byName } = buildVersions({ model, owner, declareIndexes, options, onDeprecated });
    for (const { model: other } of byName.values())
      if (other !== undefined && this.#byClass.has(other))
        throw taken(`the class ${other.name} is already registered`, gvk);
    return this.#addVersions({ storage, byName });
  }

  /**
   * Registers a model without a class. When it throws, nothing is registered.
   * @param owner the name in messages about a name that is taken
   * @returns the storage version
   * @throws ServiceError `AlreadyExists` for a kind or plural that is in use
   */
  registerData(data: DataModel, owner: string): Scheme {
    this.#checkNamesFree(data);
    for (const { view } of data.versions) if (view) this.#checkNamesFree({ ...data, group: view.group });
    return this.#addVersions(buildDataVersions(data, owner));
  }

  #addVersions({ storage, byName }: Pick<ModelVersions, 'storage' | 'byName'>): Scheme {
    const others = [...byName.values()].filter((scheme) => scheme !== storage);
    for (const scheme of [storage, ...others]) if (scheme.isServed) this.#add(scheme);
    return storage;
  }

  #add(scheme: Scheme): void {
    const { plural, kind } = scheme.resource;
    this.#all.add(scheme);
    if (scheme.model !== undefined) this.#byClass.set(scheme.model, scheme);
    put(this.#byPlural, plural, scheme);
    put(this.#byKind, kind, scheme);
  }

  /** Removes a model with all its versions. Returns its storage version, `undefined` when it was not registered. */
  unregister(model: ModelClass): Scheme | undefined {
    const scheme = this.#byClass.get(model);
    return scheme && this.remove(scheme);
  }

  /**
   * Removes a model with all its versions.
   * @param version one of them
   * @returns its storage version
   */
  remove({ versions }: Scheme): Scheme {
    for (const scheme of versions.byName.values()) {
      const { group, version, plural, kind } = scheme.resource;
      this.#all.delete(scheme);
      if (scheme.model !== undefined) this.#byClass.delete(scheme.model);
      remove(this.#byPlural, group, version, plural);
      remove(this.#byKind, group, version, kind);
    }
    return versions.storage;
  }

  /** All served versions of all models, in order of registration; the storage version of each model first. A copy. */
  schemes(): readonly Scheme[] {
    return [...this.#all];
  }

  /** The model served at a path; `undefined` when none is. */
  find(group: string, version: string, plural: string): Scheme | undefined {
    return this.#byPlural.get(group)?.get(version)?.get(plural);
  }

  findByKind(group: string, version: string, kind: string): Scheme | undefined {
    return this.#byKind.get(group)?.get(version)?.get(kind);
  }

  /**
   * The model of a class, or of group, version and kind. A class that is not registered stands for the registered
   * class with its group, version and kind: a plugin that imports a model of another plugin has a copy of that class.
   * @throws ServiceError `NotFound` when it is not registered
   */
  getScheme(model: ModelClass | GroupVersionKind): Scheme {
    if (typeof model === 'function') {
      const gvk = findGvk(model);
      const scheme = this.#byClass.get(model) ?? (gvk && this.findByKind(gvk.group, gvk.version, gvk.kind));
      if (scheme) return scheme;
      throw notFound(`the model ${model.name} is not registered`);
    }
    const scheme = this.findByKind(model.group, model.version, model.kind);
    if (scheme) return scheme;
    throw notFound(`there is no model ${getApiVersion(model)} ${model.kind}`, {
      group: model.group,
      kind: model.kind,
    });
  }

  #checkFree(model: ModelClass, gvk: GvkDeclaration, allowReservedGroup: boolean): void {
    const { group } = gvk;
    if (isReservedGroup(group) && !allowReservedGroup) {
      throw new ServiceError(
        'Forbidden',
        `model ${model.name}: the group "${group}" is reserved for the platform (the empty group and ${PLATFORM_SUFFIX})`,
      );
    }
    if (this.#byClass.has(model)) throw taken(`the class ${model.name} is already registered`, gvk);
    this.#checkNamesFree(gvk);
  }

  #checkNamesFree(gvk: Pick<GvkDeclaration, 'group' | 'kind' | 'plural'>): void {
    const { group, kind, plural } = gvk;
    for (const { resource, owner } of this.#all) {
      if (resource.group !== group) continue;
      const by = `already registered by ${owner}`;
      if (modelKey(resource) === modelKey(gvk))
        throw taken(`the kind ${kind} of the group "${group}" is ${by}`, gvk);
      if (resource.plural === plural)
        throw taken(`the plural ${plural} of the group "${group}" is ${by}`, gvk);
    }
  }
}

function taken(message: string, { group, kind }: Pick<GvkDeclaration, 'group' | 'kind'>): ServiceError {
  return new ServiceError('AlreadyExists', message, { group, kind });
}

/** @param name the plural or the kind */
function put(map: Triple, name: string, scheme: Scheme): void {
  const { group, version } = scheme.resource;
  const inner = map.get(group) ?? new Map<string, Map<string, Scheme>>();
  const innermost = inner.get(version) ?? new Map<string, Scheme>();
  map.set(group, inner);
  inner.set(version, innermost);
  innermost.set(name, scheme);
}

function remove(map: Triple, a: string, b: string, c: string): void {
  map.get(a)?.get(b)?.delete(c);
}
