import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { conflict, messageOf, ServiceError } from '../../errors.js';
import { ownVersion } from '../../version.js';
import { EXIT } from '../exit.js';
import type { CliIo } from '../io.js';
import { loadConfig, type GlobalFlags } from '../session.js';
import { examples, type CommandContext } from './shared.js';

interface Flags extends GlobalFlags {
  readonly dir?: string;
  readonly group?: string;
  readonly js?: boolean;
}

export function definePluginInit(command: Command, context: CommandContext): void {
  command
    .description('Make a new plugin that runs at once: a model, indexes, a controller, an endpoint, a test')
    .argument('<name>', 'name of the plugin')
    .option('--dir <dir>', 'where to make it; default: NAME in the directory of plugins')
    .option('--group <group>', 'group of its model; default: NAME.example.com')
    .option('--js', 'in plain JavaScript')
    .action(async (name: string, _flags: unknown, self: Command) => {
      context.exitCode = await init(name, self.optsWithGlobals<Flags>(), context.io);
    });
  examples(command, [
    'xsvc plugin init note',
    'xsvc plugin init note --js --dir ./note --group notes.example.org',
  ]);
}

async function init(name: string, flags: Flags, io: CliIo): Promise<number> {
  const [{ scaffoldNames }, { commonFiles }, { typescriptFiles }, { javascriptFiles }] = await Promise.all([
    import('../scaffold/names.js'),
    import('../scaffold/common.js'),
    import('../scaffold/typescript.js'),
    import('../scaffold/javascript.js'),
  ]);
  const names = scaffoldNames(name, flags.group);
  const { plugins } = await loadConfig(flags, io);
  const shown =
    flags.dir ?? path.relative(io.cwd, path.join(path.resolve(io.cwd, plugins[0] ?? 'plugins'), name));
  const directory = path.resolve(io.cwd, shown);
  if ((await readdir(directory).catch(() => [])).length > 0) {
    throw conflict(`the directory ${shown} is not empty; --dir makes the plugin somewhere else`);
  }
  const isJs = flags.js === true;
  const code = isJs ? javascriptFiles(names) : typescriptFiles(names, typesFrom(directory));
  const files = { ...commonFiles(names, ownVersion(), isJs ? 'js' : 'ts'), ...code };
  for (const [file, text] of Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))) {
    await put(path.join(directory, file), text);
    io.stdout.write(`${path.join(shown, file)} created\n`);
  }
  io.stderr.write(`start it with: xsvc serve --plugins ${shown}\n`);
  return EXIT.done;
}

async function put(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    throw new ServiceError(
      'InternalError',
      `cannot write ${file}: ${messageOf(error)}`,
      {},
      { cause: error },
    );
  }
}

/** The service gives `xsvc` to a plugin wherever it lies; editors look for its types as for those of any package. */
function typesFrom(directory: string): string | undefined {
  try {
    createRequire(path.join(directory, 'index.js')).resolve('xsvc/package.json');
    return undefined;
  } catch {
    const types = fileURLToPath(new URL('../../../dist/index.d.ts', import.meta.url));
    return path.relative(directory, types).split(path.sep).join('/');
  }
}
