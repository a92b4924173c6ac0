import { Command, CommanderError } from 'commander';
import { collect, type CommandContext, type Define } from './commands/shared.js';
import { EXIT, exitCodeOf } from './exit.js';
import type { CliIo } from './io.js';
import { printFailure } from './output/failure.js';

/** A command as the overview shows it; the rest of it is loaded when the command line has its name. */
interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly define: Define }>;
}

const COMMANDS: readonly Entry[] = [
  { name: 'serve', summary: 'Serve the store over HTTP', load: () => import('./commands/serve.js') },
  { name: 'apply', summary: 'Create or update what files state', load: () => import('./commands/apply.js') },
  { name: 'get', summary: 'Print an object, several, or a list', load: () => import('./commands/get.js') },
  { name: 'list', summary: 'Print a list of objects', load: () => import('./commands/list.js') },
  { name: 'delete', summary: 'Delete objects', load: () => import('./commands/delete.js') },
  {
    name: 'check',
    summary: 'Compare objects, indexes and log of the store',
    load: () => import('./commands/check.js'),
  },
  { name: 'plugin', summary: 'List, switch and remove plugins', load: () => import('./commands/plugin.js') },
  { name: 'version', summary: 'Print the version', load: () => import('./commands/version.js') },
];

/**
 * Runs one command line; nothing is thrown.
 * @param argv the arguments alone, without the program
 * @returns the exit code
 */
export async function run(argv: readonly string[], io: CliIo): Promise<number> {
  const context: CommandContext = { io, exitCode: EXIT.done };
  try {
    const program = await buildProgram(argv, context);
    if (argv.length === 0) {
      program.outputHelp({ error: true });
      return EXIT.usage;
    }
    await program.parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    await printFailure(io, error, argv.includes('--verbose'));
    return exitCodeOf(error);
  }
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
    .showSuggestionAfterError(true)
    .showHelpAfterError('(add --help for what is possible)')
    .option('--server <url>', 'work on a server instead of the store (XSVC_SERVER)')
    .option('--token <token>', 'credentials for the server (XSVC_TOKEN)')
    .option('--data-dir <dir>', 'data directory of the store (XSVC_DATA_DIR; default: .xsvc)')
    .option('--plugins <dir>', 'directory of plugins (repeatable, XSVC_PLUGINS; default: plugins)', collect)
    .option('--config <file>', 'configuration file (default: xsvc.yaml)')
    .option('--verbose', 'say more, with stacks of errors');
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name).summary(summary).description(summary);
    // A name that stands anywhere may be the command; whatever else it is, loading it does no harm.
    if (argv.includes(name)) (await load()).define(command, context);
  }
  return program;
}
