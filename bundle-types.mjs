/**
 * Writes dist/types: the declarations that the exports of `xsvc` and `xsvc/testing` reach, in one file that both share, so that
 * a class is one class for the compiler. Those of `xsvc/client` have another one: browsers do not have the packages of the first.
 * Reads the declarations of the single files. Part of `npm run build`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const dist = path.join(import.meta.dirname, 'dist');
const outdir = path.join(dist, 'types');
/** The files that are exported, by the name of the file that they share. */
const PARTS = {
  shared: { 'index.d.ts': 'index.d.ts', 'testing.d.ts': 'testing/index.d.ts' },
  'client-shared': { 'client.d.ts': 'client/programs/index.d.ts' },
};

/** Of other packages nothing is read: their names are imported as the single files import them. */
const options = { noLib: true, types: [], module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 };
const host = ts.createCompilerHost(options);
host.resolveModuleNameLiterals = (literals, from) =>
  literals.map(({ text }) => ({
    resolvedModule: text.startsWith('.')
      ? {
          resolvedFileName: path.resolve(path.dirname(from), text.replace(/\.js$/, '.d.ts')),
          extension: '.d.ts',
        }
      : undefined,
  }));
const entryFiles = Object.values(PARTS)
  .flatMap((entries) => Object.values(entries))
  .map((file) => path.join(dist, file));
const program = ts.createProgram(entryFiles, options, host);
const checker = program.getTypeChecker();

/** Names of the runtime, such as that of fetch's `Response`: nothing in a shared file may hide them. */
const globals = new Set(program.getSourceFiles().flatMap(globalsIn));

/** The statements to write, as found; each with its text, where names of imports are those of their declarations. */
let statements = new Map();
/** The name of each kept declaration in the shared file, where each name is that of one declaration. */
let names = new Map();
let taken = new Set();
/** What the shared file imports of other packages: `<module> <name>` to its name in the shared file. */
let imports = new Map();

rmSync(outdir, { recursive: true, force: true });
mkdirSync(outdir, { recursive: true });
for (const [shared, entries] of Object.entries(PARTS)) writePart(shared, entries);

function writePart(shared, entries) {
  [statements, names, taken, imports] = [new Map(), new Map(), new Set(globals), new Map()];
  const files = Object.entries(entries).map(([name, file]) => [name, path.join(dist, file)]);
  // What users import keeps its name, and what has the same name gets another.
  for (const [, file] of files)
    for (const exported of exportsOf(file)) {
      const target = resolve(exported);
      if (externalOf(exported) === undefined && !isDeclaredIn(target, file)) nameOf(target);
    }
  for (const [name, file] of files) writeFileSync(path.join(outdir, name), textOfEntry(file, shared));
  // Those of decorators are for the classes of models.
  const declarations = shared === 'shared' ? globalDeclarations() : [];
  const lines = [...importLines(), ...declarations, ...statements.values(), ''];
  writeFileSync(path.join(outdir, `${shared}.d.ts`), lines.join('\n'));
}

/** Declarations for all modules (`declare global`). */
function globalDeclarations() {
  const found = program
    .getSourceFiles()
    .flatMap(({ statements }) => statements.filter(ts.isModuleDeclaration));
  return new Set(found.map((statement) => statement.getFullText().trim()));
}

/** An entry exports names of the shared file; what it declares itself is there, too. */
function textOfEntry(file, shared) {
  const source = program.getSourceFile(file);
  const comment = ts.getLeadingCommentRanges(source.text, 0)?.[0];
  const head = comment === undefined ? [] : [source.text.slice(comment.pos, comment.end)];
  const lines = exportsOf(file).map((exported) => {
    const external = externalOf(exported);
    if (external !== undefined) return `export { ${external.name} } from '${external.module}';`;
    const kept = keep(resolve(exported));
    const name = kept === exported.name ? kept : `${kept} as ${exported.name}`;
    return `export ${isTypeOnly(exported) ? 'type ' : ''}{ ${name} } from './${shared}.js';`;
  });
  return [...head, ...lines, ''].join('\n');
}

function globalsIn(node) {
  const names = [];
  if (ts.isIdentifier(node) && checker.getSymbolAtLocation(node)?.declarations === undefined)
    names.push(node.text);
  ts.forEachChild(node, (child) => void names.push(...globalsIn(child)));
  return names;
}

