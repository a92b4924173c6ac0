import type { Overload } from '../overload.js';
import { ADDRESSES } from './addresses.js';
import { ARITHMETIC } from './arithmetic.js';
import { CONVERSIONS } from './conversions.js';
import { LISTS } from './lists.js';
import { NAMED_FORMATS } from './named-formats.js';
import { OPTIONALS } from './optionals.js';
import { PATTERNS } from './patterns.js';
import { QUANTITIES } from './quantities.js';
import { TEXT } from './text.js';
import { TIMES } from './times.js';
import { URLS } from './urls.js';

const ALL = [
  ...ARITHMETIC,
  ...CONVERSIONS,
  ...TEXT,
  ...LISTS,
  ...TIMES,
  ...PATTERNS,
  ...OPTIONALS,
  ...URLS,
  ...ADDRESSES,
  ...QUANTITIES,
  ...NAMED_FORMATS,
];

const BY_NAME = new Map<string, Overload[]>();
for (const overload of ALL) BY_NAME.set(overload.name, [...(BY_NAME.get(overload.name) ?? []), overload]);

/** The functions of a name. Functions with a dot in their name, such as `sets.contains`, are not methods. */
export function getFunctions(name: string): readonly Overload[] {
  return BY_NAME.get(name) ?? [];
}

export const FUNCTION_NAMES: readonly string[] = [...BY_NAME.keys()];
