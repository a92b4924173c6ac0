import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../helpers/reference.js';

/** The modules that plugins and their tests import, each with its source file. */
const MODULES = [
  ['xsvc', 'src/index.ts'],
  ['xsvc/client', 'src/client/programs/index.ts'],
  ['xsvc/testing', 'src/testing/index.ts'],
] as const;

const KINDS = [
  [ts.SymbolFlags.Class, 'class'],
  [ts.SymbolFlags.Function, 'function'],
  [ts.SymbolFlags.Variable, 'const'],
  [ts.SymbolFlags.Enum, 'enum'],
  [ts.SymbolFlags.Interface, 'interface'],
  [ts.SymbolFlags.TypeAlias, 'type'],
] as const;

/** Each export with its kinds, each member that it declares, and each value of a type that is a union of texts. */
export function exportFacts(): string[] {
  const files = MODULES.map(([, file]) => path.join(ROOT, file));
  const program = ts.createProgram(files, compilerOptions());
  const reader = new ExportReader(program);
  return MODULES.flatMap(([module], i) =>
    reader.exportsOf(files[i] ?? '').flatMap((symbol) => {
      return reader.factsOf(symbol).map((fact) => `${module} ${fact}`);
    }),
  );
}

function compilerOptions(): ts.CompilerOptions {
  const file = path.join(ROOT, 'tsconfig.json');
  const { config } = ts.parseConfigFileTextToJson(file, readFileSync(file, 'utf8')) as {
    config: { compilerOptions: object };
  };
  return ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT).options;
}

class ExportReader {
  readonly #checker: ts.TypeChecker;

  constructor(private readonly program: ts.Program) {
    this.#checker = program.getTypeChecker();
  }

  exportsOf(file: string): readonly ts.Symbol[] {
    const source = this.program.getSourceFile(file);
    const module = source && this.#checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} exports nothing`);
    return this.#checker.getExportsOfModule(module);
  }

  factsOf(exported: ts.Symbol): string[] {
    const { name } = exported;
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? this.#checker.getAliasedSymbol(exported) : exported;
    const kinds = KINDS.filter(([flag]) => (symbol.flags & flag) !== 0).map(([, kind]) => kind);
    if (kinds.length === 0) throw new Error(`${name} is of no known kind`);
    return [
      `${name} (${kinds.join(', ')})`,
      ...this.#foreignBasesOf(symbol).map((base) => `${name} extends ${base}`),
      ...this.#membersOf(symbol).map((member) => `${name}.${member}`),
      ...this.#valuesOf(symbol).map((value) => `${name} = ${value}`),
    ];
  }

  /** Names of what it extends that the language or another package gives, whose members are not listed. */
  #foreignBasesOf(symbol: ts.Symbol): string[] {
    const type = this.#typeOf(symbol);
    if (!type.isClassOrInterface()) return [];
    return this.#checker.getBaseTypes(type).flatMap((base) => {
      const { name, declarations = [] } = base.symbol;
      return name.startsWith('__') || declarations.some((one) => this.#isOwn(one)) ? [] : name;
    });
  }

  #membersOf(symbol: ts.Symbol): string[] {
    const { flags } = symbol;
    const ofInstance = (flags & TYPE) === 0 ? [] : this.#ownProperties(this.#typeOf(symbol));
    const isValue = (flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Variable)) !== 0;
    const ofValue = isValue ? this.#ownProperties(this.#checker.getTypeOfSymbol(symbol)) : [];
    const isClass = (flags & ts.SymbolFlags.Class) !== 0;
    return [
      ...ofInstance.map((member) => this.#described(member)),
      ...ofValue.map((member) => this.#described(member, isClass ? ['static'] : [])),
    ];
  }

  /** Of a choice of texts. */
  #valuesOf(symbol: ts.Symbol): string[] {
    if ((symbol.flags & ts.SymbolFlags.TypeAlias) === 0) return [];
    return partsOf(this.#typeOf(symbol)).flatMap((part) => (part.isStringLiteral() ? `'${part.value}'` : []));
  }

  #typeOf(symbol: ts.Symbol): ts.Type {
    return this.#checker.getDeclaredTypeOfSymbol(symbol);
  }

  /** Without what the language and other packages give, and without what nobody else can name. */
  #ownProperties(type: ts.Type): ts.Symbol[] {
    return partsOf(type)
      .flatMap((part) => this.#checker.getPropertiesOfType(part))
      .filter(({ declarations = [] }) => declarations.some((one) => this.#isOwn(one) && !isHidden(one)));
  }

  #isOwn(declaration: ts.Declaration): boolean {
    const source = declaration.getSourceFile();
    const { program } = this;
    return !program.isSourceFileDefaultLibrary(source) && !program.isSourceFileFromExternalLibrary(source);
  }

  #described(member: ts.Symbol, marks: readonly string[] = []): string {
    const [declaration] = member.declarations ?? [];
    const type = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(member));
    const isCalled = type.getCallSignatures().length > 0;
    const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
    const isProtected = declaration !== undefined && hasModifier(declaration, ts.ModifierFlags.Protected);
    const all = [
      isCalled ? 'method' : 'property',
      ...(isOptional ? ['optional'] : []),
      ...(isProtected ? ['protected'] : []),
      ...marks,
    ];
    return `${member.name} (${all.join(', ')})`;
  }
}

const TYPE = ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias;

function partsOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

/** Also a symbol that is not exported, or that somebody who writes a plugin should not use. */
function isHidden(declaration: ts.Declaration): boolean {
  const name = ts.getNameOfDeclaration(declaration);
  const isNameless = name !== undefined && (ts.isPrivateIdentifier(name) || ts.isComputedPropertyName(name));
  const isInternal = ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === 'internal');
  return isNameless || isInternal || hasModifier(declaration, ts.ModifierFlags.Private);
}

function hasModifier(declaration: ts.Declaration, modifier: ts.ModifierFlags): boolean {
  return (ts.getCombinedModifierFlags(declaration) & modifier) !== 0;
}
