import type { ExtensionObject } from '../../../model/object.js';
import type { Resource } from '../../../model/resource.js';
import { unknownPlugin } from '../../../plugin/unknown-plugin.js';
import type { Verbs } from '../../../service/verbs.js';
import type { CliIo } from '../../io.js';
import { Failures } from '../../results.js';
import { findRemote } from '../../remote/remote.js';
import { openForWriting, withVerbs } from '../../session.js';
import { findOwnModel, PLUGINS } from '../../model/plugins.js';
import { installedPlugins } from './plugin-shared.js';
import { command } from '../../command.js';
import type { GlobalFlags } from '../../flags.js';

export const pluginEnable = command({
  description: 'Enable plugins; a running daemon starts them',
  args: { '<names...>': 'names of plugins' },
  examples: ['xsvc plugin enable person'],
  run: (flags, io, names) => switchAll(names, true, flags, io),
});

export const pluginDisable = command({
  description: 'Disable plugins; a running daemon stops them',
  args: { '<names...>': 'names of plugins' },
  examples: ['xsvc plugin disable person'],
  run: (flags, io, names) => switchAll(names, false, flags, io),
});

async function switchAll(
  names: readonly string[],
  enabled: boolean,
  flags: GlobalFlags,
  io: CliIo,
): Promise<number> {
  return withVerbs(openForWriting(flags, io), async (verbs) => {
    const failures = new Failures(io, flags);
    const plugins = await findOwnModel(verbs, PLUGINS);
    if (plugins === undefined) throw unknownPlugin(names[0] ?? '', []);
    const readInstalled = async (): Promise<readonly ExtensionObject[]> =>
      (await findRemote(flags, io)) === undefined ? installedPlugins(flags, io) : [];
    for (const name of names)
      await failures.attempt(async () => {
        const changed = await new Switch(verbs, plugins, readInstalled).set(name, enabled);
        const said = `${enabled ? 'enabled' : 'disabled'}${changed ? '' : ' already'}`;
        io.stdout.line(`plugins/${name} ${said}`);
      });
    return failures.exitCode;
  });
}

class Switch {
  constructor(
    private readonly verbs: Verbs,
    private readonly plugins: Resource,
    private readonly readInstalled: () => Promise<readonly ExtensionObject[]>,
  ) {}

  /** @returns true when this changed the object */
  async set(name: string, enabled: boolean): Promise<boolean> {
    const { verbs, plugins } = this;
    const [stored] = await verbs.getMany(plugins, [name]);
    if (stored !== undefined) {
      const options = { fieldValidation: 'Ignore' } as const;
      const { changed, object } = await verbs.patch(plugins, name, { spec: { enabled } }, 'merge', options);
      return changed && object.metadata.resourceVersion !== stored.metadata.resourceVersion;
    }
    const installed = await this.readInstalled();
    const known = (await verbs.list(plugins)).items;
    const found = installed.find(({ metadata }) => metadata.name === name);
    if (found === undefined) {
      const names = [...known, ...installed].map(({ metadata }) => metadata.name);
      throw unknownPlugin(name, [...new Set(names)].sort());
    }
    await verbs.create(plugins, { metadata: { name }, spec: { ...(found.spec as object), enabled } });
    return true;
  }
}
