import { fn, method, scalarKind, STRING, type Overload } from '../overload.js';
import { CelScalar } from '../scalars.js';
import { readTime } from '../time.js';
import * as types from '../types.js';
import { ComputedList, OptionalValue } from '../values.js';

/** A named format of texts. */
class Format extends CelScalar {
  readonly kind = 'format';

  constructor(
    readonly name: string,
    readonly accepts: (text: string) => boolean,
  ) {
    super();
  }

  toString(): string {
    return this.name;
  }
}

/** @param max greatest number of characters in a valid text */
function pattern(expression: RegExp, max: number): (text: string) => boolean {
  return (text) => text.length <= max && expression.test(text);
}

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const WORD = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const isLabel = pattern(LABEL, 63);
const isSubdomain = pattern(SUBDOMAIN, 253);
const isOldLabel = pattern(/^[a-z]([-a-z0-9]*[a-z0-9])?$/, 63);
const isWord = pattern(WORD, 63);
const asPrefix =
  (accepts: (text: string) => boolean) =>
  (text: string): boolean =>
    accepts(text.endsWith('-') ? `${text.slice(0, -1)}a` : text);

function isQualifiedName(text: string): boolean {
  const slash = text.indexOf('/');
  return isWord(text.slice(slash + 1)) && (slash < 0 || isSubdomain(text.slice(0, slash)));
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && readTime(`${text}T00:00:00Z`) !== undefined;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

const FORMATS: readonly Format[] = [
  new Format('dns1123Label', isLabel),
  new Format('dns1123Subdomain', isSubdomain),
  new Format('dns1035Label', isOldLabel),
  new Format('qualifiedName', isQualifiedName),
  new Format('dns1123LabelPrefix', asPrefix(isLabel)),
  new Format('dns1123SubdomainPrefix', asPrefix(isSubdomain)),
  new Format('dns1035LabelPrefix', asPrefix(isOldLabel)),
  new Format('labelValue', (text) => text === '' || isWord(text)),
  new Format('uri', pattern(/^(?:[A-Za-z][A-Za-z0-9+.-]*:|\/)\S*$/, 10_000)),
  new Format('uuid', pattern(UUID, 36)),
  new Format('byte', (text) => BASE64.test(text)),
  new Format('date', isDate),
  new Format('datetime', (text) => readTime(text) !== undefined),
];

const FORMAT_TYPE = { kind: 'format' } as const;

/** Named formats, as in Kubernetes. */
export const NAMED_FORMATS: readonly Overload[] = [
  ...FORMATS.map((format) => fn(`format.${format.name}`, [], FORMAT_TYPE, () => format)),
  fn('format.named', [STRING], types.optionalType(FORMAT_TYPE), ([name]) => {
    const found = FORMATS.find((format) => format.name === name);
    return found === undefined ? OptionalValue.NONE : new OptionalValue(found);
  }),
  method(
    'validate',
    [scalarKind(FORMAT_TYPE, Format), STRING],
    types.optionalType(types.listType(types.STRING)),
    ([format, text], frame) => {
      frame.spendOnText(text.length);
      const { name } = format;
      return format.accepts(text)
        ? OptionalValue.NONE
        : new OptionalValue(new ComputedList([`must be of the format ${name}`]));
    },
  ),
];
