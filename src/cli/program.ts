import { Command, CommanderError } from 'commander';
import { withPlainDryRun } from './argv.js';
import { collect, type CommandContext, type Define } from './commands/shared.js';
import { COMPLETE } from './completion/scripts.js';
import { EXIT, getExitCode } from './exit.js';
import { getGroup, inGroups } from './command-groups.js';
import type { CliIo } from './io.js';
import { printFailure } from './output/failure.js';

/** A command in the overview; the rest of it is loaded when the command line has its name. */
interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly define: Define }>;
}

const COMMANDS: readonly Entry[] = [
  {
    name: 'init',
    summary: 'Create a project, optionally with an example',
    load: () => import('./commands/plugin/init.js'),
  },
  { name: 'serve', summary: 'Serve the store over HTTP', load: () => import('./commands/store/serve.js') },
  {
    name: 'apply',
    summary: 'Create or update objects from files',
    load: () => import('./commands/write/apply.js'),
  },
  {
    name: 'get',
    summary: 'Print objects by name, or a list',
    load: () => import('./commands/read/get.js'),
  },
  {
    name: 'list',
    summary: 'Print a list of objects (same as get without names)',
    load: () => import('./commands/read/list.js'),
  },
  {
    name: 'watch',
    summary: 'Print objects, then their changes (same as get --watch)',
    load: () => import('./commands/read/watch.js'),
  },
  {
    name: 'history',
    summary: 'Print the changes of an object, with their users',
    load: () => import('./commands/read/history.js'),
  },
  {
    name: 'undo',
    summary: 'Restore an earlier state of an object',
    load: () => import('./commands/write/undo.js'),
  },
  { name: 'delete', summary: 'Delete objects', load: () => import('./commands/write/delete.js') },
  { name: 'create', summary: 'Create objects from files', load: () => import('./commands/write/create.js') },
  {
    name: 'diff',
    summary: 'Preview the changes of apply',
    load: () => import('./commands/read/diff.js'),
  },
  {
    name: 'validate',
    summary: 'Check files against the models, without a store or a server',
    load: () => import('./commands/write/validate.js'),
  },
  { name: 'edit', summary: 'Change an object in an editor', load: () => import('./commands/write/edit.js') },
  { name: 'patch', summary: 'Change fields of objects', load: () => import('./commands/write/patch.js') },
  { name: 'label', summary: 'Set and remove labels', load: () => import('./commands/write/label.js') },
  {
    name: 'annotate',
    summary: 'Set and remove annotations',
    load: () => import('./commands/write/annotate.js'),
  },
  {
    name: 'wait',
    summary: 'Wait until objects are deleted or meet a condition',
    load: () => import('./commands/read/wait.js'),
  },
  {
    name: 'explain',
    summary: 'Describe the fields of a model',
    load: () => import('./commands/model/explain.js'),
  },
  {
    name: 'api-resources',
    summary: 'Print the served models',
    load: () => import('./commands/model/api-resources.js'),
  },
  {
    name: 'completion',
    summary: 'Print a completion script for a shell',
    load: () => import('./commands/completion.js'),
  },
  {
    name: 'export',
    summary: 'Write objects to files as manifests',
    load: () => import('./commands/read/export.js'),
  },
  {
    name: 'import',
    summary: 'Create or overwrite objects from large files',
    load: () => import('./commands/write/import.js'),
  },
  {
    name: 'backup',
    summary: 'Back up the store, also while a daemon serves it',
    load: () => import('./commands/store/backup.js'),
  },
  {
    name: 'restore',
    summary: 'Replace the store with a backup',
    load: () => import('./commands/store/restore.js'),
  },
  {
    name: 'reindex',
    summary: 'Rebuild indexes of the store',
    load: () => import('./commands/store/reindex.js'),
  },
  {
    name: 'check',
    summary: 'Check the consistency of objects, indexes and log',
    load: () => import('./commands/store/check.js'),
  },
  {
    name: 'describe',
    summary: 'Show details of objects, with their events',
    load: () => import('./commands/read/describe.js'),
  },
  {
    name: 'why',
    summary: 'Show what blocks the deletion of objects',
    load: () => import('./commands/read/why.js'),
  },
  {
    name: 'controllers',
    summary: 'Print the controllers of a daemon and their pending work',
    load: () => import('./commands/read/controllers.js'),
  },
  {
    name: 'openapi',
    summary: 'Print the OpenAPI description',
    load: () => import('./commands/model/openapi.js'),
  },
  {
    name: 'types',
    summary: 'Print TypeScript types of all models',
    load: () => import('./commands/model/types.js'),
  },
  {
    name: 'plugin',
    summary: 'Create, list, enable, disable and uninstall plugins',
    load: () => import('./commands/plugin/plugin.js'),
  },
  {
    name: 'store',
    summary: 'Copy a store to another place',
    load: () => import('./commands/store/store.js'),
  },
  {
    name: 'model',
    summary: 'List models, preview their changes, migrate and remove them',
    load: () => import('./commands/model/model.js'),
  },
  { name: 'token', summary: 'Create tokens for users', load: () => import('./commands/token/token.js') },
  {
    name: 'bench',
    summary: 'Benchmark a temporary service against targets',
    load: () => import('./commands/store/bench.js'),
  },
  { name: 'version', summary: 'Print the version', load: () => import('./commands/version.js') },
];

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
    io.stdout.write(`${text}\t${description}\n`);
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
    .commandsGroup(getGroup('help'))
    .showSuggestionAfterError(true)
    .showHelpAfterError("Run 'xsvc --help' for usage")
    .option('--server <url>', 'work on a server instead of the store (XSVC_SERVER)')
    .option('--token <token>', 'credentials for the server (XSVC_TOKEN)')
    .option('--data-dir <dir>', 'data directory of the store (XSVC_DATA_DIR; default: .xsvc)')
    .option(
      '--store <store>',
      'lmdb:DIR, or for serve postgres://USER@HOST/DATABASE or etcd://HOST,HOST/PREFIX (XSVC_STORE; default: the ' +
        'data directory)',
    )
    .option('--plugins <dir>', 'directory of plugins (repeatable, XSVC_PLUGINS; default: plugins)', collect)
    .option('--takeover', 'replace model declarations held by another process')
    .option('--config <file>', 'configuration file (default: xsvc.yaml)')
    .option('--verbose', 'print debug output, with stacks of errors')
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
  for (const { name, summary, load } of inGroups(COMMANDS)) {
    const command = program
      .command(name)
      .summary(summary)
      .description(summary)
      .helpGroup(getGroup(name))
      .showHelpAfterError(`Run 'xsvc ${name} --help' for usage`);
    // A name at any position may be the command; loading a wrong one does no harm.
    if (argv.includes(name)) (await load()).define(command, context);
  }
  return program;
}
