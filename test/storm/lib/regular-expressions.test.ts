import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { slowText } from '../../helpers/worst-texts.js';

const SRC = new URL('../../../src/', import.meta.url).pathname;

interface Literal {
  /** `file:line`. */
  readonly place: string;
  readonly text: string;
}

function parsed(file: string): ts.SourceFile {
  const text = readFileSync(path.join(SRC, file), 'utf8');
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

function eachNode(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  node.forEachChild((child) => eachNode(child, visit));
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const literals: Literal[] = [];
const made: string[] = [];
for (const file of files) {
  const source = parsed(file);
  eachNode(source, (node) => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (ts.isRegularExpressionLiteral(node)) literals.push({ place: `${file}:${line}`, text: node.text });
    const isMade = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isMade && node.expression.getText() === 'RegExp') made.push(file);
  });
}

function expressionOf({ text }: Literal): RegExp {
  const end = text.lastIndexOf('/');
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

/** Expressions that are put together while the program runs, and why a text cannot make them slow. */
const MADE_AT_RUN_TIME: Readonly<Record<string, string>> = {
  'lib/linear-reg-exp.ts': 'the pattern of a model, which is only compiled: it never meets a text',
  'console/editor/schema/place.ts': 'at most 1,000 characters of a line, in the browser of whoever edits it',
  'cli/input/glob.ts': 'file names, which are short, against a pattern of the person at the terminal',
};

describe('our own regular expressions', () => {
  it('are found in the source', () => {
    expect(literals.length).toBeGreaterThan(100);
  });

  it.each(literals)('take 1 MiB of the worst text in linear time: $text of $place', (literal) => {
    expect(slowText(expressionOf(literal))).toBeUndefined();
  });

  it('are made at run time only where that is known to be harmless', () => {
    expect([...new Set(made)].sort()).toEqual(Object.keys(MADE_AT_RUN_TIME).sort());
  });

  it.each([/^[-+]?(?:\d+\.?\d*|\.\d+)$/, /^\s*\d+\s/gm])('would be found slow: %s', (expression) => {
    expect(slowText(expression)).toBeDefined();
  });
});
