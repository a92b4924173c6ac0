import { Argument, type Command } from 'commander';
import { UsageError } from './exit.js';
import { toOptions, type CommandFlags, type Flags } from './flags.js';
import type { CliIo } from './io.js';

export interface CommandContext {
  readonly io: CliIo;
  /** The program's exit code; set by the command that ran. */
  exitCode: number;
}

/** Adds the definition of a command to the program. */
export type Define = (program: Command, context: CommandContext) => void;

interface CommandHelp {
  /** The text in a group's list of commands. Default: the description. */
  readonly summary?: string;
  /** Default: the text in the program's list of commands. */
  readonly description?: string;
  /** Lines below the flags. */
  readonly notes?: readonly string[];
  readonly examples: readonly string[];
}

/** The description of an argument, with its choices if it has any. */
type Argued = string | readonly [about: string, choices: readonly string[]];

interface CommandSpec<F extends Flags> extends CommandHelp {
  /** The arguments by `<name>`, `[name]` or `[names...]`, in order. */
  readonly args?: Readonly<Record<string, Argued>>;
  /** The flags in the order of the help. */
  readonly flags?: F;
  /**
   * @param words the given arguments
   * @returns the exit code
   */
  readonly run: (flags: CommandFlags<F>, io: CliIo, words: readonly string[]) => Promise<number>;
}

export function command<F extends Flags>(spec: CommandSpec<F>): Define {
  return (program, context) => {
    for (const [name, argued] of Object.entries(spec.args ?? {})) {
      const [about, choices] = typeof argued === 'string' ? [argued] : argued;
      const argument = new Argument(name, about);
      program.addArgument(choices === undefined ? argument : argument.choices(choices));
    }
    for (const option of toOptions(spec.flags ?? {})) program.addOption(option);
    program.action(async () => {
      const flags = program.optsWithGlobals<CommandFlags<F>>();
      context.exitCode = await spec.run(flags, context.io, program.args);
    });
    addHelp(program, spec);
  };
}

/** Defines a command that only has commands below it, such as `xsvc model`. */
export function group(commands: Readonly<Record<string, Define>>, examples: readonly string[]): Define {
  return (program, context) => {
    for (const [name, define] of Object.entries(commands)) define(program.command(name), context);
    addHelp(program, { examples });
  };
}

/** Adds hidden commands that end with what to do instead. */
export function addGoneCommands(program: Command, texts: Readonly<Record<string, string>>): void {
  for (const [called, instead] of Object.entries(texts)) {
    const names = called.split(' ');
    const last = names.pop() ?? '';
    names
      .reduce<Command | undefined>(
        (parent, name) => parent?.commands.find((one) => one.name() === name),
        program,
      )
      ?.command(last, { hidden: true })
      .argument('[words...]')
      .allowUnknownOption()
      .helpOption(false)
      .action(() => {
        throw new UsageError(`'${called}' is gone: ${instead}`);
      });
  }
}

function addHelp(program: Command, { summary, description, notes, examples }: CommandHelp): void {
  if (summary !== undefined) program.summary(summary);
  if (description !== undefined) program.description(description);
  if (notes !== undefined) program.addHelpText('after', ['', ...notes].join('\n'));
  program.addHelpText('after', ['', 'Examples:', ...examples.map((line) => `  ${line}`)].join('\n'));
}
