import path from 'node:path';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { counted, sizeText } from '../../output/counted.js';
import { findRemote } from '../../remote/remote.js';
import { loadConfig } from '../../session.js';
import type { CopyFacts } from '../../../admin/backup-file.js';
import { command } from '../../command.js';
import { toggle, type CommandFlags } from '../../flags.js';

const FLAGS = { force: toggle('replace an existing backup') };
type Flags = CommandFlags<typeof FLAGS>;

export const define = command({
  args: { '<target>': 'the backup file to create' },
  flags: FLAGS,
  notes: [
    'Writes a consistent snapshot of the store to one file with its SHA-256, while daemons continue to write.',
    'The copy is opened and checked before it gets its name. With --server the server creates and sends it, which needs',
    'the right to create backups in api.platform.run. Restore it with xsvc restore.',
  ],
  examples: [
    'xsvc backup ./backups/monday',
    'xsvc backup latest --force --data-dir /var/lib/xsvc',
    'xsvc backup latest --force --server https://xsvc.example.com:8090',
  ],
  run: backup,
});

async function backup(flags: Flags, io: CliIo, [target = '']: readonly string[]): Promise<number> {
  const facts = await make(path.resolve(io.cwd, target), flags, io);
  io.stdout.line(
    `backed up ${counted(facts.objects, 'object')} of ${counted(facts.models, 'model')} to ${target} ` +
      `(${sizeText(facts.bytes)}, revision ${facts.revision})`,
  );
  return EXIT.done;
}

async function make(target: string, flags: Flags, io: CliIo): Promise<CopyFacts> {
  const force = flags.force === true;
  const remote = await findRemote(flags, io);
  const { backUpStore, receiveFrom } = await import('../../../admin/backup.js');
  if (remote === undefined) return backUpStore((await loadConfig(flags, io)).dataDir, target, { force });
  const { remoteBackup } = await import('../../../client/whole-store.js');
  return receiveFrom(remote.url, remoteBackup(remote.url, remote), target, { force });
}
