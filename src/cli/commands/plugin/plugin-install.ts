import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { conflict, ServiceError } from '../../../errors.js';
import { isRecord } from '../../../lib/json/json.js';
import type { PluginSource } from '../../../plugin/discover.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { escapeControls } from '../../output/escape.js';
import { refuseServer } from '../../remote/remote.js';
import { anyStore, loadConfig } from '../../session.js';
import { command } from '../../command.js';
import { text, toggle, type CommandFlags } from '../../flags.js';

const FLAGS = {
  force: toggle('replace an installed plugin of this name'),
  sha256: text('<digits>', 'SHA-256 of the archive at a URL'),
};

export const pluginInstall = command({
  description:
    'Copy a plugin into the plugin directory, from a directory, a .tgz, an https URL of one, or a package of npm. Nothing of it runs.',
  args: { '<source>': 'directory, file, URL, or name of a package with an optional version' },
  flags: FLAGS,
  examples: [
    'xsvc plugin install ./note-1.0.0.tgz',
    'xsvc plugin install @example/xsvc-note@1.2.0 --plugins /srv/plugins',
    'xsvc plugin install ../note --force',
  ],
  run: install,
});

async function install(
  { force: replaces = false, sha256, ...flags }: CommandFlags<typeof FLAGS>,
  io: CliIo,
  [source = '']: readonly string[],
): Promise<number> {
  refuseServer(flags, 'install writes into the plugin directory; run it on the machine of the service');
  const config = await loadConfig(flags, io, anyStore);
  const { readSource } = await import('../../install/source.js');
  const { checkPluginDirectory, moveInto, refuseLeftovers, withStaged } =
    await import('../../install/place.js');
  const plugins = path.resolve(io.cwd, config.plugins[0] ?? 'plugins');
  await checkPluginDirectory(plugins);
  await refuseLeftovers(plugins);
  const files = await readSource(source, { cwd: io.cwd, sha256 });
  await withStaged(plugins, files, async (staged) => {
    const plugin = await checkStaged(staged);
    const { name, manifest } = plugin;
    const target = path.join(plugins, name);
    await refuseTaken(target, name, replaces);
    const missing = await missingPackages(staged);
    await moveInto(staged, target);
    io.stdout.write(
      `plugins/${name} ${manifest.spec.version} installed in ${path.relative(io.cwd, target)}\n`,
    );
    if (missing.length > 0)
      io.stderr.write(
        `it needs packages (${escapeControls(missing.join(', '))}): (cd ${target} && npm install --omit=dev --ignore-scripts)\n`,
      );
  });
  io.stderr.write('a service with --watch loads it now; others load it at their next start\n');
  return EXIT.done;

  async function refuseTaken(target: string, name: string, isReplaced: boolean): Promise<void> {
    const { discover } = await import('../../../daemon/core.js');
    const { plugins: installed, broken } = await discover(config);
    const other = [...installed, ...broken].find((one) => one.name === name);
    if (other !== undefined && other.directory !== target)
      throw conflict(`plugin "${name}" is installed in ${other.directory}; remove it first`);
    const isThere = (await stat(target).catch(() => undefined)) !== undefined;
    if (isThere && !isReplaced) throw conflict(`${target} exists; --force replaces it`);
  }
}

/** @throws ServiceError `Invalid` for a manifest with errors, or without a main module */
async function checkStaged(directory: string): Promise<PluginSource> {
  const { readManifest } = await import('../../../plugin/manifest/manifest.js');
  const { findMain } = await import('../../../plugin/load.js');
  const { ownVersion } = await import('../../../version.js');
  try {
    const manifest = await readManifest(directory, ownVersion());
    const plugin = { name: manifest.metadata.name, directory, manifest };
    await findMain(plugin);
    return plugin;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The directory is removed, so its name helps nobody.
    const message = error.message.replaceAll(directory + path.sep, '').replaceAll(directory, 'the plugin');
    throw new ServiceError(error.code, message, error.details);
  }
}

/** The packages that the plugin needs, and that neither it nor the service contains. */
async function missingPackages(directory: string): Promise<readonly string[]> {
  const manifest = await readFile(path.join(directory, 'package.json'), 'utf8').catch(() => '{}');
  let dependencies: unknown;
  try {
    const read: unknown = JSON.parse(manifest);
    dependencies = isRecord(read) ? read.dependencies : undefined;
  } catch {
    // The plugin works without it.
  }
  const names = Object.keys(isRecord(dependencies) ? dependencies : {}).filter(
    (name) => name !== 'xsvc' && name !== 'express' && !name.split('/').includes('..'),
  );
  const there = await Promise.all(
    names.map((name) => stat(path.join(directory, 'node_modules', name)).catch(() => undefined)),
  );
  return names.filter((_, i) => there[i] === undefined);
}
