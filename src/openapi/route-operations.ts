import type {
  BodyDescription,
  ParameterDescription,
  ResponseDescription,
  ServedRoute,
} from '../endpoint/route.js';
import type { Json, JsonObject } from '../model/object.js';
import { isPascalCase, Names, pascalCase } from './names.js';
import type { NamedType, RouteTypes } from './route-types.js';

/** A custom endpoint in the form of the documents. */
export interface DescribedRoute {
  readonly route: ServedRoute;
  /** The path with `{name}` variables, named as in the path's first operation. */
  readonly path: string;
  /** Its id is unique in the description. */
  readonly operation: object;
  readonly schemas: ReadonlyMap<string, JsonObject>;
}

export function routeName({ plugin, method, path }: ServedRoute): string {
  return `plugin "${plugin}": ${method} ${path}`;
}

/** The path without the names of its variables: two paths that differ only in these are equal. */
export function pathShape(path: string): string {
  return path.replace(/\{[^{}]*\}/g, '{}');
}

function getVariables(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? '');
}

/**
 * Describes custom endpoints: completes missing parts and makes operation ids unique.
 * @param warn receives each mistake, with its plugin and route
 */
export function describeRoutes(
  routes: readonly ServedRoute[],
  ids: Names,
  types: RouteTypes,
  warn: (text: string) => void,
): DescribedRoute[] {
  const paths = new Map<string, string>();
  return [...routes].sort(byPath).map((route) => {
    const shape = pathShape(route.path);
    const path = paths.get(shape) ?? route.path;
    paths.set(shape, path);
    const warnOfRoute = (text: string): void => warn(`${routeName(route)}: ${text}`);
    return describeRoute({ route, path }, ids, types, warnOfRoute);
  });
}

function byPath(a: ServedRoute, b: ServedRoute): number {
  const [x, y] = [`${a.path} ${a.method} ${a.plugin}`, `${b.path} ${b.method} ${b.plugin}`];
  return x < y ? -1 : x > y ? 1 : 0;
}

function describeRoute(
  { route, path }: Pick<DescribedRoute, 'route' | 'path'>,
  ids: Names,
  types: RouteTypes,
  warn: (text: string) => void,
): DescribedRoute {
  const { plugin, description } = route;
  const { summary, tags, requestBody, responses, deprecated } = description;
  const schemas = new Map<string, JsonObject>();
  const use = (named: NamedType): JsonObject => {
    for (const [name, schema] of named.schemas) schemas.set(name, schema);
    return named.schema;
  };
  const schemaFor = (type: BodyDescription['type'] | undefined): JsonObject =>
    type === undefined ? {} : use(types.nameType(type, plugin, warn));
  const operation = {
    operationId: takeId(route, ids, warn),
    tags: tags.length === 0 ? [pascalCase(plugin)] : [...new Set(tags)],
    ...(summary === undefined ? {} : { summary }),
    ...(description.description === undefined ? {} : { description: description.description }),
    parameters: getParameters(route, path, schemaFor, warn),
    ...(requestBody === undefined ? {} : { requestBody: getBody(requestBody, schemaFor) }),
    responses: getResponses(responses, schemaFor),
    ...(deprecated === true ? { deprecated } : {}),
  };
  return { route, path, operation, schemas };
}

/** The routes for a document without other operations: an id that only a model or the platform took is again the declared one. */
export function withIdsAmongThemselves(routes: readonly DescribedRoute[]): DescribedRoute[] {
  const ids = new Names();
  return routes.map((described) => {
    const operationId = freeId(described.route, ids);
    return { ...described, operation: { ...described.operation, operationId } };
  });
}

type SchemaFor = (type: BodyDescription['type'] | undefined) => JsonObject;

