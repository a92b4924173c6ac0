import path from 'node:path';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { counted, sizeText } from '../../output/counted.js';
import { storeConfig } from '../../session.js';
import { command } from '../../command.js';
import { toggle, type CommandFlags } from '../../flags.js';

const FLAGS = { force: toggle('replace an existing store') };

export const define = command({
  args: { '<backup>': 'the file written by xsvc backup' },
  flags: FLAGS,
  notes: [
    'The backup is compared with its SHA-256, copied and checked, and then replaces the store',
    'in one step. The store must not be open meanwhile: stop the daemon first.',
  ],
  examples: [
    'xsvc restore ./backups/monday --data-dir ./restored',
    'xsvc restore latest --force --data-dir /var/lib/xsvc',
  ],
  run: restore,
});

async function restore(
  flags: CommandFlags<typeof FLAGS>,
  io: CliIo,
  [from = '']: readonly string[],
): Promise<number> {
  const { dataDir } = await storeConfig('restore', flags, io);
  const { restoreStore } = await import('../../../admin/backup.js');
  const facts = await restoreStore(path.resolve(io.cwd, from), dataDir, { force: flags.force === true });
  io.stdout.line(
    `restored ${counted(facts.objects, 'object')} of ${counted(facts.models, 'model')} to ${dataDir} ` +
      `(${sizeText(facts.bytes)}, revision ${facts.revision})`,
  );
  return EXIT.done;
}
