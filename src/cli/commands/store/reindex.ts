import { unavailable } from '../../../errors.js';
import { resolveResource } from '../../../model/resolve-resource.js';
import type { Table } from '../../../store/table.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { counted } from '../../output/counted.js';
import { Progress } from '../../output/progress.js';
import { openCommandLog, existingStore } from '../../session.js';
import { command } from '../../command.js';
import type { GlobalFlags } from '../../flags.js';

export const define = command({
  args: { '[resources...]': 'plurals, singulars, kinds or short names; without any, all models' },
  notes: [
    'Rebuilds the declared indexes from the objects. This repairs index entries that xsvc check reports.',
    'A daemon can continue to serve; lists and writes of a model are rejected (503) while its',
    'indexes are rebuilt.',
  ],
  examples: ['xsvc reindex', 'xsvc reindex persons packages'],
  run: reindex,
});

async function reindex(flags: GlobalFlags, io: CliIo, names: readonly string[]): Promise<number> {
  const config = await existingStore('reindex', flags, io);
  const logger = await openCommandLog(flags, io);
  const { openWriter } = await import('../../../daemon/offline/plugin-store.js');
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
      io.stdout.line(`${resource.plural} reindexed: ${counted(objects, 'object')}, ${indexes}`);
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
    io.stderr.line(`${resource.plural} not reindexed: ${message}`);
    return false;
  });
}
