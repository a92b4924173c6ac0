import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { conflict } from '../../../errors.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { anyStore, loadConfig, type GlobalFlags } from '../../session.js';
import { examples, type CommandContext } from '../shared.js';

interface Flags extends GlobalFlags {
  readonly dir?: string;
  readonly group?: string;
  readonly js?: boolean;
}

export function definePluginInit(command: Command, context: CommandContext): void {
  command
    .description('Create a plugin that is ready to run: a model, indexes, a controller, an endpoint, a test')
    .argument('<name>', 'name of the plugin')
    .option('--dir <dir>', 'where to create it; default: NAME in the plugin directory')
    .option('--group <group>', 'group of its model; default: NAME.example.com')
    .option('--js', 'use plain JavaScript')
    .action(async (name: string, _flags: unknown, self: Command) => {
      context.exitCode = await init(name, self.optsWithGlobals<Flags>(), context.io);
    });
  examples(command, [
    'xsvc plugin init note',
    'xsvc plugin init note --js --dir ./note --group notes.example.org',
  ]);
}

async function init(name: string, flags: Flags, io: CliIo): Promise<number> {
  const [{ scaffoldNames }, { commonFiles }, { typescriptFiles }, { javascriptFiles }, writing] =
    await Promise.all([
      import('../../scaffold/names.js'),
      import('../../scaffold/common.js'),
      import('../../scaffold/typescript.js'),
      import('../../scaffold/javascript.js'),
      import('../../scaffold/files.js'),
    ]);
  const { writeFiles, linkUnlessInstalled } = writing;
  const names = scaffoldNames(name, flags.group);
  const { plugins } = await loadConfig(flags, io, anyStore);
  const shown =
    flags.dir ?? path.relative(io.cwd, path.join(path.resolve(io.cwd, plugins[0] ?? 'plugins'), name));
  const directory = path.resolve(io.cwd, shown);
  if ((await readdir(directory).catch(() => [])).length > 0) {
    throw conflict(`the directory ${shown} is not empty; choose another one with --dir`);
  }
  const isJs = flags.js === true;
  const code = isJs ? javascriptFiles(names) : typescriptFiles(names);
  const files = { ...commonFiles(names, isJs ? 'js' : 'ts'), ...code };
  await writeFiles(directory, files, (file) => io.stdout.write(`${path.join(shown, file)} created\n`));
  await linkUnlessInstalled(directory);
  io.stderr.write(`start it with: xsvc serve --plugins ${shown}\n`);
  return EXIT.done;
}
