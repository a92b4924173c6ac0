import { badRequest } from '../errors.js';
import type { JsonObject } from '../model/object.js';
import type { Ctor } from '../model/declare/schema-decorator.js';
import { isJsonObject } from '../model/schema/schema-walk.js';
import type { ListOptions } from '../query/list-options.js';
import { readListQuery } from '../query/list-request.js';
import { checkOfType, schemaOfClass } from './class-check.js';
import { TranslatedError } from './messages.js';
import { preferredLanguage } from './language.js';
import type { EndpointRequest } from './route.js';

/** Marks the class and its subclasses for code that cannot import them. */
export const SORTABLE_REQUEST = Symbol.for('xsvc.sortable-request');

/** In the order of the description. */
export const SORTABLE_PARAMETERS = [
  'page',
  'size',
  'sort',
  'labelSelector',
  'fieldSelector',
  'filter',
] as const;

/** The page of a list, and its order. */
export interface PageRequest {
  /** From 1. */
  readonly page: number;
  /** 0: all. */
  readonly size: number;
  /** `<field>[,asc|desc]`, the most significant first. */
  readonly sort: readonly string[];
}

/** The parts of a request from which the query is read. A handler's request has them, and so has Express's. */
export type QueryRequest = Pick<EndpointRequest, 'headers'> & {
  readonly query: Readonly<Record<string, unknown>>;
};

/**
 * The query of an endpoint that lists objects: the parameters of generated lists, read and checked alike.
 *
 * Further parameters are fields of a subclass. Those with `@Schema` are filled by {@link SortableRequest.from}:
 *
 *     class ItemQuery extends SortableRequest {
 *       @Schema({ type: 'integer', minimum: 0, description: 'Lowest price' }) minPrice?: number;
 *     }
 *     const query = ItemQuery.from(req);
 *     return client.list(Item, query.toListOptions());
 */
export class SortableRequest {
  static readonly [SORTABLE_REQUEST] = true;

  /** From 1. */
  readonly page: number;
  /** 0, the default: all. */
  readonly size: number;
  /** `<field>[,asc|desc]`, the most significant first. The list checks that a field can be sorted by. */
  readonly sort: readonly string[];
  /** Several parameters are joined by commas: all of them must match. */
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** An expression, see docs/reference/selectors.md. All of several parameters must match. */
  readonly filter: string | readonly string[] | undefined;

  /** @throws ServiceError `BadRequest` for a page or size that is not an integer, is out of range, or occurs twice */
  constructor(req: QueryRequest) {
    const { page, size, sort, labelSelector, fieldSelector, filter } = readListQuery(
      Object.fromEntries(SORTABLE_PARAMETERS.map((name) => [name, findTexts(req, name)])),
    );
    this.page = page ?? 1;
    this.size = size ?? 0;
    this.sort = [sort ?? []].flat();
    this.labelSelector = joined(labelSelector);
    this.fieldSelector = joined(fieldSelector);
    this.filter = oneOrAll(filter);
  }

  /**
   * Creates the request and fills the subclass's own `@Schema` fields from the query. Numbers and booleans are parsed, arrays take
   * all parameters of their name, defaults are filled in, and constraints are checked.
   * @throws ServiceError `BadRequest` whose causes name every parameter that is wrong, in the request's language
   */
  static from<T extends SortableRequest>(this: new (req: QueryRequest) => T, req: QueryRequest): T {
    // The fields of a subclass are initialised after the base's constructor, so values are assigned only now.
    const made = new this(req);
    Object.assign(made, readQueryFields(this, req));
    return made;
  }

  /** Returns the options for `client.list` and related methods. */
  toListOptions(): ListOptions {
    return {
      page: this.page,
      size: this.size,
      ...(this.sort.length === 0 ? {} : { sort: this.sort }),
      ...(this.labelSelector === undefined ? {} : { labelSelector: this.labelSelector }),
      ...(this.fieldSelector === undefined ? {} : { fieldSelector: this.fieldSelector }),
      ...(this.filter === undefined ? {} : { filter: this.filter }),
    };
  }

  toPageRequest(): PageRequest {
    return { page: this.page, size: this.size, sort: this.sort };
  }
}

function findTexts({ query }: QueryRequest, name: string): string[] | undefined {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  if (value === undefined) return undefined;
  return [value].flat().filter((item): item is string => typeof item === 'string');
}

function joined(selector: string | readonly string[] | undefined): string | undefined {
  const parts = [selector ?? []].flat().filter((part) => part.trim() !== '');
  return parts.length === 0 ? undefined : parts.join(',');
}

/** Expressions are not joined: each must be complete. */
function oneOrAll(filter: string | readonly string[] | undefined): string | readonly string[] | undefined {
  const stated = [filter ?? []].flat().filter((text) => text.trim() !== '');
  return stated.length > 1 ? stated : stated[0];
}

function readQueryFields(type: Ctor, req: QueryRequest): object {
  const { properties } = schemaOfClass(type);
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(isJsonObject(properties) ? properties : {})) {
    const texts = findTexts(req, name);
    if (texts !== undefined) values[name] = readField(name, texts, isJsonObject(schema) ? schema : {});
  }
  const language = preferredLanguage(req.headers['accept-language']);
  const causes = checkOfType(type)(values, language);
  if (causes.length === 0) return values;
  throw new TranslatedError('the query', causes, language);
}

function readField(name: string, texts: readonly string[], schema: JsonObject): unknown {
  if (schema.type === 'array') {
    const items = isJsonObject(schema.items) ? schema.items : {};
    return texts.map((text) => readValue(text, items));
  }
  const [text = '', ...more] = texts;
  if (more.length > 0) throw badRequest(`${name} occurs more than once`);
  return readValue(text, schema);
}

/** Parses a value. A text that is not of the type stays a text, and the check refuses it together with all other errors. */
function readValue(text: string, { type }: JsonObject): unknown {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type !== 'integer' && type !== 'number') return text;
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
}
