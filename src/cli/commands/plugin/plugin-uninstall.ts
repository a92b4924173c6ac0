import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDirectories } from '../../../lib/make-directories.js';
import { conflict } from '../../../errors.js';
import { getApiVersion, type Resource } from '../../../model/resource.js';
import type { PluginManager, PluginState } from '../../../plugin/manager.js';
import { unknownPlugin } from '../../../plugin/unknown-plugin.js';
import type { Verbs } from '../../../service/verbs.js';
import { EXIT, UsageError } from '../../exit.js';
import { confirm } from '../../input/confirm.js';
import type { CliIo } from '../../io.js';
import { getManifest } from '../../output/manifest.js';
import { exported } from '../../transfer/last-migration.js';
import { writeWhole } from '../../transfer/write-whole.js';
import { Progress } from '../../output/progress.js';
import { refuseServer, reportUnusedServer } from '../../remote/remote.js';
import { loadConfig, openCommandLog } from '../../session.js';
import { findOwnModel, PLUGINS } from '../../model/plugins.js';
import { command } from '../../command.js';
import { text, toggle, type CommandFlags } from '../../flags.js';
import { YES } from '../shared.js';

/** The handling of the plugin's objects. */
type Fate =
  | { readonly kind: 'keep' }
  | { readonly kind: 'purge' }
  | { readonly kind: 'export'; readonly directory: string };

/** The time for a daemon to notice that a plugin was switched off, which takes up to a second, and to stop it. */
const DAEMON_WAIT_MS = 3_000;
const DAEMON_POLL_MS = 50;
/** The limit of parallel deletes: commits that run together share the wait for the disk. */
const CONCURRENT_MAX = 64;

const FLAGS = {
  keep: toggle('keep its objects in the store'),
  export: text('<dir>', 'write its objects to files in this directory, and remove them from the store'),
  purge: toggle('remove its objects'),
  ...YES,
};
type Flags = CommandFlags<typeof FLAGS>;

export const pluginUninstall = command({
  description: 'Stop a plugin permanently, and keep, export or remove its objects',
  args: { '<name>': 'name of the plugin' },
  flags: FLAGS,
  examples: ['xsvc plugin uninstall person --keep', 'xsvc plugin uninstall person --export ./persons --yes'],
  run: uninstall,
});

async function uninstall(flags: Flags, io: CliIo, [name = '']: readonly string[]): Promise<number> {
  refuseServer(flags, "uninstall works on the store, where the plugin's files are; use --data-dir");
  const fate = parseFate(flags, io);
  const config = await loadConfig(flags, io);
  await reportUnusedServer('plugin uninstall', flags, config, io);
  const logger = await openCommandLog(flags, io);
  const { openPluginStore } = await import('../../../daemon/offline/plugin-store.js');
  const { service, manager } = await openPluginStore(config, logger, name);
  try {
    const resources = getModels(getPlugin(manager, name), fate);
    manager.checkUnneeded(name);
    const counts = await Promise.all(
      resources.map(async (resource) => ({
        resource,
        count: (await service.list(resource, { size: 1 })).total,
      })),
    );
    for (const line of preview(name, counts, fate)) io.stderr.line(line);
    if (!(await confirm(io, `Uninstall plugin "${name}"?`, flags.yes === true))) {
      io.stderr.line('nothing was changed');
      return EXIT.failed;
    }
    // First of all steps, so that nothing is written between the export and the removal.
    await switchOff(service, name, io);
    if (fate.kind === 'export')
      for (const { resource } of counts) await exportAll(service, resource, fate.directory, io);
    await manager.uninstall(name);
    // Its models are closed now; their data is deleted like that of any removed plugin.
    service.models.openStored();
    if (fate.kind !== 'keep')
      for (const { resource, count } of counts) await purge(service, resource, count, io);
    io.stdout.line(`plugins/${name} uninstalled`);
    return EXIT.done;
  } finally {
    await service.close();
  }
}

function parseFate({ keep, purge: gone, export: directory }: Flags, io: CliIo): Fate {
  if ([keep, gone, directory].filter((flag) => flag !== undefined).length !== 1) {
    throw new UsageError('choose what happens to the objects of the plugin: --keep, --export DIR or --purge');
  }
  if (directory !== undefined) return { kind: 'export', directory: path.resolve(io.cwd, directory) };
  return { kind: keep === true ? 'keep' : 'purge' };
}

