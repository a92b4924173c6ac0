import { getMember, type JsonObject } from '../lib/json.js';

/**
 * The keywords of schemas that limit a value, with their texts in English, in the order of the documentation of a
 * field. A function gets the limit; a plain text is for a keyword that is true.
 */
export const LIMITS = {
  minimum: (limit: string) => `at least ${limit}`,
  exclusiveMinimum: (limit: string) => `more than ${limit}`,
  maximum: (limit: string) => `at most ${limit}`,
  exclusiveMaximum: (limit: string) => `less than ${limit}`,
  multipleOf: (limit: string) => `a multiple of ${limit}`,
  minLength: (limit: string) => `at least ${limit} characters`,
  maxLength: (limit: string) => `at most ${limit} characters`,
  minItems: (limit: string) => `at least ${limit} items`,
  maxItems: (limit: string) => `at most ${limit} items`,
  maxProperties: (limit: string) => `at most ${limit} members`,
  pattern: (pattern: string) => `matches ${pattern}`,
  uniqueItems: 'unique items',
};

/** The limits of a schema as texts, from the texts of one language. */
export function limitTexts(schema: JsonObject, texts: typeof LIMITS): readonly string[] {
  return Object.entries(texts).flatMap(([keyword, say]) => {
    const limit = getMember(schema, keyword);
    if (typeof say === 'string') return limit === true ? [say] : [];
    return typeof limit === 'number' || typeof limit === 'string' ? [say(String(limit))] : [];
  });
}
