import { formatExcerpt, ServiceError, type Cause } from '../errors.js';
import { cloneJson, isRecord } from '../lib/json/json.js';
import { Allowance } from '../lib/work/allowance.js';
import type { JsonObject } from '../model/object.js';
import type { Ctor } from '../model/declare/schema-decorator.js';
import { checkOfSchema, checkOfType } from './class-check.js';
import { createInstance } from './class-fields.js';
import { constraintMessage } from './constraint-messages.js';
import { TranslatedError } from './messages.js';
import { preferredLanguage, type Language } from './language.js';
import type { EndpointRequest } from './route.js';

/** The body of a request to a custom endpoint is invalid. `details.causes` has every binding error. */
export class RequestBodyValidationError extends TranslatedError {
  override readonly name: string = 'RequestBodyValidationError';

  /** @param language of the causes' messages */
  constructor(causes: readonly Cause[], language: Language) {
    super('the request body', causes, language);
  }
}

/** The parts of a request that are checked. A handler's request has them, and so has Express's with a parsed body. */
export type BodyRequest = Pick<EndpointRequest, 'body' | 'headers'>;

/**
 * Checks the request's body against the `@Schema` fields and the constraints (`@NotNull`, `@Size`, ...) of a class, or against a
 * JSON Schema.
 * @returns the body with the schema's defaults; for a class, an instance of it, nested classes included. The request's own body is
 *   not changed.
 * @throws RequestBodyValidationError with all violations, in the language that the request prefers; ServiceError
 *   `UnsupportedMediaType` when the body has a type without a parser, `Invalid` when it takes too long to check
 */
export function validateBody<T extends object>(req: BodyRequest, type: Ctor<T>): T;
export function validateBody(req: BodyRequest, schema: JsonObject): unknown;
export function validateBody(req: BodyRequest, type: Ctor | JsonObject): unknown {
  const language = preferredLanguage(req.headers['accept-language']);
  if (req.body === undefined) throw unparsed(req.headers) ?? missing(language);
  const body: unknown = cloneJson(req.body);
  const check = typeof type === 'function' ? checkOfType(type) : checkOfSchema(type);
  const causes = new Allowance().during(() => check(body, language));
  if (causes.length > 0) throw new RequestBodyValidationError(causes, language);
  return typeof type === 'function' && isRecord(body) ? createInstance(type, body) : body;
}

/** The error for a body that is neither JSON nor YAML; undefined without such a body. */
function unparsed(headers: BodyRequest['headers']): ServiceError | undefined {
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': coding } = headers;
  const isThere = coding !== undefined || Number(length ?? 0) > 0;
  if (!isThere || type === undefined || /[/+](?:x-)?(?:json|yaml)\b/i.test(type)) return undefined;
  const message = `content type "${formatExcerpt(type)}" is not accepted here; send application/json or application/yaml`;
  return new ServiceError('UnsupportedMediaType', message);
}

function missing(language: Language): RequestBodyValidationError {
  const message = constraintMessage({ kind: 'BodyMissing', params: {}, message: undefined }, language);
  return new RequestBodyValidationError([{ field: '', reason: 'FieldValueRequired', message }], language);
}