function getPlugin(manager: PluginManager, name: string): PluginState {
  const plugin = manager.find(name);
  if (plugin === undefined)
    throw unknownPlugin(
      name,
      manager.plugins.map((known) => known.name),
    );
  return plugin;
}

/** The plugin's models are only known while its code runs. */
function getModels(plugin: PluginState, fate: Fate): readonly Resource[] {
  if (plugin.running !== undefined) return plugin.running.schemes.map(({ resource }) => resource);
  if (fate.kind === 'keep') return [];
  const { phase, message = 'reason unknown' } = plugin.status;
  throw conflict(
    `plugin "${plugin.name}" is ${phase} (${message}), so its models are unknown; ` +
      'use --keep, and delete its objects model by model',
  );
}

function preview(
  name: string,
  counts: readonly { resource: Resource; count: number }[],
  fate: Fate,
): string[] {
  const verb = {
    keep: 'would stay in the store',
    purge: 'would be removed, whatever finalizers they have',
    export: `would be written to ${fate.kind === 'export' ? fate.directory : ''} and removed`,
  }[fate.kind];
  const lines = counts.map(
    ({ resource, count }) =>
      `  ${resource.plural}.${getApiVersion(resource)}: ${count} object${count === 1 ? '' : 's'} ${verb}`,
  );
  const head = `plugin "${name}" would be stopped and disabled, and its delete() called`;
  return [head, ...(lines.length === 0 ? ['  its models are unknown'] : lines)];
}

async function exportAll(verbs: Verbs, resource: Resource, directory: string, io: CliIo): Promise<void> {
  const { formatYaml } = await import('../../../lib/json/yaml.js');
  const documents = async function* (): AsyncGenerator<string> {
    for await (const object of verbs.listAll(resource))
      yield `---\n${formatYaml(getManifest(exported(resource, object)))}`;
  };
  await makeDirectories(directory);
  const file = path.join(directory, `${resource.plural}.${resource.group}.${resource.version}.yaml`);
  await writeWhole(file, documents());
  io.stderr.line(`wrote ${file}`);
}

/** The stored choice remains after this command; a daemon on the same store stops the plugin when it reads it. */
async function switchOff(verbs: Verbs, name: string, io: CliIo): Promise<void> {
  const plugins = await findOwnModel(verbs, PLUGINS);
  if (plugins === undefined) return;
  const [stored] = await verbs.getMany(plugins, [name]);
  if (stored === undefined) {
    await verbs.create(plugins, { metadata: { name }, spec: { enabled: false } });
    return;
  }
  await verbs.patch(plugins, name, { spec: { enabled: false } }, 'merge', { fieldValidation: 'Ignore' });
  const until = performance.now() + DAEMON_WAIT_MS;
  while (getPhase(stored) !== 'DISABLED' && performance.now() < until) {
    await sleep(DAEMON_POLL_MS);
    const [now] = await verbs.getMany(plugins, [name]);
    if (now === undefined || getPhase(now) === 'DISABLED') return;
  }
  if (getPhase(stored) !== 'DISABLED') {
    io.stderr.line('no daemon has stopped the plugin; if a daemon serves this store, stop it');
  }
}

function getPhase({ status }: { readonly status?: unknown }): unknown {
  return typeof status === 'object' && status !== null && 'phase' in status ? status.phase : undefined;
}

async function purge(verbs: Verbs, resource: Resource, count: number, io: CliIo): Promise<void> {
  const progress = new Progress(io.stderr, 'removed', count);
  let done = 0;
  let names: string[] = [];
  const flush = async (): Promise<void> => {
    await Promise.all(names.map((name) => verbs.delete(resource, name, { forceFinalizers: true })));
    done += names.length;
    names = [];
    progress.show(done);
  };
  for await (const { metadata } of verbs.listAll(resource)) {
    names.push(metadata.name);
    if (names.length === CONCURRENT_MAX) await flush();
  }
  await flush();
  progress.clear();
  io.stderr.line(`removed ${done} ${resource.plural}`);
}
