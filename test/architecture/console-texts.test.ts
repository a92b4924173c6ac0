import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const CONSOLE = new URL('../../src/console/', import.meta.url).pathname;

const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);

/** Where a file reads the texts of the page while it loads, when it is not known yet which language that is. */
function readsWhileLoading(file: string): string[] {
  const content = readFileSync(path.join(CONSOLE, file), 'utf8');
  if (!/import \{[^}]*\bt\b[^}]*\} from '[./]*\/texts\.js'/.test(content)) return [];
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    // Functions run later, and types never do.
    if (ts.isFunctionLike(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node)) return;
    const { parent } = node;
    const isName =
      (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) && parent.name === node;
    if (ts.isIdentifier(node) && node.text === 't' && !isName)
      found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    ts.forEachChild(node, look);
  };
  ts.forEachChild(source, look);
  return found;
}

it('no part of the console reads a text while it loads: the language comes later', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => file !== 'texts.ts').flatMap(readsWhileLoading)).toEqual([]);
});
