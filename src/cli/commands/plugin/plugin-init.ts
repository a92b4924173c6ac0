import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { conflict } from '../../../errors.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { linkUnlessInstalled, writeFiles } from '../../scaffold/files.js';
import { scaffoldNames } from '../../scaffold/names.js';
import { pluginFiles } from '../../scaffold/plugin.js';
import { anyStore, loadConfig } from '../../session.js';
import { command } from '../../command.js';
import { text, toggle, type CommandFlags } from '../../flags.js';

const FLAGS = {
  dir: text('<dir>', 'where to create it; default: NAME in the plugin directory'),
  group: text('<group>', 'group of its model; default: NAME.example.com'),
  kind: text('<Kind>', 'kind of its model, such as Service; default: from NAME'),
  js: toggle('use plain JavaScript'),
};

export const pluginInit = command({
  description: 'Create a plugin that is ready to run: a model, indexes, a controller, an endpoint, a test',
  args: { '<name>': 'name of the plugin' },
  flags: FLAGS,
  examples: [
    'xsvc plugin init note',
    'xsvc plugin init catalog --kind Service',
    'xsvc plugin init note --js --dir ./note --group notes.example.org',
  ],
  run: init,
});

async function init(
  flags: CommandFlags<typeof FLAGS>,
  io: CliIo,
  [name = '']: readonly string[],
): Promise<number> {
  const names = scaffoldNames(name, flags.group, flags.kind);
  const { plugins } = await loadConfig(flags, io, anyStore);
  const shown =
    flags.dir ?? path.relative(io.cwd, path.join(path.resolve(io.cwd, plugins[0] ?? 'plugins'), name));
  const directory = path.resolve(io.cwd, shown);
  if ((await readdir(directory).catch(() => [])).length > 0) {
    throw conflict(`the directory ${shown} is not empty; choose another one with --dir`);
  }
  const files = await pluginFiles(names, flags.js === true ? 'javascript' : 'typescript', directory);
  await writeFiles(directory, files, (file) => io.stdout.line(`${path.join(shown, file)} created`));
  await linkUnlessInstalled(directory);
  if (flags.kind !== undefined)
    io.stderr.line(`its model is ${names.kind}, in lists ${names.plural}; to change that, edit @GVK`);
  io.stderr.line(`start it with: xsvc serve --plugins ${shown}`);
  return EXIT.done;
}
