import { getMessage } from '../errors.js';
import type { DescribedType, PageType } from '../endpoint/route.js';
import { Definitions } from '../model/schema/definitions.js';
import { findGvk } from '../model/declare/gvk.js';
import { hoistRefs } from '../model/schema/hoist-refs.js';
import type { JsonObject } from '../model/object.js';
import { versionKey, type GroupVersionKind } from '../model/resource.js';
import { getSchemaName } from '../model/schema/schema-of.js';
import type { ModelClass } from '../model/declare/model-class.js';
import { getConstrainedSchema } from './constrained.js';
import { toOpenApi, type RefOf } from './convert.js';
import type { NamedModel, SchemaNames } from './named-model.js';
import { componentName, pascalCase, type Wish } from './names.js';
import { schemaRef } from './json-fragment.js';
import { getSchemaSet, type SchemaSet } from './schema-set.js';

/** A type of a custom endpoint in the form of the documents. */
export interface NamedType {
  /** The schema at the place of use. */
  readonly schema: JsonObject;
  readonly schemas: ReadonlyMap<string, JsonObject>;
}

const setsOf = new WeakMap<object, SchemaSet>();
/** The last result for a type; valid while its schemas have the same names. */
const namedTypes = new WeakMap<object, { readonly key: string; readonly named: NamedType }>();

/** True when a type is a page of a model's objects. */
export function isPageType(type: DescribedType): type is PageType {
  return typeof type !== 'function' && 'pageOf' in type && typeof type.pageOf === 'function';
}

/** Names the types of custom endpoints. A model's own types keep the model's names. */
export class RouteTypes {
  readonly #models: ReadonlyMap<string, NamedModel>;

  constructor(
    models: readonly NamedModel[],
    private readonly names: SchemaNames,
  ) {
    this.#models = new Map(models.map((model) => [versionKey(model.resource), model]));
  }

  /**
   * @param plugin makes a name unique that is taken
   * @param warn receives the reason why a type cannot be described; the type then allows any value
   */
  nameType(type: DescribedType, plugin: string, warn: (text: string) => void): NamedType {
    try {
      if (isPageType(type)) return this.#page(type.pageOf, warn);
      const model = typeof type === 'function' ? this.#modelOf(type) : undefined;
      if (model !== undefined) return { schema: schemaRef(model.object), schemas: new Map() };
      return this.#own(type, plugin);
    } catch (error) {
      warn(`a type cannot be described: ${getMessage(error)}`);
      return { schema: {}, schemas: new Map() };
    }
  }

  #modelOf(type: ModelClass): NamedModel | undefined {
    const gvk: GroupVersionKind | undefined = findGvk(type);
    return gvk === undefined ? undefined : this.#models.get(versionKey(gvk));
  }

  #page(type: ModelClass, warn: (text: string) => void): NamedType {
    const model = this.#modelOf(type);
    if (model !== undefined) return { schema: schemaRef(model.page), schemas: new Map() };
    warn(`the answer is a page of ${type.name}, which is not a registered model`);
    return { schema: { type: 'object' }, schemas: new Map() };
  }

  #own(type: ModelClass | JsonObject, plugin: string): NamedType {
    const set = setsOf.get(type) ?? getSet(type);
    setsOf.set(type, set);
    const definitions = this.names.takeAll(set, (local) => wishFor(local, plugin));
    const wanted = typeof type === 'function' ? getSchemaName(type) : '';
    const root = wanted === '' ? '' : this.names.takeShared(wishFor(wanted, plugin), set.identity);
    const key = [root, ...definitions.values()].join(' ');
    const known = namedTypes.get(type);
    if (known?.key === key) return known.named;
    const named = convert(set, root, definitions);
    namedTypes.set(type, { key, named });
    return named;
  }
}

/** @param name the name of the whole type; empty for a type without one, which is written at the place of use */
function convert(set: SchemaSet, name: string, definitions: ReadonlyMap<string, string>): NamedType {
  const findRef: RefOf = (local) => {
    const target = definitions.get(local);
    return target === undefined ? undefined : schemaRef(target).$ref;
  };
  const schemas = new Map<string, JsonObject>();
  for (const [local, schema] of set.definitions)
    schemas.set(definitions.get(local) ?? local, toOpenApi(schema, findRef));
  const root = toOpenApi(set.root, findRef);
  if (name === '') return { schema: root, schemas };
  schemas.set(name, root);
  return { schema: schemaRef(name), schemas };
}

function wishFor(local: string, plugin: string): Wish {
  const name = componentName(local);
  return [name, () => `${pascalCase(plugin)}${name}`];
}

function getSet(type: ModelClass | JsonObject): SchemaSet {
  if (typeof type === 'function') return getSchemaSet(getConstrainedSchema(type));
  const definitions = new Definitions('the schema');
  const root = hoistRefs(type, definitions);
  return getSchemaSet({ ...root, $defs: definitions.schemas });
}
