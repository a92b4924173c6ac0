import { badRequest } from '../../errors.js';
import type { JsonObject } from '../object.js';

/** The named schemas of one model, each built once; they end up under `$defs`. */
export class Definitions {
  readonly schemas: Record<string, JsonObject> = {};
  readonly #names = new Map<object, string>();
  readonly #owners = new Map<string, object>();

  /** @param subject what the schemas are for, named in errors */
  constructor(readonly subject: string) {}

  /** A reference to the schema of a class, which is built when it is asked for the first time. */
  ofClass(owner: object, name: string, build: () => JsonObject): JsonObject {
    const other = this.#owners.get(name);
    if (other !== undefined && other !== owner) {
      throw badRequest(
        `${this.subject}: two different classes have the schema name ${name}; rename one with @Schema({ name: '...' })`,
      );
    }
    return this.#reference(owner, name, build);
  }

  /** A reference to a part of a foreign schema; a name that is taken gets a number. */
  ofPart(owner: object, wanted: string, build: () => JsonObject): JsonObject {
    const base = wanted.replace(/[^A-Za-z0-9._-]/g, '_') || 'Schema';
    let name = this.#names.get(owner) ?? base;
    for (let n = 2; (this.#owners.get(name) ?? owner) !== owner; n++) name = `${base}${n}`;
    return this.#reference(owner, name, build);
  }

  #reference(owner: object, name: string, build: () => JsonObject): JsonObject {
    if (!this.#names.has(owner)) {
      // The name is noted before the schema is built, so that a reference to itself ends here.
      this.#names.set(owner, name);
      this.#owners.set(name, owner);
      this.schemas[name] = {}; // takes the place before those that it refers to
      this.schemas[name] = build();
    }
    return { $ref: `#/$defs/${name}` };
  }
}
