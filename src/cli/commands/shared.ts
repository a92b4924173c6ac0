import { InvalidArgumentError, Option, type Command } from 'commander';
import { SELECTORS, type ListParameter, type SelectorName } from '../../query/list-parameters.js';
import type { FieldValidation } from '../../service/verbs.js';
import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';

/** The context of a command's definition. */
export interface CommandContext {
  readonly io: CliIo;
  /** The program's exit code; set by the command that ran. */
  exitCode: number;
}

/** Adds a command's arguments, flags, examples and action. */
export type Define = (command: Command, context: CommandContext) => void;

/** Collects the values of a flag that may be repeated. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Reads a flag's integer. */
export function integerFrom(min: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && Number.isSafeInteger(number) && number >= min) return number;
    throw new InvalidArgumentError(`It must be an integer from ${min}.`);
  };
}

/** Adds examples at the end of a command's help. */
export function examples(command: Command, lines: readonly string[]): void {
  command.addHelpText('after', ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n'));
}

/** Adds the flags of list parameters. Their values have the names of the parameters. */
export function parameterFlags(command: Command, parameters: readonly ListParameter[]): void {
  for (const parameter of parameters) command.addOption(new ParameterOption(parameter));
}

class ParameterOption extends Option {
  constructor(private readonly parameter: ListParameter) {
    super(...parameter.flag);
    if (parameter.type === 'texts') this.argParser(collect);
    if (parameter.type === 'integer') this.argParser(integerFrom(parameter.min ?? 0));
  }

  override attributeName(): string {
    return this.parameter.name;
  }
}

/** `-l`, `--field-selector` and `--filter`. */
export function selectorFlags(command: Command): void {
  parameterFlags(command, SELECTORS);
}

export type SelectorFlags = { readonly [Name in SelectorName]?: readonly string[] };

/** `-f` and `-R`. */
export function inputFlags(command: Command): void {
  command
    .option('-f, --filename <path>', 'file, directory, glob, or - for standard input (repeatable)', collect)
    .option('-R, --recursive', 'read directories recursively');
}

/** The values of `-f`. @throws UsageError when it is absent */
export function requiredFiles(command: string, filename: readonly string[] | undefined): readonly string[] {
  if (filename !== undefined) return filename;
  throw new UsageError(`${command} needs -f with a file, a directory, a glob, or -`);
}

export const VALIDATIONS = { strict: 'Strict', warn: 'Warn', ignore: 'Ignore' } as const satisfies Readonly<
  Record<string, FieldValidation>
>;

/** The values of `--validate`. */
export type Validation = keyof typeof VALIDATIONS;

export function validateFlag(): Option {
  return new Option('--validate <mode>', 'handling of fields that no schema declares')
    .choices(Object.keys(VALIDATIONS))
    .default('strict');
}

/** Reads the value of a flag like `--atomic=false`. */
export function booleanFrom(value: string): boolean {
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new InvalidArgumentError('It must be true or false.');
}
