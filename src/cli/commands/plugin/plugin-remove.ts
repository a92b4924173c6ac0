import path from 'node:path';
import { conflict } from '../../../errors.js';
import { isRecord } from '../../../lib/json/json.js';
import { getDependencies } from '../../../plugin/order.js';
import { unknownPlugin } from '../../../plugin/unknown-plugin.js';
import type { Config } from '../../../config.js';
import { EXIT } from '../../exit.js';
import { confirm } from '../../input/confirm.js';
import type { CliIo } from '../../io.js';
import { escapeControls } from '../../output/escape.js';
import { refuseServer } from '../../remote/remote.js';
import { anyStore, loadConfig, openForReading, withVerbs } from '../../session.js';
import { command } from '../../command.js';
import type { CommandFlags } from '../../flags.js';
import { YES } from '../shared.js';
import { findPlugins } from './plugin-shared.js';

export const pluginRemove = command({
  description:
    'Remove the files of a plugin. Its objects stay in the store; uninstall can remove or export them first.',
  args: { '<name>': 'name of the plugin' },
  flags: { ...YES },
  examples: [
    'xsvc plugin remove note',
    'xsvc plugin uninstall note --export ./notes && xsvc plugin remove note --yes',
  ],
  run: remove,
});

async function remove(
  flags: CommandFlags<typeof YES>,
  io: CliIo,
  [name = '']: readonly string[],
): Promise<number> {
  refuseServer(flags, 'remove works on the plugin directory; run it on the machine of the service');
  const config = await loadConfig(flags, io, anyStore);
  const { discover } = await import('../../../daemon/core.js');
  const { plugins, broken } = await discover(config);
  const known = [...plugins, ...broken];
  const plugin = known.find((one) => one.name === name);
  if (plugin === undefined)
    throw unknownPlugin(
      name,
      known.map((one) => one.name),
    );
  const needing = plugins.filter((one) => getDependencies(one).includes(name)).map((one) => `"${one.name}"`);
  if (needing.length > 0)
    throw conflict(`plugin "${name}" is needed by ${needing.join(', ')}; remove them first`);
  const { directory } = plugin;
  if (config.plugins.some((one) => path.resolve(io.cwd, one) === directory))
    throw conflict(`${directory} is named by --plugins itself; remove it from there, and then the directory`);
  io.stderr.write(`${directory} would be removed\n${await stayingText(name, config, flags, io)}`);
  if (!(await confirm(io, `Remove plugin "${name}"?`, flags.yes === true))) {
    io.stderr.write('nothing was changed\n');
    return EXIT.failed;
  }
  const { refuseLeftovers, removeDirectory } = await import('../../install/place.js');
  await refuseLeftovers(path.dirname(directory));
  await removeDirectory(path.dirname(directory), directory);
  io.stdout.write(`plugins/${name} removed\n`);
  return EXIT.done;
}

/** Lines about the models of a plugin whose objects stay, as its last start has counted them. */
async function stayingText(
  name: string,
  { dataDir, shared }: Config,
  flags: CommandFlags<typeof YES>,
  io: CliIo,
): Promise<string> {
  const { lmdbExists } = await import('../../../engines/lmdb/files.js');
  const unknown = '  its models are unknown here; objects stay in the store\n';
  if (shared !== undefined || !lmdbExists(dataDir)) return unknown;
  return withVerbs(openForReading({ ...flags, dataDir }, io), async (verbs) => {
    const resource = await findPlugins(verbs);
    const [stored] = resource === undefined ? [] : await verbs.getMany(resource, [name]);
    const status = stored?.status;
    const models = isRecord(status) && Array.isArray(status.models) ? status.models.filter(isRecord) : [];
    if (stored === undefined) return unknown;
    const resources = await verbs.resources();
    const lines = await Promise.all(
      models.map(async ({ plural, group }) => {
        const model = resources.find((one) => one.plural === plural && one.group === group);
        const count = model === undefined ? 0 : (await verbs.list(model, { size: 1 })).total;
        const shown = escapeControls(`${String(plural)}.${String(group)}`);
        return `  ${shown}: ${count} object${count === 1 ? '' : 's'} would stay in the store\n`;
      }),
    );
    return lines.join('') || '  it has no models\n';
  });
}
