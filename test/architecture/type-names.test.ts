import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const SRC = new URL('../../src/', import.meta.url).pathname;

/** Types and classes that a file declares and exports. */
function exportedTypes(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(SRC, file), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  return source.statements.flatMap((statement) => {
    const isType =
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isClassDeclaration(statement);
    if (!isType || statement.name === undefined) return [];
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    return isExported ? [statement.name.text] : [];
  });
}

it('no two exported types of the service share a name', () => {
  const places = new Map<string, string[]>();
  // The console is a separate program; index.ts exports the types of others again.
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('console') && file !== 'index.ts',
  );
  for (const file of files)
    for (const name of exportedTypes(file)) places.set(name, [...(places.get(name) ?? []), file]);
  expect(places.size).toBeGreaterThan(500);
  expect([...places].filter(([, where]) => where.length > 1)).toEqual([]);
});
