import path from 'node:path';
import type { Command } from 'commander';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { counted, sizeText } from '../../output/counted.js';
import type { GlobalFlags } from '../../session.js';
import { examples, type CommandContext } from '../shared.js';
import { storeConfig } from './store-only.js';

interface Flags extends GlobalFlags {
  readonly force?: boolean;
}

export function define(command: Command, context: CommandContext): void {
  command
    .argument('<backup>', 'the file written by xsvc backup')
    .option('--force', 'replace an existing store')
    .action(async (from: string, _flags: unknown, self: Command) => {
      context.exitCode = await restore(from, self.optsWithGlobals<Flags>(), context.io);
    });
  command.addHelpText(
    'after',
    [
      '',
      'The backup is compared with its SHA-256, copied and checked, and then replaces the store',
      'in one step. The store must not be open meanwhile: stop the daemon first.',
    ].join('\n'),
  );
  examples(command, [
    'xsvc restore ./backups/monday --data-dir ./restored',
    'xsvc restore latest --force --data-dir /var/lib/xsvc',
  ]);
}

async function restore(from: string, flags: Flags, io: CliIo): Promise<number> {
  const { dataDir } = await storeConfig('restore', flags, io);
  const { restoreStore } = await import('../../../admin/backup.js');
  const facts = await restoreStore(path.resolve(io.cwd, from), dataDir, { force: flags.force === true });
  io.stdout.write(
    `restored ${counted(facts.objects, 'object')} of ${counted(facts.models, 'model')} to ${dataDir} ` +
      `(${sizeText(facts.bytes)}, revision ${facts.revision})\n`,
  );
  return EXIT.done;
}
