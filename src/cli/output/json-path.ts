import { getOwn, isRecord } from '../../lib/json.js';

/** One step: a member, an item, all of them, or the items with a member of some value. */
type Step =
  | { readonly member: string }
  | { readonly item: number }
  | 'all'
  | { readonly where: readonly string[]; readonly equals: string };

const STEP =
  /\.?\[\?\(\s*@((?:\.[\w$-]+)+)\s*==\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+))\s*\)\]|\.?\['((?:[^'\\]|\\.)*)'\]|\.?\["((?:[^"\\]|\\.)*)"\]|\.?\[(-?\d+)\]|\.?\[\*\]|\.((?:[^.[\\]|\\.)+)|\./gy;

/** The part of JSONPath that columns use: `.a.b`, `['a.b']`, `[0]`, `[*]`, `[?(@.type=="Ready")]`. */
export type JsonPath = readonly Step[];

/** Reads a path, with or without braces or `$` around it; undefined for what columns do not use. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const path = text
    .trim()
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/^\$/, '');
  const steps: Step[] = [];
  let read = 0;
  for (const match of path.matchAll(STEP)) {
    read += match[0].length;
    const step = stepOf(match);
    if (step !== undefined) steps.push(step);
  }
  return read === path.length ? steps : undefined;
}

/** Every value that a path leads to; empty when there is none. */
export function valuesAt(root: unknown, path: JsonPath): unknown[] {
  let values: unknown[] = [root];
  for (const step of path) values = values.flatMap((value) => follow(value, step));
  return values.filter((value) => value !== undefined && value !== null);
}

function stepOf([whole, where, doubled, quoted, bare, single, double, item, member]: RegExpMatchArray):
  Step | undefined {
  if (where !== undefined)
    return { where: where.slice(1).split('.'), equals: doubled ?? quoted ?? bare ?? '' };
  const name = single ?? double ?? member;
  if (name === '*') return 'all';
  if (name !== undefined) return { member: name.replace(/\\(.)/g, '$1') };
  if (item !== undefined) return { item: Number(item) };
  return whole === '.' ? undefined : 'all';
}

function follow(value: unknown, step: Step): unknown[] {
  if (step === 'all') return Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  if ('member' in step) return isRecord(value) ? [getOwn(value, step.member)] : [];
  if (!Array.isArray(value)) return [];
  if ('item' in step) return [value.at(step.item)];
  const path = step.where.map((member) => ({ member }));
  return value.filter((item: unknown) => valuesAt(item, path).some((found) => textOf(found) === step.equals));
}

/** A value as text: scalars as they are, anything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
