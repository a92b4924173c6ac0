import path from 'node:path';
import type { Command } from 'commander';
import { EXIT } from '../exit.js';
import type { CliIo } from '../io.js';
import { counted, sizeText } from '../output/counted.js';
import type { GlobalFlags } from '../session.js';
import { examples, type CommandContext } from './shared.js';
import { storeConfig } from './store-only.js';

interface Flags extends GlobalFlags {
  readonly force?: boolean;
}

export function define(command: Command, context: CommandContext): void {
  command
    .argument('<target>', 'a new directory, or a file that ends in .mdb')
    .option('--force', 'replace the backup that is there')
    .action(async (target: string, _flags: unknown, self: Command) => {
      context.exitCode = await backup(target, self.optsWithGlobals<Flags>(), context.io);
    });
  command.addHelpText(
    'after',
    [
      '',
      'All that was stored at one moment, while daemons and others go on writing. The copy is opened and checked',
      'before it gets its name. xsvc restore brings it back.',
    ].join('\n'),
  );
  examples(command, [
    'xsvc backup ./backups/monday',
    'xsvc backup latest.mdb --force --data-dir /var/lib/xsvc',
  ]);
}

async function backup(target: string, flags: Flags, io: CliIo): Promise<number> {
  const { dataDir } = await storeConfig('backup', flags, io);
  const { backUpStore } = await import('../../wiring/backup.js');
  const facts = await backUpStore(dataDir, path.resolve(io.cwd, target), { force: flags.force === true });
  io.stdout.write(
    `backed up ${counted(facts.objects, 'object')} of ${counted(facts.models, 'model')} to ${target} ` +
      `(${sizeText(facts.bytes)}, revision ${facts.revision})\n`,
  );
  return EXIT.done;
}
