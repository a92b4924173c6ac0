import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import type { JsonObject } from '../model/object.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { ExtensionClient } from '../service/extension-client.js';

/** Methods that custom endpoints may have. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof METHODS)[number];

/** A request for a custom endpoint, as its handler receives it. */
export interface EndpointRequest {
  /** Path variables, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters; the value is an array when a parameter occurs several times. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; undefined when the request has none. */
  readonly body: unknown;
  /** Name of the user who sends the request; undefined without authentication (`--auth none`). */
  readonly user: string | undefined;
  /**
   * A client in the name of this user, `ctx.client.as(req.user)`: each call needs the user's rights, and history shows the user.
   */
  readonly client: ExtensionClient;
  /** The language of messages: the available language that `Accept-Language` prefers. */
  readonly locale: string;
  /** The Express request. */
  readonly raw: Request;
  /** The Express response. A handler that answers with it returns nothing. */
  readonly res: Response;
  /** Aborted when the client disconnects, or the plugin stops. */
  readonly signal: AbortSignal;
}

/**
 * An answer with a status, headers or another type than JSON: a handler returns it, and it has no other members. A body that is a
 * stream or bytes is sent as it is.
 */
export interface EndpointResponse {
  /** 200 to 599; an object with another status is sent as a plain value. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Answers a request. A value is sent as JSON; an {@link EndpointResponse} or the web's `Response` is sent with its status. Returns
 * nothing when it used `req.res`.
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
  /** Undefined for a response without a body. */
  readonly type?: DescribedType;
  /** Default `application/json`. */
  readonly mediaType?: string;
}

/** The OpenAPI description of a route. */
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

/** A route as a plugin declares it, without the prefix that the service adds. */
export interface Route {
  readonly method: HttpMethod;
  /** Begins with a slash; variables as `{name}`. */
  readonly path: string;
  readonly handler: Handler;
  readonly description: RouteDescription;
}

/** The result of {@link RouteBuilder}. */
export interface RouteSet {
  readonly routes: readonly Route[];
}

/** The audience of a custom endpoint, derived from its group. */
export type Audience = 'console' | 'uc' | 'public' | 'other';

/** A custom endpoint that is served now, as the description uses it. */
export interface ServedRoute {
  readonly plugin: string;
  readonly group: string;
  readonly version: string;
  readonly audience: Audience;
  readonly method: HttpMethod;
  /** The whole path, with `{name}` variables. */
  readonly path: string;
  readonly description: RouteDescription;
}
