import type { Command } from 'commander';
import { unavailable } from '../../../errors.js';
import { resolveResource } from '../../../model/resolve-resource.js';
import type { Table } from '../../../store/table.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { openLineLog } from '../../logging.js';
import { counted } from '../../output/counted.js';
import { Progress } from '../../output/progress.js';
import { openForReading, type GlobalFlags } from '../../session.js';
import { examples, type CommandContext } from '../shared.js';
import { storeConfig } from './store-only.js';

export function define(command: Command, context: CommandContext): void {
  command
    .argument('[resources...]', 'plurals, singulars, kinds or short names; without any, all models')
    .action(async (names: readonly string[], _flags: unknown, self: Command) => {
      context.exitCode = await reindex(names, self.optsWithGlobals<GlobalFlags>(), context.io);
    });
  command.addHelpText(
    'after',
    [
      '',
      'Rebuilds the declared indexes from the objects. This repairs index entries that xsvc check reports.',
      'A daemon can continue to serve; lists and writes of a model are rejected (503) while its',
      'indexes are rebuilt.',
    ].join('\n'),
  );
  examples(command, ['xsvc reindex', 'xsvc reindex persons packages']);
}

async function reindex(names: readonly string[], flags: GlobalFlags, io: CliIo): Promise<number> {
  const config = await storeConfig('reindex', flags, io);
  const { server: _, ...onStore } = flags;
  // Before any write: a directory without a store must not get one.
  await (await openForReading({ ...onStore, dataDir: config.dataDir }, io)).close();
  const logger = await openLineLog(io, flags.verbose === true ? 'debug' : 'warn');
  const { openWriter } = await import('../../../daemon/app.js');
  const service = await openWriter(config, logger);
  try {
    const { store, models } = service;
    for (const table of chosen(store.allTables(), names, io)) {
      const { scheme, resource } = table;
      if (scheme === undefined) continue;
      let progress: Progress | undefined;
      let objects = 0;
      await models.lifecycle.reindex(scheme, ({ done, total }) => {
        progress ??= new Progress(io.stderr, `${resource.plural}: indexed`, total);
        progress.show(done);
        objects = done;
      });
      progress?.clear();
      const indexes = counted(table.indexes.length, 'index');
      io.stdout.write(`${resource.plural} reindexed: ${counted(objects, 'object')}, ${indexes}\n`);
    }
    return EXIT.done;
  } finally {
    await service.close();
  }
}

/** Index functions are code: a model whose plugin is not loaded keeps its indexes. */
function chosen(tables: readonly Table[], names: readonly string[], io: CliIo): readonly Table[] {
  const resources = tables.map(({ resource }) => resource);
  const named = new Set(names.map((name) => resolveResource(resources, name)));
  return tables.filter(({ resource, scheme }) => {
    if (named.size > 0 && !named.has(resource)) return false;
    if (scheme !== undefined) return true;
    const message = `the plugin that declares ${resource.kind} is not loaded`;
    if (named.size > 0) throw unavailable(`${message}, so its indexes cannot be built`);
    io.stderr.write(`${resource.plural} not reindexed: ${message}\n`);
    return false;
  });
}
