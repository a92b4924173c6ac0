/** JSON from the service: any member may be missing. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member: a name such as `constructor` must not return an inherited one. */
export function getMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A member that is an object; an empty one for any other value. */
export function objectAt(value: unknown, name: string): JsonObject {
  const member = getMember(value, name);
  return isObject(member) ? member : {};
}

export function textAt(value: unknown, name: string): string | undefined {
  const member = getMember(value, name);
  return typeof member === 'string' ? member : undefined;
}

/** A member that is an array; an empty one for any other value. */
export function arrayAt(value: unknown, name: string): readonly unknown[] {
  const member = getMember(value, name);
  return Array.isArray(member) ? member : [];
}

/** The texts of a member that is an array. */
export function textsAt(value: unknown, name: string): readonly string[] {
  return arrayAt(value, name).filter((item) => typeof item === 'string');
}

export function withMember(object: JsonObject, path: readonly string[], value: unknown): JsonObject {
  const [name = '', ...rest] = path;
  return { ...object, [name]: rest.length === 0 ? value : withMember(objectAt(object, name), rest, value) };
}
