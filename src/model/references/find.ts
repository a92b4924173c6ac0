import { joinPath } from '../../lib/json/json.js';
import { wrongSchema } from '../schema/lint-schema.js';
import type { Json, JsonObject } from '../object.js';
import { DELETE_POLICIES, REFERENCE, type ModelReference, type ReferenceStep } from './reference.js';
import {
  eachSubschema,
  getFields,
  getList,
  getTypes,
  isJsonObject,
  schemaParts,
} from '../schema/schema-walk.js';

/**
 * The references that a model's schema declares, in the order of their fields.
 * @param name the class of the schema, for the error
 * @throws ServiceError `BadRequest` with every wrong declaration and its path
 */
export function findReferences(name: string, schema: JsonObject): readonly ModelReference[] {
  const { found, faults } = readReferences(schema);
  if (faults.length > 0) throw wrongSchema(name, faults.join('; '));
  return found;
}

/** {@link findReferences} with the wrong declarations as texts. */
export function readReferences(schema: JsonObject): {
  readonly found: readonly ModelReference[];
  readonly faults: readonly string[];
} {
  const finder = new Finder(schema);
  // Most schemas have none, and some are very large: a search of their text is the fastest.
  if (JSON.stringify(schema).includes(REFERENCE))
    finder.walk({ parts: schemaParts(schema, schema), steps: [], isRequired: true }, new Set());
  return finder;
}

/** The schemas that apply to a value: one schema, those that it refers to, and those that it is composed of. */
type Parts = readonly JsonObject[];

/** A value of an object with schemas. */
interface Place {
  readonly parts: Parts;
  readonly steps: readonly ReferenceStep[];
  /** True when the containing object must have it. */
  readonly isRequired: boolean;
}

/** Keywords whose values have a fixed path, or that add to the schema of the same value. */
const FOLLOWED: ReadonlySet<string> = new Set(['properties', 'allOf', '$defs', 'definitions']);

class Finder {
  readonly found: ModelReference[] = [];
  readonly faults: string[] = [];

  constructor(private readonly root: JsonObject) {}

  /** @param open schemas on the path, for types that contain themselves */
  walk(place: Place, open: ReadonlySet<JsonObject>): void {
    const declared = place.parts.filter((part) => part[REFERENCE] !== undefined);
    if (declared.length > 0) this.#add(place, declared);
    if (place.parts.some((part) => open.has(part))) {
      const isReferring = place.parts.some((part) => this.#refers(part));
      if (isReferring) this.#fault(place.steps, 'a reference cannot be inside a recursive type');
      return;
    }
    const within = new Set([...open, ...place.parts]);
    for (const part of place.parts) this.#refuseUnfollowed(place, part);
    for (const [field, schemas] of getFields(place.parts)) {
      const parts = schemas.flatMap((schema) => schemaParts(this.root, schema));
      const isRequired = place.parts.some(({ required }) => getList(required).includes(field));
      this.walk({ parts, steps: [...place.steps, { field, isList: false }], isRequired }, within);
    }
    if (declared.length === 0) this.#walkItems(place, within);
  }

  #walkItems({ parts, steps, isRequired }: Place, open: ReadonlySet<JsonObject>): void {
    const items = itemParts(this.root, parts);
    const last = steps.at(-1);
    if (items.length === 0 || last === undefined) return;
    if (last.isList) {
      if (items.some((part) => this.#refers(part)))
        this.#fault(steps, 'a reference cannot be inside a list of lists');
      return;
    }
    const below = [...steps.slice(0, -1), { ...last, isList: true }];
    this.walk({ parts: items, steps: below, isRequired }, open);
  }

  #add(place: Place, declared: Parts): void {
    const found = this.#read(place, declared);
    if (typeof found === 'string') {
      this.#fault(place.steps, found);
      return;
    }
    if (found.onDelete === 'clear') this.#checkClear(place);
    this.found.push(found);
  }

  /** @returns the reference, or a text with the error */
  #read({ parts, steps }: Place, [first, second]: Parts): ModelReference | string {
    const last = steps.at(-1);
    if (last === undefined) return 'the whole object cannot be a reference';
    if (second !== undefined) return 'the reference is declared twice';
    const isList = !last.isList && getTypes(parts).join() === 'array';
    const values = isList ? itemParts(this.root, parts) : parts;
    if (getTypes(values).join() !== 'string')
      return `a reference must be of type string, or an array of items of type string; it is ${typeName(parts, values, isList)}`;
    const keyword = first?.[REFERENCE];
    if (!isJsonObject(keyword)) return `${REFERENCE} must be { group, kind, onDelete }`;
    const { group, kind, onDelete = 'restrict' } = keyword;
    if (typeof group !== 'string' || typeof kind !== 'string' || kind === '')
      return `${REFERENCE} needs the group and the kind of a model`;
    const policy = DELETE_POLICIES.find((one) => one === onDelete);
    if (policy === undefined)
      return `unknown onDelete ${JSON.stringify(onDelete)}; known policies: ${DELETE_POLICIES.join(', ')}`;
    const way = isList ? [...steps.slice(0, -1), { ...last, isList }] : steps;
    return { field: getPath(steps), steps: way, group, kind, onDelete: policy };
  }

  /** An object must match its schema after the platform has removed the value. */
  #checkClear({ parts, steps, isRequired }: Place): void {
    if (isRequired) this.#fault(steps, 'onDelete clear needs an optional field');
    else if (parts.some(({ minItems }) => typeof minItems === 'number' && minItems > 0))
      this.#fault(steps, 'onDelete clear could leave fewer items than minItems');
  }

  /** A reference at a conditional place or under any name has no fixed path. */
  #refuseUnfollowed({ steps }: Place, part: JsonObject): void {
    eachSubschema(part, (sub, [keyword]) => {
      if (FOLLOWED.has(keyword) || (keyword === 'items' && !Array.isArray(part.items))) return;
      if (this.#refers(sub))
        this.#fault(
          steps,
          `a reference cannot be below ${keyword}: its path must be the same in all objects`,
        );
    });
  }

  /** True when a schema, or one that it refers to, declares a reference. */
  #refers(schema: Json, seen = new Set<JsonObject>()): boolean {
    return schemaParts(this.root, schema).some((part) => {
      if (seen.has(part)) return false;
      seen.add(part);
      if (part[REFERENCE] !== undefined) return true;
      let isFound = false;
      eachSubschema(part, (sub, [keyword]) => {
        isFound ||= keyword !== '$defs' && keyword !== 'definitions' && this.#refers(sub, seen);
      });
      return isFound;
    });
  }

  #fault(steps: readonly ReferenceStep[], text: string): void {
    const path = getPath(steps);
    const fault = path === '' ? text : `${path}: ${text}`;
    if (!this.faults.includes(fault)) this.faults.push(fault);
  }
}

function getPath(steps: readonly ReferenceStep[]): string {
  return steps.reduce((path, { field }) => joinPath(path, field), '');
}

function itemParts(root: JsonObject, parts: Parts): Parts {
  return parts.flatMap(({ items }) => (Array.isArray(items) ? [] : schemaParts(root, items)));
}

function typeName(parts: Parts, values: Parts, isList: boolean): string {
  const name = (types: readonly string[]): string => (types.length === 0 ? 'any value' : types.join(' or '));
  return isList ? `an array of ${name(getTypes(values))}` : name(getTypes(parts));
}
