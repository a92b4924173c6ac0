import { isNested } from '../../lib/json/json.js';
import { spend } from '../../lib/work/allowance.js';
import type { Json } from '../object.js';
import type { KeywordCheck } from '../schema/keyword.js';
import { CHARACTERS_PER_STEP, keyOfItem } from './unique-items.js';

/** The check of a format, which reads its text in linear time. */
export function countedFormat(isValid: (text: string) => boolean): (text: string) => boolean {
  return (text) => {
    spend(1 + text.length / CHARACTERS_PER_STEP, 'formats');
    return isValid(text);
  };
}

/** True for the values of a list. It takes as long for many as for one. */
export function isOneOf(values: readonly Json[]): (value: unknown) => boolean {
  const scalars = new Set<unknown>(values.filter((value) => !isNested(value)));
  let nestedKeys: ReadonlySet<unknown> | undefined;
  return (value) => {
    if (!isNested(value)) return scalars.has(value);
    if (scalars.size === values.length) return false;
    nestedKeys ??= new Set(values.filter(isNested).map((item) => keyOfItem(item, 'enums')));
    return nestedKeys.has(keyOfItem(value, 'enums'));
  };
}

export function checkEnum(values: Json): KeywordCheck {
  if (!Array.isArray(values)) return () => undefined;
  const isListed = isOneOf(values);
  return (value) => (isListed(value) ? undefined : { allowedValues: values });
}

export function checkConst(allowedValue: Json): KeywordCheck {
  const isIt = isOneOf([allowedValue]);
  return (value) => (isIt(value) ? undefined : { allowedValue });
}

/** Characters are counted only where the number of UTF-16 units does not decide. */
export function checkMaxLength(limit: Json): KeywordCheck {
  const max = Number(limit);
  return (text) =>
    typeof text !== 'string' || text.length <= max || (text.length <= 2 * max && lengthOf(text) <= max)
      ? undefined
      : { limit };
}

export function checkMinLength(limit: Json): KeywordCheck {
  const min = Number(limit);
  return (text) =>
    typeof text !== 'string' || text.length >= 2 * min || (text.length >= min && lengthOf(text) >= min)
      ? undefined
      : { limit };
}

/** The number of characters. A pair of surrogates is one. */
function lengthOf(text: string): number {
  spend(text.length / CHARACTERS_PER_STEP, 'schemas');
  let count = 0;
  for (const character of text) count += character.length > 0 ? 1 : 0;
  return count;
}
