import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { getMessage } from '../../errors.js';
import { JsonPathError, readJsonPath } from '../../lib/json/json-path.js';
import { parseTemplate, type Template } from '../../lib/json/json-path-template.js';
import { didYouMean, suggest } from '../../lib/suggest.js';
import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';
import { pathColumn, type TableColumn } from './columns.js';
import { inLines } from './failure.js';

export const OUTPUTS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type OutputFormat = (typeof OUTPUTS)[number];

/** `-o jsonpath=...` */
export interface TemplateOutput {
  readonly template: Template;
}

/** `-o custom-columns=...` */
export interface ColumnsOutput {
  readonly columns: readonly TableColumn[];
}

/** The parsed value of `-o`. */
export type OutputChoice = OutputFormat | TemplateOutput | ColumnsOutput;

export const WITH_VALUE = ['jsonpath', 'jsonpath-file', 'custom-columns', 'custom-columns-file'] as const;
type WithValue = (typeof WITH_VALUE)[number];

/**
 * Parses the text of `-o`, and reads the file that it names.
 * @throws UsageError for an unknown format, or an expression or file that cannot be read
 */
export async function readOutput(text: string, io: Pick<CliIo, 'cwd'>): Promise<OutputChoice> {
  // kubectl accepts `-o=json`.
  const given = text.replace(/^=/, '');
  const plain = OUTPUTS.find((name) => name === given);
  if (plain !== undefined) return plain;
  const [, name = '', value = ''] = /^([a-z-]+)(?:=([^]*))?$/.exec(given) ?? [];
  const kind = WITH_VALUE.find((known) => known === name);
  if (kind === undefined) throw unknownOutput(given);
  if (value === '') throw new UsageError(`-o ${kind}= needs ${NEEDS[kind]} after the =`);
  switch (kind) {
    case 'jsonpath':
      return { template: readTemplate(value) };
    case 'jsonpath-file':
      return { template: readTemplate(await readText(value, io)) };
    case 'custom-columns':
      return { columns: readColumns(value) };
    case 'custom-columns-file':
      return { columns: readColumnsFile(await readText(value, io), value) };
  }
}

const NEEDS: Readonly<Record<WithValue, string>> = {
  jsonpath: "a template, such as '{.metadata.name}',",
  'jsonpath-file': 'the name of a file with a template',
  'custom-columns': 'columns, such as NAME:.metadata.name,AGE:.spec.age,',
  'custom-columns-file': 'the name of a file with a line of titles and a line of paths',
};

function unknownOutput(given: string): UsageError {
  const known = [...OUTPUTS, ...WITH_VALUE.map((name) => `${name}=...`)];
  const near = didYouMean(suggest(given.replace(/=.*/s, ''), [...OUTPUTS, ...WITH_VALUE]));
  return new UsageError(`"${given}" is not an output format${near}. Allowed choices are ${known.join(', ')}`);
}

function readTemplate(text: string): Template {
  try {
    return parseTemplate(text);
  } catch (error) {
    throw asUsageError(error, 'the jsonpath template', text);
  }
}

function readColumns(text: string): TableColumn[] {
  let offset = 0;
  return columnTexts(text).map((column) => {
    const colon = column.indexOf(':');
    const title = column.slice(0, colon).trim();
    if (colon < 0 || title === '' || column.slice(colon + 1).trim() === '') {
      throw new UsageError(
        `custom-columns: "${column}" is not a column; write TITLE:path, such as AGE:.spec.age`,
      );
    }
    const result = readColumn(title, column.slice(colon + 1), text, offset + colon + 1);
    offset += column.length + 1;
    return result;
  });
}

/** Splits at the commas outside brackets and quotes. */
function columnTexts(text: string): string[] {
  const columns: string[] = [];
  let start = 0;
  let depth = 0;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if (depth > 0 && (character === '"' || character === "'")) quote = character;
    else if (character === '[') depth += 1;
    else if (character === ']') depth -= 1;
    else if (character === ',' && depth === 0) {
      columns.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...columns, text.slice(start)];
}

function readColumnsFile(text: string, file: string): TableColumn[] {
  const [titles = [], paths = []] = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/\s+/));
  if (titles.length === 0 || titles.length !== paths.length) {
    throw new UsageError(
      `${file} must have a line of titles and a line with the same number of paths, but has ${titles.length} and ${paths.length}`,
    );
  }
  return titles.map((title, i) => readColumn(title, paths[i] ?? '', paths[i] ?? '', 0));
}

/** @param offset the path's position in the whole text */
function readColumn(title: string, text: string, whole: string, offset: number): TableColumn {
  try {
    return pathColumn(title, readJsonPath(text));
  } catch (error) {
    const moved =
      error instanceof JsonPathError ? new JsonPathError(error.reason, error.offset + offset) : error;
    throw asUsageError(moved, `column ${title}`, whole);
  }
}

/** The message with the text below it, and a mark at the position. */
function asUsageError(error: unknown, what: string, text: string): unknown {
  if (!(error instanceof JsonPathError)) return error;
  const excerpt =
    text.includes('\n') || text.length > 200 ? [] : [`  ${text}`, `  ${' '.repeat(error.offset)}^`];
  return inLines([`${what} is invalid: ${error.message}`, ...excerpt], (message) => new UsageError(message));
}

async function readText(file: string, { cwd }: Pick<CliIo, 'cwd'>): Promise<string> {
  try {
    return await readFile(path.resolve(cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${getMessage(error)}`);
  }
}