function exportsOf(file) {
  return checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
}

function isDeclaredIn({ declarations = [] }, file) {
  return declarations.some((declaration) => declaration.getSourceFile().fileName === file);
}

function isTypeOnly(symbol) {
  return (symbol.declarations ?? []).some(
    (declaration) => ts.isExportSpecifier(declaration) && ts.isTypeOnlyExportDeclaration(declaration),
  );
}

function resolve(symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The name of a declaration in the shared file. */
function nameOf(symbol) {
  const name = names.get(symbol) ?? freeName(symbol.name);
  names.set(symbol, name);
  return name;
}

function freeName(wanted) {
  let name = wanted;
  for (let i = 2; taken.has(name); i++) name = `${wanted}${i}`;
  taken.add(name);
  return name;
}

/** Keeps the declarations of a symbol, and those that they name. Returns its name in the shared file. */
function keep(symbol) {
  for (const declaration of symbol.declarations ?? []) {
    const statement = statementOf(declaration);
    if (statements.has(statement)) continue;
    statements.set(statement, '');
    statements.set(statement, textOf(statement));
  }
  return nameOf(symbol);
}

function statementOf(node) {
  return ts.isSourceFile(node.parent) ? node : statementOf(node.parent);
}

/** The code of a statement, exported, with the names that its imports have where they are declared. */
function textOf(statement) {
  const edits = [];
  visit(statement, edits);
  const start = statement.getFullStart();
  let text = statement.getFullText();
  for (const { from, to, by } of edits.sort((a, b) => b.from - a.from))
    text = text.slice(0, from - start) + by + text.slice(to - start);
  return ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    ? text.trim()
    : text.trim().replace(/^((?:\/\*[\s\S]*?\*\/\s*|\/\/.*\n\s*)*)/, '$1export ');
}

function visit(node, edits) {
  if (ts.isImportTypeNode(node)) {
    const from = node.getStart();
    if (!node.argument.literal.text.startsWith('.') || node.isTypeOf || node.qualifier === undefined)
      throw new Error(`cannot resolve ${node.getText()} of ${node.getSourceFile().fileName}`);
    edits.push({ from, to: node.qualifier.getStart(), by: '' });
  }
  if (ts.isIdentifier(node)) reach(node, edits);
  ts.forEachChild(node, (child) => visit(child, edits));
}

function reach(identifier, edits) {
  const symbol = checker.getSymbolAtLocation(identifier);
  if (symbol === undefined) return;
  const name = nameInShared(symbol);
  if (name === undefined || name === identifier.text) return;
  edits.push({ from: identifier.getStart(), to: identifier.getEnd(), by: name });
}

/** Of what a statement names: undefined for parameters, members and names of the language. */
function nameInShared(symbol) {
  const external = externalOf(symbol);
  if (external !== undefined) {
    const key = `${external.module} ${external.name}`;
    if (!imports.has(key)) imports.set(key, freeName(external.name));
    return imports.get(key);
  }
  const target = resolve(symbol);
  return isAtTop(target) ? keep(target) : undefined;
}

function importLines() {
  return [...imports].sort().map(([key, local]) => {
    const [module, name] = key.split(' ');
    return `import type { ${local === name ? name : `${name} as ${local}`} } from '${module}';`;
  });
}

function isAtTop({ declarations = [] }) {
  return declarations.some(
    (declaration) =>
      !ts.isSourceFile(declaration) &&
      (ts.isSourceFile(declaration.parent) || ts.isVariableDeclaration(declaration)) &&
      ts.isSourceFile(statementOf(declaration).parent),
  );
}

/** The package and the name there of a symbol that is imported, or undefined for one of ours. */
function externalOf({ declarations = [] }) {
  for (const declaration of declarations) {
    if (!ts.isImportSpecifier(declaration) && !ts.isExportSpecifier(declaration)) continue;
    const { moduleSpecifier } = ts.findAncestor(
      declaration,
      (node) => ts.isImportDeclaration(node) || ts.isExportDeclaration(node),
    );
    if (moduleSpecifier === undefined || moduleSpecifier.text.startsWith('.')) continue;
    return { module: moduleSpecifier.text, name: (declaration.propertyName ?? declaration.name).text };
  }
  return undefined;
}
