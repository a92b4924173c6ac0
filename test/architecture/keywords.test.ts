import { expect, it, vi } from 'vitest';
import { explainLines, parseSubject } from '../../src/cli/explain/explain.js';
import { declareField, type SchemaOptions } from '../../src/model/declare/schema-decorator.js';
import { compareResources } from '../../src/model/evolve/compare-schemas.js';
import type { JsonObject } from '../../src/model/object.js';
import type { Keyword } from '../../src/model/schema/keyword.js';
import { lintSchema } from '../../src/model/schema/lint-schema.js';
import { schemaOfType } from '../../src/model/schema/schema-of.js';
import { compileSchema } from '../../src/model/validate/validator.js';
import { describeViolation } from '../../src/model/validate/violation.js';
import { toOpenApi } from '../../src/openapi/convert.js';

/** Adds a limit that neither JSON Schema nor the validator's library has. */
vi.mock('../../src/model/schema/keywords.js', async (load) => {
  const { KEYWORDS } = await load<{ readonly KEYWORDS: readonly Keyword[] }>();
  const maxBytes: Keyword = {
    name: 'maxBytes',
    of: 'string',
    value: 'count',
    tighter: 'lower',
    explain: 'max bytes',
    message: 'must have at most {limit} bytes',
    isOption: true,
    check: (limit) => (text) => (Buffer.byteLength(String(text)) > Number(limit) ? { limit } : undefined),
  };
  return { KEYWORDS: [...KEYWORDS, maxBytes] };
});

const code = (more: JsonObject): JsonObject => ({ properties: { code: { type: 'string', ...more } } });

function explain(schema: JsonObject): string {
  const resource = {
    ...{ group: 'example.com', version: 'v1', storageVersion: 'v1', kind: 'Thing', plural: 'things' },
    ...{ singular: 'thing', shortNames: [], categories: [], schema, indexes: [], columns: [] },
  };
  return explainLines(parseSubject([resource], 'things.code'), false).join('\n');
}

it('a keyword of the table is an attribute of fields, from which their type follows', () => {
  const options: SchemaOptions & { readonly maxBytes: number } = { maxBytes: 4 };
  const limited = (_target: undefined, context: ClassFieldDecoratorContext): void =>
    declareField(context, 'code', options);
  class Thing {
    @limited code = '';
  }
  expect(schemaOfType(Thing)).toEqual({
    type: 'object',
    properties: { code: { type: 'string', maxBytes: 4 } },
  });
});

it('a keyword of the table is checked in schemas, and kept in those for OpenAPI when its value is valid', () => {
  expect(() => lintSchema('Thing', code({ maxBytes: 4 }))).not.toThrow();
  expect(() => lintSchema('Thing', code({ maxBytes: -1 }))).toThrow(
    'code: maxBytes must be an integer of at least 0, got -1',
  );
  expect(toOpenApi({ maxBytes: 4 }, () => undefined)).toEqual({ maxBytes: 4 });
  expect(toOpenApi({ maxBytes: -1 }, () => undefined)).toEqual({});
});

it('a keyword of the table limits values, with its message', () => {
  const check = compileSchema(code({ maxBytes: 4 }));
  expect(check({ code: 'äö' })).toEqual([]);
  expect(check({ code: 'äöü' }).map(describeViolation)).toEqual(['must have at most 4 bytes, got "äöü"']);
});

it('a keyword of the table is compared between declarations, and explained', () => {
  const compare = (before: JsonObject, after: JsonObject): string[] =>
    compareResources({ schema: code(before) }, { schema: code(after) }).map(
      ({ kind, text }) => `${kind}: ${text}`,
    );
  expect(compare({ maxBytes: 4 }, { maxBytes: 3 })).toEqual(['rule-tightened: maxBytes changed from 4 to 3']);
  expect(compare({ maxBytes: 3 }, { maxBytes: 4 })).toEqual(['rule-loosened: maxBytes changed from 3 to 4']);
  expect(explain(code({ maxBytes: 4 }))).toContain('(max bytes 4)');
});
