import {
  errorRefs,
  objectContent,
  parameterRefs,
  SCHEMAS,
  type ErrorResponseName,
  type ParameterName,
} from './common.js';
import { getFragment, getFragments, schemaRef, type JsonFragment } from './json-fragment.js';
import type { PathItem } from './model-operations.js';
import { text } from './schema-parts.js';

export interface QueryParameter {
  readonly name: string;
  readonly in: 'query';
  readonly [member: string]: unknown;
}

/** @param more further members, such as `required`. The schema is text by default */
export function queryParameter(name: string, description: string, more: object = {}): QueryParameter {
  return { name, in: 'query', description, schema: text, ...more };
}

/** The description of an endpoint of the platform. */
export interface PlatformOperation {
  /** Unique; no operation of a model or a plugin gets it. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Its own parameters, and the names of shared ones. */
  readonly parameters?: readonly (ParameterName | QueryParameter)[];
  readonly requestBody?: object;
  readonly answer: {
    readonly description: string;
    readonly content: object;
    /** Default 200. */
    readonly status?: 200 | 201;
  };
  readonly errors: readonly ErrorResponseName[];
  /** The named schemas that only this endpoint uses. */
  readonly schemas?: Readonly<Record<string, object>>;
}

/** An answer with a named schema, in every media type of objects. */
export function objectAnswer(description: string, schema: string): PlatformOperation['answer'] {
  return { description, content: objectContent(schemaRef(schema)) };
}

/** The platform's part of a document. */
export interface PlatformDescription {
  readonly paths: readonly string[];
  readonly operations: JsonFragment;
  /** With the schemas that the whole service shares, by name. */
  readonly schemas: ReadonlyMap<string, JsonFragment>;
  readonly operationIds: readonly string[];
}

/** Describes endpoints of the platform, in their order. Those without an operation are left out. */
export function describePlatform(
  endpoints: readonly {
    readonly method: string;
    readonly path: string;
    readonly operation?: PlatformOperation;
  }[],
): PlatformDescription {
  const items: [path: string, item: PathItem][] = [];
  const schemas: Record<string, object> = { ...SCHEMAS };
  const operationIds: string[] = [];
  for (const { method, path, operation } of endpoints) {
    if (operation === undefined) continue;
    items.push([inBraces(path), { [method.toLowerCase()]: describe(operation) }]);
    Object.assign(schemas, operation.schemas);
    operationIds.push(operation.operationId);
  }
  return {
    paths: items.map(([path]) => path),
    operations: getFragment(...items),
    schemas: getFragments(Object.entries(schemas)),
    operationIds,
  };
}

/** A path with its parameters as in OpenAPI documents: `/persons/{name}` for `/persons/:name`. */
function inBraces(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function describe({ parameters, answer, errors, schemas: _, ...rest }: PlatformOperation): object {
  const { status = 200, ...success } = answer;
  return {
    tags: ['Platform'],
    ...rest,
    ...(parameters !== undefined && {
      parameters: parameters.flatMap((one) => (typeof one === 'string' ? parameterRefs(one) : one)),
    }),
    responses: { [status]: success, ...errorRefs(...errors) },
  };
}
