import { Command, CommanderError } from 'commander';
import { withPlainDryRun } from './argv.js';
import { addGoneCommands, type CommandContext } from './command.js';
import { COMMANDS, GONE_COMMANDS } from './command-list.js';
import { EXIT, getExitCode } from './exit.js';
import { GLOBAL_FLAGS, toOptions } from './flags.js';
import type { CliIo } from './io.js';
import { printFailure } from './output/failure.js';
import { escapeControls } from '../lib/escape-controls.js';
import { ownVersion } from '../version.js';

/** The command with which the completion scripts request candidates; hidden from people. */
const COMPLETE = '__complete';

/**
 * Runs one command line; never throws.
 * @param given the arguments without the program
 * @returns the exit code
 */
export async function run(given: readonly string[], io: CliIo): Promise<number> {
  const argv = withPlainDryRun(given);
  const context: CommandContext = { io, exitCode: EXIT.done };
  try {
    const program = await buildProgram(argv, context);
    if (argv[0] === COMPLETE) {
      await printCandidates(program, argv.slice(1), io);
      return EXIT.done;
    }
    if (argv.length === 0) {
      program.outputHelp({ error: true });
      return EXIT.usage;
    }
    await program.parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    await printFailure(io, error, argv.includes('--verbose'));
    return getExitCode(error);
  }
}

/** Prints one candidate per line, followed by a tab and its description, if any. */
async function printCandidates(program: Command, words: readonly string[], io: CliIo): Promise<void> {
  const { complete } = await import('./completion/complete.js');
  for (const { text, description = '' } of await complete(program, words, io))
    io.stdout.write(`${escapeControls(text)}\t${escapeControls(description)}\n`);
}

async function buildProgram(argv: readonly string[], context: CommandContext): Promise<Command> {
  const { io } = context;
  const program = new Command('xsvc')
    .description('Custom model extension service: models as classes, objects in a store, served over HTTP.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ showGlobalOptions: true })
    .commandsGroup('Other commands:')
    .showSuggestionAfterError(true)
    .showHelpAfterError("Run 'xsvc --help' for usage")
    .addHelpText(
      'after',
      [
        '',
        'Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 conflict, 5 invalid, 6 server or store unavailable;',
        'diff: 10 differences; model plan: 10 changes.',
        '',
        'Examples:',
        '  xsvc serve --plugins ./plugins',
        '  xsvc apply -R -f manifests/ && xsvc get persons -l demo.example.com/team=red',
        '  xsvc get --help',
      ].join('\n'),
    );
  program.version(`xsvc ${ownVersion()}`, '-V, --version', 'print the version');
  for (const option of toOptions(GLOBAL_FLAGS)) program.addOption(option);
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    for (const [name, [summary, load]] of Object.entries(commands)) {
      const command = program
        .command(name)
        .summary(summary)
        .description(summary)
        .helpGroup(heading)
        .showHelpAfterError(`Run 'xsvc ${name} --help' for usage`);
      // A name at any position may be the command; loading a wrong one does no harm.
      if (argv.includes(name)) (await load()).define(command, context);
    }
  }
  addGoneCommands(program, GONE_COMMANDS);
  return program;
}
