import { getMember, type JsonObject } from '../../lib/json.js';
import { t } from '../../texts.js';

/** The keywords of schemas that limit a value, with their texts, in the order of the documentation of a field. */
const LIMITS: Readonly<Record<string, (limit: string) => string>> = {
  minimum: (limit) => t`at least ${limit}`,
  exclusiveMinimum: (limit) => t`more than ${limit}`,
  maximum: (limit) => t`at most ${limit}`,
  exclusiveMaximum: (limit) => t`less than ${limit}`,
  multipleOf: (limit) => t`a multiple of ${limit}`,
  minLength: (limit) => t`at least ${limit} characters`,
  maxLength: (limit) => t`at most ${limit} characters`,
  minItems: (limit) => t`at least ${Number(limit)} [item|items]`,
  maxItems: (limit) => t`at most ${Number(limit)} [item|items]`,
  maxProperties: (limit) => t`at most ${limit} members`,
  pattern: (pattern) => t`matches ${pattern}`,
};

export function limitTexts(schema: JsonObject): readonly string[] {
  const limits = Object.entries(LIMITS).flatMap(([keyword, say]) => {
    const limit = getMember(schema, keyword);
    return typeof limit === 'number' || typeof limit === 'string' ? [say(String(limit))] : [];
  });
  return schema.uniqueItems === true ? [...limits, t`unique items`] : limits;
}
