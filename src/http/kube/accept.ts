import { negotiation } from '../answer/accept.js';
import { JSON_TYPE, YAML_TYPES } from '../answer/media.js';

/**
 * A shape of an answer that Kubernetes clients ask for by parameters of the media type:
 * `application/json;as=Table;v=v1;g=meta.k8s.io`.
 */
export interface Shape {
  readonly kind: string;
  readonly group: string;
  readonly versions: readonly string[];
}

/** The media type of a shape, in one of its versions. */
export function shapeType({ kind, group }: Omit<Shape, 'versions'>, version: string): string {
  return `application/json;g=${group};v=${version};as=${kind}`;
}

/** Stands for an ordinary answer. */
const ORDINARY = '';

/**
 * Finds the version of a shape that a client likes best; undefined when it likes an ordinary answer more, or does not
 * ask for the shape in a version there is.
 */
export function shapeNegotiation(shape: Shape): (accept: string | undefined) => string | undefined {
  const find = negotiation([
    [JSON_TYPE, ORDINARY],
    ...YAML_TYPES.map((type) => [type, ORDINARY] as const),
    ...shape.versions.map((version) => [shapeType(shape, version), version] as const),
  ]);
  return (accept) => find(accept) || undefined;
}
