import { badRequest } from '../errors.js';
import type { ModelClass } from '../model/declare/model-class.js';
import { getQueryParameters } from './query-parameters.js';
import type {
  BodyDescription,
  DescribedType,
  ParameterDescription,
  ResponseDescription,
  RouteDescription,
} from './route.js';

/** Writes the OpenAPI description of a route; the argument of {@link Describe}. */
export type Describe = (description: DescriptionBuilder) => unknown;

/** A response as an author writes it; the default status is 200. */
export type ResponseInput = Partial<ResponseDescription>;

const RESPONSE_MEMBERS = new Set(['status', 'description', 'type', 'mediaType']);
const BODY_MEMBERS = new Set(['type', 'description', 'required', 'mediaType']);
const PLACES = new Set<unknown>(['path', 'query', 'header']);

/** Collects the description of one route. Each method returns the builder itself. */
export class DescriptionBuilder {
  #operationId: string | undefined;
  #summary: string | undefined;
  #description: string | undefined;
  #deprecated = false;
  #requestBody: BodyDescription | undefined;
  readonly #tags: string[] = [];
  readonly #parameters: ParameterDescription[] = [];
  readonly #responses: ResponseDescription[] = [];

  /** @param where names the route in messages */
  constructor(private readonly where: string) {}

  /** PascalCase; part of the method's name in generated clients. */
  operationId(id: string): this {
    this.#operationId = this.#text('operationId', id);
    return this;
  }

  /** A few words. */
  summary(text: string): this {
    this.#summary = this.#text('summary', text);
    return this;
  }

  description(text: string): this {
    this.#description = this.#text('description', text);
    return this;
  }

  /** `{Kind}{Version}{Scope}` is recommended, for example `PersonV1alpha1Console`. May be called several times. */
  tag(...names: string[]): this {
    for (const name of names) this.#tags.push(this.#text('tag', name));
    return this;
  }

  /** Adds a parameter; a later one of the same name and place replaces the first. Path variables need no declaration. */
  parameter(parameter: ParameterDescription): this {
    const given: unknown = parameter;
    if (typeof given !== 'object' || given === null || typeof parameter.name !== 'string')
      throw this.#bad('a parameter needs a name');
    if (!PLACES.has(parameter.in))
      throw this.#bad(`parameter "${parameter.name}": in must be path, query or header`);
    const at = this.#parameters.findIndex((one) => one.name === parameter.name && one.in === parameter.in);
    if (at < 0) this.#parameters.push(parameter);
    else this.#parameters[at] = parameter;
    return this;
  }

  /** Adds query parameters: the fields of a class, for example a subclass of `SortableRequest`. */
  parameters(type: ModelClass): this {
    for (const parameter of getQueryParameters(type)) this.parameter(parameter);
    return this;
  }

  /** A class, a JSON Schema, or `{ type, description, required, mediaType }`. */
  requestBody(body: DescribedType | BodyDescription): this {
    const given: Partial<BodyDescription> = isDescription(body, BODY_MEMBERS) ? body : { type: body };
    this.#requestBody = { ...given, type: this.#type(given.type) };
    return this;
  }

  /**
   * A response: a class, `ListResult.of(Model)`, a JSON Schema, or `{ status, description, type, mediaType }`. May be called
   * several times; a later one of the same status replaces the first.
   */
  response(response: DescribedType | ResponseInput): this {
    const {
      status = 200,
      description,
      type,
      mediaType,
    }: ResponseInput = isDescription(response, RESPONSE_MEMBERS) ? response : { type: response };
    const complete: ResponseDescription = {
      status,
      description: description ?? DEFAULT_DESCRIPTIONS[status] ?? `Status ${status}`,
      ...(type === undefined ? {} : { type: this.#type(type) }),
      ...(mediaType === undefined ? {} : { mediaType }),
    };
    const at = this.#responses.findIndex((one) => one.status === status);
    if (at < 0) this.#responses.push(complete);
    else this.#responses[at] = complete;
    return this;
  }

  deprecated(isDeprecated = true): this {
    this.#deprecated = isDeprecated;
    return this;
  }

  /** Returns the description collected so far. */
  build(): RouteDescription {
    return {
      ...(this.#operationId === undefined ? {} : { operationId: this.#operationId }),
      ...(this.#summary === undefined ? {} : { summary: this.#summary }),
      ...(this.#description === undefined ? {} : { description: this.#description }),
      tags: [...new Set(this.#tags)],
      parameters: [...this.#parameters],
      ...(this.#requestBody === undefined ? {} : { requestBody: this.#requestBody }),
      responses: [...this.#responses],
      ...(this.#deprecated ? { deprecated: true } : {}),
    };
  }

  #text(what: string, value: unknown): string {
    if (typeof value === 'string' && value !== '') return value;
    throw this.#bad(`${what} must be a non-empty string`);
  }

  #type(type: unknown): DescribedType {
    if (isDescribedType(type)) return type;
    throw this.#bad(`a type must be a class, ListResult.of(Model) or a JSON Schema, got ${String(type)}`);
  }

  #bad(problem: string): Error {
    return badRequest(`${this.where}: ${problem}`);
  }
}

const DEFAULT_DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
};

/** Returns the description that a callback builds for a route; an empty one without a callback. */
export function describeRoute(describe: Describe | undefined, where: string): RouteDescription {
  const builder = new DescriptionBuilder(where);
  describe?.(builder);
  return builder.build();
}

function isDescribedType(type: unknown): type is DescribedType {
  return typeof type === 'function' || (typeof type === 'object' && type !== null && !Array.isArray(type));
}

/**
 * True when the value is a description that contains a type, and not a type itself: it has no other members, and its `type` is not
 * one of JSON Schema.
 */
function isDescription<T extends ResponseInput | BodyDescription>(
  value: DescribedType | T,
  members: ReadonlySet<string>,
): value is T {
  if (typeof value !== 'object') return false;
  const type: unknown = 'type' in value ? value.type : undefined;
  const isSchemaType = typeof type === 'string' || Array.isArray(type);
  const names = Object.keys(value);
  return names.length > 0 && !isSchemaType && names.every((name) => members.has(name));
}
