import type { JsonObject } from '../model/object.js';

/** A message whose form in JSON is not that of its fields. */
export interface JsonForm {
  /**
   * @param fields those that were sent
   * @returns undefined when they make no sense
   */
  readonly value: (fields: Readonly<Record<string, unknown>>) => unknown;
  /** Undefined for those of schemas, which are not described. */
  readonly schema?: JsonObject;
}

const META = 'apimachinery.pkg.apis.meta.v1';
const EXTENSIONS = 'apiextensions_apiserver.pkg.apis.apiextensions.v1';
const DATE_TIME = { type: 'string', format: 'date-time' };
const AMOUNT = '([0-9]+(\\.[0-9]*)?|\\.[0-9]+)';

/** 0001-01-01 and 9999-12-31, the first and the last day of RFC 3339, in seconds. */
const SECONDS_MIN = -62_135_596_800;
const SECONDS_MAX = 253_402_300_799;
const NANOS_MAX = 999_999_999;

/** Messages whose JSON is not an object of their fields. */
export const JSON_FORMS: ReadonlyMap<string, JsonForm> = new Map<string, JsonForm>([
  [`${META}.Time`, { value: (sent) => formatTime(sent, () => ''), schema: DATE_TIME }],
  [
    `${META}.MicroTime`,
    {
      value: (sent) => formatTime(sent, (nanos) => `.${String(Math.trunc(nanos / 1000)).padStart(6, '0')}`),
      schema: DATE_TIME,
    },
  ],
  [
    'apimachinery.pkg.util.intstr.IntOrString',
    {
      value: ({ type = 0, intVal = 0, strVal = '' }) =>
        type === 0 ? intVal : type === 1 ? strVal : undefined,
      schema: { 'x-kubernetes-int-or-string': true },
    },
  ],
  [
    'apimachinery.pkg.api.resource.Quantity',
    {
      value: ({ string = '0' }) => string,
      schema: {
        'x-kubernetes-int-or-string': true,
        pattern: `^[+-]?${AMOUNT}([KMGTPE]i|[numkMGTPE]|[eE][+-]?${AMOUNT})?$`,
      },
    },
  ],
  [
    `${EXTENSIONS}.JSONSchemaPropsOrArray`,
    { value: ({ schema = null, jSONSchemas = schema }) => jSONSchemas },
  ],
  [`${EXTENSIONS}.JSONSchemaPropsOrBool`, { value: ({ allows = false, schema = allows }) => schema }],
  [
    `${EXTENSIONS}.JSONSchemaPropsOrStringArray`,
    { value: ({ schema = null, property = schema }) => property },
  ],
]);

/** Without fields it is the time that Go calls zero, and JSON shows as null. */
function formatTime(
  sent: Readonly<Record<string, unknown>>,
  fraction: (nanos: number) => string,
): string | null | undefined {
  if (Object.keys(sent).length === 0) return null;
  const { seconds = 0, nanos = 0 } = sent;
  if (typeof seconds !== 'number' || typeof nanos !== 'number') return undefined;
  if (seconds < SECONDS_MIN || seconds > SECONDS_MAX || nanos < 0 || nanos > NANOS_MAX) return undefined;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${fraction(nanos)}Z`;
}
