import path from 'node:path';
import type { Command } from 'commander';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { counted, sizeText } from '../../output/counted.js';
import { loadConfig, findRemote, type GlobalFlags } from '../../session.js';
import type { CopyFacts } from '../../../admin/backup-file.js';
import { examples, type CommandContext } from '../shared.js';

interface Flags extends GlobalFlags {
  readonly force?: boolean;
}

export function define(command: Command, context: CommandContext): void {
  command
    .argument('<target>', 'the backup file to create')
    .option('--force', 'replace an existing backup')
    .action(async (target: string, _flags: unknown, self: Command) => {
      context.exitCode = await backup(target, self.optsWithGlobals<Flags>(), context.io);
    });
  command.addHelpText(
    'after',
    [
      '',
      'Writes a consistent snapshot of the store to one file with its SHA-256, while daemons continue to write.',
      'The copy is opened and checked before it gets its name. With --server the server creates and sends it, which needs',
      'the right to create backups in api.platform.run. Restore it with xsvc restore.',
    ].join('\n'),
  );
  examples(command, [
    'xsvc backup ./backups/monday',
    'xsvc backup latest --force --data-dir /var/lib/xsvc',
    'xsvc backup latest --force --server https://xsvc.example.com:8090',
  ]);
}

async function backup(target: string, flags: Flags, io: CliIo): Promise<number> {
  const facts = await make(path.resolve(io.cwd, target), flags, io);
  io.stdout.write(
    `backed up ${counted(facts.objects, 'object')} of ${counted(facts.models, 'model')} to ${target} ` +
      `(${sizeText(facts.bytes)}, revision ${facts.revision})\n`,
  );
  return EXIT.done;
}

async function make(target: string, flags: Flags, io: CliIo): Promise<CopyFacts> {
  const force = flags.force === true;
  const remote = findRemote(flags, io.env);
  const { backUpStore, receiveFrom } = await import('../../../admin/backup.js');
  if (remote === undefined) return backUpStore((await loadConfig(flags, io)).dataDir, target, { force });
  const { remoteBackup } = await import('../../../client/http-verbs.js');
  const { url, token } = remote;
  const parts = remoteBackup(url, token === undefined ? {} : { token });
  return receiveFrom(url, parts, target, { force });
}
