import { getMessage } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { readJsonPath, formatText, valuesAt, type JsonPath } from '../../lib/json/json-path.js';
import type { ExtensionObject } from '../../model/object.js';
import { UsageError } from '../exit.js';

/** The awaited state: an object is deleted, exists, or matches a condition. */
export type Awaited =
  | { readonly kind: 'delete' | 'create' }
  | { readonly kind: 'state'; readonly isMet: (object: ExtensionObject) => boolean };

const SYNTAX =
  'use delete, create, condition=<type>[=<status>] or jsonpath=<expression>[=<value>], ' +
  "such as condition=Ready or jsonpath='{.status.phase}'=Ready";

/** Parses the value of `--for`. @throws UsageError */
export function parseFor(text: string): Awaited {
  if (/^delete$/i.test(text)) return { kind: 'delete' };
  if (/^create$/i.test(text)) return { kind: 'create' };
  const [, kind = '', rest = ''] = /^(condition|jsonpath)=(.+)$/s.exec(text) ?? [];
  if (kind === 'condition') return { kind: 'state', isMet: conditionMatcher(rest) };
  if (kind === 'jsonpath') return { kind: 'state', isMet: jsonPathMatcher(rest) };
  throw new UsageError(`--for does not support "${text}"; ${SYNTAX}`);
}

/**
 * Matches a condition of `status.conditions`, ignoring case. A condition that was observed on an older generation does not count.
 */
function conditionMatcher(text: string): (object: ExtensionObject) => boolean {
  const [type = '', status = 'true', ...more] = text.toLowerCase().split('=');
  if (type === '' || status === '' || more.length > 0)
    throw new UsageError(`"condition=${text}" is not a condition; ${SYNTAX}`);
  return ({ metadata, status: state }) => {
    const conditions: readonly unknown[] =
      isRecord(state) && Array.isArray(state.conditions) ? state.conditions : [];
    const found = conditions
      .filter(isRecord)
      .find((condition) => String(condition.type).toLowerCase() === type);
    if (found === undefined) return false;
    const { observedGeneration } = found;
    if (typeof observedGeneration === 'number' && observedGeneration < metadata.generation) return false;
    return String(found.status).toLowerCase() === status;
  };
}

function jsonPathMatcher(text: string): (object: ExtensionObject) => boolean {
  const end = endOfExpression(text);
  const rest = text.slice(end);
  const isWhole = rest === '' || (rest.startsWith('=') && rest.length > 1);
  if (end === 0 || !isWhole) throw new UsageError(`"jsonpath=${text}" is not supported by --for; ${SYNTAX}`);
  const path = readPath(text.slice(0, end));
  const value = rest === '' ? undefined : rest.slice(1);
  return (object) => {
    const values = valuesAt(object, path);
    return value === undefined ? values.length > 0 : values.some((found) => formatText(found) === value);
  };
}

function readPath(text: string): JsonPath {
  try {
    return readJsonPath(text);
  } catch (error) {
    throw new UsageError(`the expression ${text} is invalid: ${getMessage(error)}; ${SYNTAX}`);
  }
}

/** The end of the expression before `=<value>`: after its braces, else at the first `=` outside brackets. */
function endOfExpression(text: string): number {
  const isBraced = text.startsWith('{');
  let depth = 0;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if (depth > 0 && (character === '"' || character === "'")) {
      quote = character;
    } else if ('{[('.includes(character)) {
      depth += 1;
    } else if ('}])'.includes(character)) {
      depth -= 1;
      if (isBraced && depth === 0) return at + 1;
    } else if (character === '=' && depth === 0) {
      return at;
    }
  }
  return text.length;
}
