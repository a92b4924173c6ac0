import type { Cause } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import type { DeletionRules, ValidateOptions } from '../../model/declare/scheme.js';
import type { NameForm } from '../../model/names-and-labels.js';
import type { JsonObject, ObjectDraft } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import { structuralCheck } from '../../model/structural/structural-check.js';
import type { ObjectCheck } from '../../model/validate/validator.js';

/** The rules of a kind beyond its schema. */
export interface KindRules extends Pick<Resource, 'finalizedBy' | 'secretFields'> {
  /** Default: `subdomain`. */
  readonly names?: NameForm;
  readonly deletion?: DeletionRules;
  /**
   * Sets the fields that the service decides, in place. The object is not checked before.
   * @throws ServiceError `BadRequest` for values that cannot be read
   */
  readonly prepare?: (
    object: ObjectDraft,
    stored: ObjectDraft | undefined,
    subresource: ValidateOptions['subresource'],
  ) => void;
  /** Finds the faults of an object that fits the schema. */
  readonly validate?: ValidateKind;
  /** Instead of `validate` in views, by group. They see the objects with the members of stored ones. */
  readonly views?: Readonly<Record<string, ValidateKind>>;
}

type ValidateKind = (object: ObjectDraft, stored: ObjectDraft | undefined) => readonly Cause[];

/**
 * Checks objects by the schema and the rules of their kind.
 * @param schema is called at the first check
 */
export function kindCheck(schema: () => JsonObject, { names, prepare, validate }: KindRules): ObjectCheck {
  let made: ObjectCheck | undefined;
  return (object, stored, options = {}) => {
    const check = (made ??= structuralCheck(withRepeated(leftOut(schema(), isBase64)), names));
    if (options.isStored === true) return check(object, stored, options);
    prepare?.(object, stored, options.subresource);
    const result = check(object, stored, options);
    if (validate === undefined || result.causes.length > 0) return result;
    return { ...result, causes: validate(object, stored) };
  };
}

/** An empty text is base64 in these kinds, unlike in those of definitions; their rules check it. */
function isBase64(key: string, value: unknown): boolean {
  return key === 'format' && value === 'byte';
}

/** Lists in which Kubernetes accepts a key twice: clients send such environments, and add conditions without looking. */
const REPEATED: ReadonlySet<string> = new Set([
  'conditions',
  'env',
  'hostAliases',
  'imagePullSecrets',
  'secrets',
]);

/** A schema whose lists that may have a key twice are plain lists. */
function withRepeated(schema: JsonObject): JsonObject {
  const changed = JSON.stringify(schema, (name, value: unknown) =>
    isRecord(value) && mayRepeat(name, value) ? { ...value, 'x-kubernetes-list-type': 'atomic' } : value,
  );
  return JSON.parse(changed) as JsonObject;
}

function mayRepeat(name: string, schema: Readonly<Record<string, unknown>>): boolean {
  const keys = schema['x-kubernetes-list-map-keys'];
  // Ports of containers, not those of Services.
  return Array.isArray(keys) && (REPEATED.has(name) || keys.includes('containerPort'));
}

/** A schema without some keywords, which the rules of a kind check. */
export function leftOut(
  schema: JsonObject,
  isLeftOut: (keyword: string, value: unknown) => boolean,
): JsonObject {
  const kept = JSON.stringify(schema, (key, value: unknown) => (isLeftOut(key, value) ? undefined : value));
  return JSON.parse(kept) as JsonObject;
}
