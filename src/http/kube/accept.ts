import { negotiation } from '../answer/accept.js';
import { JSON_TYPE, YAML_TYPES } from '../answer/media.js';

/**
 * A form of an answer that Kubernetes clients request by parameters of the media type:
 * `application/json;as=Table;v=v1;g=meta.k8s.io`.
 */
export interface AcceptedShape {
  readonly kind: string;
  readonly group: string;
  readonly versions: readonly string[];
}

/** The media type of a form, in one of its versions. */
export function shapeType({ kind, group }: Omit<AcceptedShape, 'versions'>, version: string): string {
  return `application/json;g=${group};v=${version};as=${kind}`;
}

/** Represents an ordinary answer. */
const ORDINARY = '';

/**
 * Finds the client's preferred version of a form; undefined when it prefers an ordinary answer, or does not request a
 * supported version.
 */
export function shapeNegotiation(shape: AcceptedShape): (accept: string | undefined) => string | undefined {
  const find = negotiation([
    [JSON_TYPE, ORDINARY],
    ...YAML_TYPES.map((type) => [type, ORDINARY] as const),
    ...shape.versions.map((version) => [shapeType(shape, version), version] as const),
  ]);
  return (accept) => find(accept) || undefined;
}
