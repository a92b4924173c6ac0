import { badRequest, formatExcerpt, type Cause } from '../errors.js';
import { isRecord, isTextArray } from '../lib/json/json.js';
import { didYouMean, suggest } from '../lib/suggest.js';
import { formatValue } from '../model/validate/violation.js';

/** The values of parameters, by type. */
interface Values {
  text: string;
  /** One text is a list of one. */
  texts: readonly string[];
  /** A number of digits, as text or as a number. */
  revision: string;
  integer: number;
  flag: boolean;
  objects: readonly Readonly<Record<string, unknown>>[];
}

type ParameterType = keyof Values;

export interface Parameter {
  readonly type: ParameterType;
  /** One sentence with an example. */
  readonly about: string;
  readonly isOptional?: true;
  readonly min?: number;
  readonly max?: number;
  readonly items?: object;
}

export type Parameters = Readonly<Record<string, Parameter>>;

/** The checked arguments of a call. */
export type Arguments<P extends Parameters> = {
  readonly [K in keyof P as P[K] extends { readonly isOptional: true } ? never : K]: Values[P[K]['type']];
} & {
  readonly [K in keyof P as P[K] extends { readonly isOptional: true } ? K : never]?: Values[P[K]['type']];
};

const TEXT = { type: 'string' } as const;

const SCHEMAS: Readonly<Record<ParameterType, (parameter: Parameter) => object>> = {
  text: () => TEXT,
  texts: () => ({ anyOf: [TEXT, { type: 'array', items: TEXT }] }),
  revision: () => ({ anyOf: [TEXT, { type: 'integer', minimum: 0 }] }),
  integer: ({ min, max }) => ({ type: 'integer', minimum: min, maximum: max }),
  flag: () => ({ type: 'boolean' }),
  objects: ({ max, items }) => ({ type: 'array', minItems: 1, maxItems: max, items }),
};

export function argumentsSchema(parameters: Parameters): {
  readonly type: 'object';
  readonly properties: Record<string, object>;
  readonly required?: string[];
  readonly additionalProperties: false;
} {
  const all = Object.entries(parameters);
  const required = all.filter(([, { isOptional }]) => isOptional !== true).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      all.map(([name, parameter]) => [
        name,
        { ...SCHEMAS[parameter.type](parameter), description: parameter.about },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Returns the value; undefined when the given one has another type. */
const READERS: {
  readonly [T in ParameterType]: (value: unknown, parameter: Parameter) => Values[T] | undefined;
} = {
  text: (value) => (typeof value === 'string' ? value : undefined),
  texts: (value) => (isTextArray(value) ? value : typeof value === 'string' ? [value] : undefined),
  revision: (value) =>
    typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : undefined,
  integer: (value, { min = 0, max = Number.MAX_SAFE_INTEGER }) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
      ? value
      : undefined,
  flag: (value) => (typeof value === 'boolean' ? value : undefined),
  objects: (value) =>
    Array.isArray(value) && value.every((one): one is Record<string, unknown> => isRecord(one))
      ? value
      : undefined,
};

const EXPECTED: Readonly<Record<ParameterType, (parameter: Parameter) => string>> = {
  text: () => 'a text',
  texts: () => 'a text or a list of texts',
  revision: () => 'a text or an integer',
  integer: ({ min = 0, max }) => `an integer from ${min}${max === undefined ? '' : ` to ${max}`}`,
  flag: () => 'true or false',
  objects: () => 'a list of objects',
};

/**
 * Checks the arguments of a call.
 * @throws ServiceError `BadRequest` with every fault
 */
export function readArguments<P extends Parameters>(
  tool: string,
  parameters: P,
  given: unknown,
): Arguments<P> {
  if (!isRecord(given)) throw badRequest(`${tool}: the arguments must be an object`);
  const faults: Cause[] = unknownKeys(Object.keys(given), Object.keys(parameters));
  const read: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = given[name];
    if (value === undefined) {
      if (parameter.isOptional !== true)
        faults.push({ field: name, reason: 'FieldValueRequired', message: 'is missing' });
      continue;
    }
    const known = READERS[parameter.type](value, parameter);
    const expected = EXPECTED[parameter.type](parameter);
    if (known === undefined)
      faults.push({
        field: name,
        reason: 'FieldValueInvalid',
        message: `must be ${expected}, not ${formatExcerpt(formatValue(value))}`,
      });
    else read[name] = known;
  }
  if (faults.length > 0) throw badRequest(`${tool}: ${describeFaults(faults)}`, { causes: faults });
  // Each member was read by the type of its parameter.
  return read as Arguments<P>;
}

/** The faults of names that are not known. @param prefix of the field */
export function unknownKeys(given: readonly string[], known: readonly string[], prefix = ''): Cause[] {
  return given
    .filter((name) => !known.includes(name))
    .map((name) => ({
      field: `${prefix}${formatExcerpt(name)}`,
      reason: 'FieldValueForbidden' as const,
      message: `is not known${didYouMean(suggest(name, known))}${known.length === 0 ? '' : `; known are ${known.join(', ')}`}`,
    }));
}

/** Most faults that a message lists. */
const LISTED_MAX = 10;

export function describeFaults(faults: readonly Cause[]): string {
  const listed = faults.slice(0, LISTED_MAX).map(({ field, message }) => `${field} ${message}`);
  const more = faults.length - listed.length;
  return listed.join('; ') + (more === 0 ? '' : `; and ${more} more`);
}
