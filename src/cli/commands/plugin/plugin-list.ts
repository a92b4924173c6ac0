import type { ExtensionObject } from '../../../model/object.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { printList, printRows } from '../../output/objects.js';
import { findRemote } from '../../remote/remote.js';
import { loadConfig, openForReading, withVerbs } from '../../session.js';
import { findOwnModel, PLUGINS } from '../../model/plugins.js';
import { installedPlugins } from './plugin-shared.js';
import { command } from '../../command.js';
import type { CommandFlags, GlobalFlags } from '../../flags.js';
import { TABLE } from '../shared.js';

export const pluginList = command({
  description: 'Print the plugins and their state',
  flags: TABLE,
  examples: ['xsvc plugin list', 'xsvc plugin list -o wide --server http://127.0.0.1:8090'],
  run: list,
});

async function list(flags: CommandFlags<typeof TABLE>, io: CliIo): Promise<number> {
  const known = await readKnown(flags, io);
  const found = (await findRemote(flags, io)) === undefined ? await installedPlugins(flags, io) : [];
  const names = new Set(known.map(({ metadata }) => metadata.name));
  const plugins = [...known, ...found.filter(({ metadata }) => !names.has(metadata.name))].sort((a, b) =>
    a.metadata.name < b.metadata.name ? -1 : 1,
  );
  if (flags.output === 'json' || flags.output === 'yaml') {
    const head = { apiVersion: 'plugin.platform.run/v1alpha1', kind: 'PluginList' };
    await printList(io, head, plugins, flags.output);
    return EXIT.done;
  }
  const { Plugin } = await import('../../../plugin/plugin-model.js');
  const count = await printRows(io, { plural: 'plugins', columns: Plugin.columns }, plugins, flags);
  if (count === 0) io.stderr.line('no plugins found');
  return EXIT.done;
}

/** The stored objects of plugins. A store that was never served has none. */
async function readKnown(flags: GlobalFlags, io: CliIo): Promise<readonly ExtensionObject[]> {
  if ((await findRemote(flags, io)) === undefined) {
    const { lmdbExists } = await import('../../../engines/lmdb/files.js');
    if (!lmdbExists((await loadConfig(flags, io)).dataDir)) return [];
  }
  return withVerbs(openForReading(flags, io), async (verbs) => {
    const plugins = await findOwnModel(verbs, PLUGINS);
    return plugins === undefined ? [] : (await verbs.list(plugins)).items;
  });
}
