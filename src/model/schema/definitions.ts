import { badRequest } from '../../errors.js';
import type { JsonObject } from '../object.js';

/** The named schemas of one model, each built once, for `$defs`. */
export class Definitions {
  readonly schemas: Record<string, JsonObject> = {};
  readonly #names = new Map<object, string>();
  readonly #owners = new Map<string, object>();

  /** @param subject the owner of the schemas, for errors */
  constructor(readonly subject: string) {}

  /** A reference to the schema of a class, which is built on first use. */
  ofClass(owner: object, name: string, build: () => JsonObject): JsonObject {
    const other = this.#owners.get(name);
    if (other !== undefined && other !== owner) {
      throw badRequest(
        `${this.subject}: two different classes have the schema name ${name}; rename one with @Schema({ name: '...' })`,
      );
    }
    return this.#reference(owner, name, build);
  }

  /** A reference to a part of a foreign schema. A number is appended to a name that is in use. */
  ofPart(owner: object, wanted: string, build: () => JsonObject): JsonObject {
    const base = wanted.replace(/[^A-Za-z0-9._-]/g, '_') || 'Schema';
    let name = this.#names.get(owner) ?? base;
    for (let n = 2; (this.#owners.get(name) ?? owner) !== owner; n++) name = `${base}${n}`;
    return this.#reference(owner, name, build);
  }

  #reference(owner: object, name: string, build: () => JsonObject): JsonObject {
    if (!this.#names.has(owner)) {
      // The name is recorded before the schema is built, so that recursion ends.
      this.#names.set(owner, name);
      this.#owners.set(name, owner);
      this.schemas[name] = {}; // reserves its position before the schemas that it refers to
      this.schemas[name] = build();
    }
    return { $ref: `#/$defs/${name}` };
  }
}
