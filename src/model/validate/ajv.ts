import { _, Ajv2020, Name, type CodeKeywordDefinition, type ErrorObject } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { linearRegExp } from '../../lib/linear-reg-exp.js';
import { spend } from '../../lib/work/allowance.js';
import { parseInstant } from '../../lib/time/instant.js';
import type { Json } from '../object.js';
import type { Keyword } from '../schema/keyword.js';
import { KEYWORDS } from '../schema/keywords.js';
import { CHANGED } from './changed-values.js';
import { ERRORS_PER_STEP, sizeOf, STEPS, type KeywordSteps } from './count-steps.js';

export type { ErrorObject };

/** The validator's library with the keywords and formats of this service. */
export function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    strictNumbers: true,
    allErrors: true,
    verbose: true,
    useDefaults: true,
    ownProperties: true,
    allowUnionTypes: true,
    multipleOfPrecision: 6,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    formats: {
      ...fullFormats,
      int32: INT32,
      int64: INT64,
      'date-time': { validate: isDateTime },
      url: isUrl,
    },
    code: {
      // Compilation takes up to half less time without it, and checks take the same time.
      optimize: false,
      regExp: Object.assign((pattern: string) => linearRegExp(pattern), { code: 'linearRegExp' }),
    },
  });
  for (const { name, of = [], check } of KEYWORDS) {
    if (check === undefined) continue;
    ajv.removeKeyword(name);
    ajv.addKeyword({ ...keywordOf(check), keyword: name, type: of, before: BEFORE[name] ?? '' });
  }
  ajv.addKeyword(STEPS_KEYWORD);
  return ajv;
}

/** The keyword that each keyword is placed before. The places decide the order of violations. */
const BEFORE: Readonly<Record<string, string>> = {
  maxLength: 'pattern',
  minLength: 'pattern',
  const: 'not',
  enum: 'not',
};

/** Spends the steps that are counted in a schema. */
const STEPS_KEYWORD: CodeKeywordDefinition = {
  keyword: STEPS,
  before: '$ref',
  code(cxt) {
    const { gen, data, parentSchema } = cxt;
    const { steps, loops } = valueOf<KeywordSteps>(cxt);
    const counter = gen.scopeValue('func', { ref: spend });
    const size = loops === 0 ? _`` : _` + ${loops} * ${gen.scopeValue('func', { ref: sizeOf })}(${data})`;
    const kind = parentSchema.format === undefined ? 'schemas' : 'formats';
    gen.code(_`${counter}(${steps} + ${new Name('errors')} / ${ERRORS_PER_STEP}${size}, ${kind})`);
  },
};

/**
 * The keyword {@link CHANGED}.
 * @param hasChanged true for a member or item that is to be judged
 */
export function changedKeyword(
  hasChanged: (parent: object, step: string | number) => boolean,
): CodeKeywordDefinition {
  return {
    keyword: CHANGED,
    code(cxt) {
      const { gen, it } = cxt;
      const isChanged = gen.scopeValue('func', { ref: hasChanged });
      gen.if(_`${isChanged}(${it.parentData}, ${it.parentDataProperty})`, () => {
        cxt.subschema({ keyword: CHANGED }, gen.name('valid'));
      });
    },
  };
}

function valueOf<T>({ schema }: { readonly schema: T }): T {
  return schema;
}

function keywordOf(check: NonNullable<Keyword['check']>): Omit<CodeKeywordDefinition, 'keyword'> {
  return {
    error: { message: '', params: ({ params: { found = '' } }) => _`${found}` },
    code(cxt) {
      const find = cxt.gen.scopeValue('func', { ref: check(valueOf<Json>(cxt)) });
      const found = cxt.gen.const('found', _`${find}(${cxt.data})`);
      cxt.setParams({ found });
      cxt.fail(_`${found} !== undefined`);
    },
  };
}

const INT32 = {
  type: 'number',
  validate: (n: number) => Number.isInteger(n) && n >= -(2 ** 31) && n < 2 ** 31,
} as const;
const INT64 = {
  type: 'number',
  validate: (n: number) => Number.isInteger(n) && n >= -(2 ** 63) && n < 2 ** 63,
} as const;

const URL_LENGTH_MAX = 2048;

/** The library's expression takes quadratic time, so longer texts are refused unread. */
function isUrl(text: string): boolean {
  return text.length <= URL_LENGTH_MAX && fullFormats.url instanceof RegExp && fullFormats.url.test(text);
}

const DATE_TIME = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:)(\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const DAY_SECONDS = 86_400;

/** RFC 3339. The library's check accepts a blank instead of the T, and zones without minutes. */
function isDateTime(text: string): boolean {
  // Other valid texts have a leap second, or a longer fraction.
  if (parseInstant(text) !== undefined) return true;
  const [, start = '', second = '', zone = ''] = DATE_TIME.exec(text) ?? [];
  if (second !== '60') return parseInstant(start + second + zone) !== undefined;
  const instant = parseInstant(`${start}59${zone}`);
  // A leap second is the last of a day in UTC.
  return instant !== undefined && (instant.seconds + 1) % DAY_SECONDS === 0;
}
