import type { Command } from 'commander';
import type { Resource } from '../../../model/resource.js';
import { unknownPlugin } from '../../../plugin/unknown-plugin.js';
import type { Verbs } from '../../../service/verbs.js';
import type { CliIo } from '../../io.js';
import { escapeControls } from '../../output/escape.js';
import { Failures } from '../../results.js';
import { openForWriting, findRemote, withVerbs, type GlobalFlags } from '../../session.js';
import { findPlugins, installedPlugins } from './plugin-shared.js';
import { examples, type CommandContext } from '../shared.js';

export function definePluginSwitch(command: Command, context: CommandContext, enabled: boolean): void {
  const verb = enabled ? 'enable' : 'disable';
  command
    .description(
      enabled
        ? 'Enable plugins; a running daemon starts them'
        : 'Disable plugins; a running daemon stops them',
    )
    .argument('<names...>', 'names of plugins')
    .action(async (names: readonly string[], _flags: unknown, self: Command) => {
      context.exitCode = await switchAll(names, enabled, self.optsWithGlobals<GlobalFlags>(), context.io);
    });
  examples(command, [`xsvc plugin ${verb} person`]);
}

async function switchAll(
  names: readonly string[],
  enabled: boolean,
  flags: GlobalFlags,
  io: CliIo,
): Promise<number> {
  return withVerbs(openForWriting(flags, io), async (verbs) => {
    const failures = new Failures(io, flags.verbose === true);
    const plugins = await findPlugins(verbs);
    if (plugins === undefined) throw unknownPlugin(names[0] ?? '', []);
    for (const name of names) {
      try {
        const changed = await switchOne(verbs, plugins, name, enabled, flags, io);
        const said = `${enabled ? 'enabled' : 'disabled'}${changed ? '' : ' already'}`;
        io.stdout.write(`plugins/${escapeControls(name)} ${said}\n`);
      } catch (error) {
        await failures.add(error);
      }
    }
    return failures.exitCode;
  });
}

/** @returns true when this changed the object */
async function switchOne(
  verbs: Verbs,
  plugins: Resource,
  name: string,
  enabled: boolean,
  flags: GlobalFlags,
  io: CliIo,
): Promise<boolean> {
  const [stored] = await verbs.getMany(plugins, [name]);
  if (stored !== undefined) {
    const { changed, object } = await verbs.patch(plugins, name, { spec: { enabled } }, 'merge', {
      fieldValidation: 'Ignore',
    });
    return changed && object.metadata.resourceVersion !== stored.metadata.resourceVersion;
  }
  const installed = findRemote(flags, io.env) === undefined ? await installedPlugins(flags, io) : [];
  const known = (await verbs.list(plugins)).items.map(({ metadata }) => metadata.name);
  const found = installed.find(({ metadata }) => metadata.name === name);
  if (found === undefined) {
    throw unknownPlugin(
      name,
      [...new Set([...known, ...installed.map(({ metadata }) => metadata.name)])].sort(),
    );
  }
  await verbs.create(plugins, { metadata: { name }, spec: { ...(found.spec as object), enabled } });
  return true;
}
