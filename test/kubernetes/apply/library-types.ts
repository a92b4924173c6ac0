import {
  DEDUCED,
  UNTYPED,
  type ValueKinds,
  type MapType,
} from '../../../src/kubernetes/apply/types/field-type.js';
import type { Json } from '../../../src/model/object.js';

/** A type in the vectors: named, or with its atoms. */
export interface TypeReference {
  readonly namedType?: string;
  readonly elementRelationship?: string;
  readonly scalar?: ValueKinds['scalar'];
  readonly list?: {
    readonly elementType?: TypeReference;
    readonly elementRelationship?: string;
    readonly keys?: readonly string[];
  };
  readonly map?: {
    readonly fields?: readonly {
      readonly name: string;
      readonly type?: TypeReference;
      readonly default?: Json;
    }[];
    readonly elementType?: TypeReference;
    readonly elementRelationship?: string;
  };
}

export interface Schema {
  readonly types?: readonly (TypeReference & { readonly name: string })[];
}

/** The types of a schema of the vectors. */
export class LibraryTypes {
  readonly #named = new Map<string, TypeReference>();
  readonly #made = new Map<string, ValueKinds>([
    ['__untyped_deduced_', DEDUCED],
    ['__untyped_atomic_', UNTYPED],
  ]);

  constructor({ types = [] }: Schema) {
    for (const type of types) this.#named.set(type.name, type);
  }

  named(name: string): ValueKinds {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const made = this.#make(this.#named.get(name) ?? {});
    this.#made.set(name, made);
    return made;
  }

  #resolve(reference: TypeReference): ValueKinds {
    const { namedType, elementRelationship } = reference;
    if (elementRelationship === undefined)
      return namedType === undefined ? this.#make(reference) : this.named(namedType);
    const { list, map, ...rest } = namedType === undefined ? reference : (this.#named.get(namedType) ?? {});
    if (map !== undefined)
      return this.#make({ ...rest, ...(list && { list }), map: { ...map, elementRelationship } });
    return this.#make({ ...rest, ...(list && { list: { ...list, elementRelationship } }) });
  }

  #make({ scalar, list, map }: TypeReference): ValueKinds {
    const resolve = (reference: TypeReference): ValueKinds => this.#resolve(reference);
    return {
      scalar,
      ...(list !== undefined && {
        list: {
          get items() {
            return resolve(list.elementType ?? {});
          },
          relation:
            list.elementRelationship !== 'associative'
              ? 'atomic'
              : (list.keys ?? []).length > 0
                ? 'map'
                : 'set',
          keys: list.keys ?? [],
        },
      }),
      ...(map !== undefined && { map: this.#map(map) }),
    };
  }

  #map({ fields = [], elementType, elementRelationship }: NonNullable<TypeReference['map']>): MapType {
    const resolve = (reference: TypeReference): ValueKinds => this.#resolve(reference);
    const known = new Map(fields.map((field) => [field.name, field]));
    const others = elementType !== undefined && Object.keys(elementType).length > 0 ? elementType : undefined;
    return {
      hasFields: fields.length > 0,
      field: (name) => {
        const field = known.get(name);
        return field && resolve(field.type ?? {});
      },
      keyDefault: (name) => known.get(name)?.default,
      get others() {
        return others && resolve(others);
      },
      isAtomic: elementRelationship === 'atomic',
    };
  }
}
