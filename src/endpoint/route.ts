import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import type { JsonObject } from '../model/object.js';
import type { GroupVersionKind } from '../model/resource.js';
import type { ModelClass } from '../model/declare/model-class.js';

/** Methods that custom endpoints may have. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** A request for a custom endpoint, as its handler sees it. */
export interface EndpointRequest {
  /** Path variables, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters; one that is given several times has an array. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; undefined when there is none. */
  readonly body: unknown;
  /** Name of the user who sends the request; undefined where nobody is asked (`--auth none`). */
  readonly user: string | undefined;
  /** The language of messages: of those that there are, what `Accept-Language` likes best. */
  readonly locale: string;
  /** Express's own request. */
  readonly raw: Request;
  /** Express's own response. A handler that answers with it returns nothing. */
  readonly res: Response;
  /** Aborted when the client goes away, or the plugin stops. */
  readonly signal: AbortSignal;
}

/**
 * An answer with a status, headers or another type than JSON, when a handler returns it and it has no other members.
 * A body that is a stream or bytes is sent as it is.
 */
export interface EndpointResponse {
  /** 200 to 599; what has another one is a value like any other. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * What a handler answers: a value is sent as JSON, an {@link EndpointResponse} or the web's `Response` with its status;
 * nothing, when it used `req.res`.
 */
export type Handler = (req: EndpointRequest) => unknown;

/** A class whose schema decorators describe a body, a plain JSON Schema, or a page of a model (`ListResult.of(Model)`). */
export type DescribedType = ModelClass | JsonObject | PageType;

/** The type of a page of a model's objects. */
export interface PageType {
  readonly pageOf: ModelClass;
}

export interface ParameterDescription {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  /** Default false; path variables are always required. */
  readonly required?: boolean;
  /** Default: a string. */
  readonly schema?: JsonObject;
  readonly example?: unknown;
}

export interface BodyDescription {
  readonly type: DescribedType;
  readonly description?: string;
  /** Default true. */
  readonly required?: boolean;
  /** Default `application/json`. */
  readonly mediaType?: string;
}

export interface ResponseDescription {
  /** Default 200. */
  readonly status: number;
  readonly description: string;
  /** Undefined for an answer without a body. */
  readonly type?: DescribedType;
  /** Default `application/json`. */
  readonly mediaType?: string;
}

/** What the OpenAPI description says of a route. */
export interface RouteDescription {
  /** PascalCase; part of the method's name in generated clients. */
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly ParameterDescription[];
  readonly requestBody?: BodyDescription;
  readonly responses: readonly ResponseDescription[];
  readonly deprecated?: boolean;
}

/** A route as a plugin writes it, without the prefix that the service puts before it. */
export interface Route {
  readonly method: Method;
  /** Begins with a slash; variables as `{name}`. */
  readonly path: string;
  readonly handler: Handler;
  readonly description: RouteDescription;
}

/** What {@link RouteBuilder} builds. */
export interface RouteSet {
  readonly routes: readonly Route[];
}

/** For whom a custom endpoint is: told by its group. */
export type Audience = 'console' | 'uc' | 'public' | 'other';

/** A custom endpoint that is served now, as the description sees it. */
export interface ServedRoute {
  readonly plugin: string;
  readonly group: string;
  readonly version: string;
  readonly audience: Audience;
  readonly method: Method;
  /** Whole, with `{name}` variables. */
  readonly path: string;
  readonly description: RouteDescription;
}

/** A page's type refers to the model by class; this is how the class is known once registered. */
export type ModelLookup = (model: ModelClass) => GroupVersionKind | undefined;