function takeId(route: ServedRoute, ids: Names, warn: (text: string) => void): string {
  const { operationId } = route.description;
  const id = freeId(route, ids);
  if (operationId === undefined || operationId === '') warn(`has no operationId; it is described as ${id}`);
  else if (!isPascalCase(operationId))
    warn(`the operationId "${operationId}" is not in PascalCase; it is described as ${id}`);
  else if (id !== operationId)
    warn(`the operationId "${operationId}" is already used; this route is described as ${id}`);
  return id;
}

function freeId(route: ServedRoute, ids: Names): string {
  const wanted = wantedId(route);
  return ids.take(wanted, () => `${wanted}${pascalCase(route.plugin)}`);
}

function wantedId(route: ServedRoute): string {
  const given = pascalCase(route.description.operationId ?? '').replace(/^\d+/, '');
  return given === '' ? madeId(route) : given.charAt(0).toUpperCase() + given.slice(1);
}

/** `GET /apis/<group>/<version>/persons/{name}/friends` is `GetPersonsByNameFriends`. */
function madeId({ method, path, group, version }: ServedRoute): string {
  const prefix = `/apis/${group}/${version}`;
  const own = path.startsWith(prefix) ? path.slice(prefix.length) : path;
  const words = own.replace(/\{([^{}]*)\}/g, 'by-$1');
  return `${pascalCase(method.toLowerCase())}${pascalCase(words)}`;
}

function getParameters(
  route: ServedRoute,
  path: string,
  schemaFor: SchemaFor,
  warn: (text: string) => void,
): object[] {
  const given = getVariables(route.path);
  const shown = getVariables(path);
  const declared = new Map<string, ParameterDescription>();
  for (const parameter of route.description.parameters) {
    const key = `${parameter.in} ${parameter.name}`;
    if (declared.has(key)) warn(`the ${parameter.in} parameter "${parameter.name}" is described twice`);
    else if (parameter.in === 'path' && !given.includes(parameter.name))
      warn(`the described parameter "${parameter.name}" is not a variable of the path`);
    else declared.set(key, parameter);
  }
  const variables = given.map((name, i) => ({
    ...(declared.get(`path ${name}`) ?? { name, in: 'path' as const }),
    name: shown[i] ?? name,
    required: true,
  }));
  const others = [...declared.values()].filter((parameter) => parameter.in !== 'path');
  return [...variables, ...others].map((parameter) => getParameter(parameter, schemaFor));
}

function getParameter(parameter: ParameterDescription, schemaFor: SchemaFor): object {
  const { name, description, required, schema, example } = parameter;
  return {
    name,
    in: parameter.in,
    ...(description === undefined ? {} : { description }),
    ...(required === true ? { required } : {}),
    schema: schema === undefined ? { type: 'string' } : schemaFor(schema),
    ...(example === undefined ? {} : { example: toJson(example) }),
  };
}

function toJson(value: unknown): Json {
  try {
    const copy = JSON.parse(JSON.stringify(value)) as Json;
    return copy;
  } catch {
    return String(value);
  }
}

function getContent(
  { type, mediaType = 'application/json' }: Pick<ResponseDescription, 'type' | 'mediaType'>,
  schemaFor: SchemaFor,
): object {
  return { [mediaType]: { schema: schemaFor(type) } };
}

function getBody(body: BodyDescription, schemaFor: SchemaFor): object {
  return {
    ...(body.description === undefined ? {} : { description: body.description }),
    required: body.required ?? true,
    content: getContent(body, schemaFor),
  };
}

const ANY_ANSWER: ResponseDescription = { status: 200, description: 'The answer.', type: {} };

function getResponses(responses: readonly ResponseDescription[], schemaFor: SchemaFor): object {
  const declared = responses.length === 0 ? [ANY_ANSWER] : responses;
  const answers = declared.map((response) => {
    const { status, description, type } = response;
    const content = type === undefined ? {} : { content: getContent(response, schemaFor) };
    return [String(status), { description, ...content }] as const;
  });
  return { ...Object.fromEntries(answers), default: { $ref: '#/components/responses/Error' } };
}
