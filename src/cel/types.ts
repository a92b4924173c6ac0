/** The type of a value, known before evaluation. */
export type Type =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list' | 'optional'; readonly of: Type }
  | { readonly kind: 'map'; readonly key: Type; readonly of: Type }
  | ObjectType
  /** In the declaration of a function: the same type for all uses of the name. */
  | { readonly kind: 'any'; readonly name: string };

/** `dyn` is a value whose type is unknown before evaluation. */
export type SimpleKind =
  | 'dyn'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'type'
  | 'url'
  | 'ip'
  | 'cidr'
  | 'quantity'
  | 'format';

/** An object with declared fields. Two places with the same fields have the same type. */
export interface ObjectType {
  readonly kind: 'object';
  /** The fields, by their names in expressions. */
  readonly fields: ReadonlyMap<string, FieldType>;
  /** The type of undeclared fields; undefined when expressions cannot read any. */
  readonly others: Type | undefined;
}

export interface FieldType {
  /** The name in the data. */
  readonly name: string;
  /** Types may contain themselves, so the type is computed on demand. */
  readonly type: () => Type;
}

export const DYN: Type = { kind: 'dyn' };
export const NULL: Type = { kind: 'null' };
export const BOOL: Type = { kind: 'bool' };
export const INT: Type = { kind: 'int' };
export const UINT: Type = { kind: 'uint' };
export const DOUBLE: Type = { kind: 'double' };
export const STRING: Type = { kind: 'string' };
export const BYTES: Type = { kind: 'bytes' };
export const TIMESTAMP: Type = { kind: 'timestamp' };
export const DURATION: Type = { kind: 'duration' };
export const TYPE: Type = { kind: 'type' };

export const listType = (of: Type): Type => ({ kind: 'list', of });
export const optionalType = (of: Type): Type => ({ kind: 'optional', of });
export const mapType = (of: Type, key: Type = STRING): Type => ({ kind: 'map', key, of });

const NUMERIC: ReadonlySet<string> = new Set(['int', 'uint', 'double', 'dyn']);
const ORDERED: ReadonlySet<string> = new Set(['bool', 'string', 'bytes', 'timestamp', 'duration']);

export function areOrdered(a: Type, b: Type): boolean {
  if (NUMERIC.has(a.kind) && NUMERIC.has(b.kind)) return true;
  if (a.kind === 'dyn' || b.kind === 'dyn') return ORDERED.has(a.kind) || ORDERED.has(b.kind);
  return a.kind === b.kind && ORDERED.has(a.kind);
}

/** The name of a type for messages: `list(string)`. */
export function nameOfType(type: Type): string {
  switch (type.kind) {
    case 'list':
    case 'optional':
      return `${type.kind}(${nameOfType(type.of)})`;
    case 'map':
      return `map(${nameOfType(type.key)}, ${nameOfType(type.of)})`;
    case 'any':
      return type.name;
    default:
      return type.kind;
  }
}

/** The types bound to the names of {@link Type} `any` in one call. */
export type Bindings = Map<string, Type>;

/** True when a value of a given type fits a declared type. Records the bindings of `any` types. */
export function accepts(declared: Type, given: Type, bindings: Bindings = new Map()): boolean {
  if (declared.kind === 'any') return agrees(declared.name, given, bindings);
  if (declared.kind === 'dyn' || given.kind === 'dyn') return true;
  if (declared.kind === 'object' || given.kind === 'object') return areObjects(declared, given);
  if (declared.kind === 'map' && given.kind === 'map')
    return accepts(declared.key, given.key, bindings) && accepts(declared.of, given.of, bindings);
  if ('of' in declared && 'of' in given)
    return declared.kind === given.kind && accepts(declared.of, given.of, bindings);
  return declared.kind === given.kind;
}

function agrees(name: string, given: Type, bindings: Bindings): boolean {
  const before = bindings.get(name);
  if (before === undefined || before.kind === 'dyn' || before.kind === 'null') {
    bindings.set(name, given);
    return true;
  }
  return given.kind === 'null' || accepts(before, given) || accepts(given, before);
}

function areObjects(a: Type, b: Type): boolean {
  const others: readonly string[] = ['map', 'null'];
  if (others.includes(a.kind) || others.includes(b.kind)) return true;
  if (a.kind !== 'object' || b.kind !== 'object') return false;
  return a === b || [...a.fields.keys()].every((name) => b.fields.has(name));
}

/** Replaces the `any` types in a type by their bindings. */
export function bound(type: Type, bindings: Bindings): Type {
  if (type.kind === 'any') return bindings.get(type.name) ?? DYN;
  if (type.kind === 'map') return mapType(bound(type.of, bindings), bound(type.key, bindings));
  return 'of' in type ? { kind: type.kind, of: bound(type.of, bindings) } : type;
}

export function unionType(types: readonly Type[]): Type {
  const [first = DYN, ...rest] = types.filter(({ kind }) => kind !== 'null');
  if (types.some(({ kind }) => kind === 'dyn')) return DYN;
  return rest.every((type) => accepts(first, type)) ? first : DYN;
}
