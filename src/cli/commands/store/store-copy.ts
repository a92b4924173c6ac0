import path from 'node:path';
import type { Command } from 'commander';
import type { StorePlace } from '../../../admin/store-copy.js';
import { EXIT, UsageError } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { counted } from '../../output/counted.js';
import { anyStore, loadConfig, type GlobalFlags } from '../../session.js';
import { examples, type CommandContext } from '../shared.js';

interface Flags extends GlobalFlags {
  readonly from: string;
  readonly to: string;
  readonly force?: boolean;
}

export function defineStoreCopy(command: Command, context: CommandContext): void {
  command
    .description('Copy a whole store to another place, so that clients can continue there')
    .requiredOption('--from <store>', 'lmdb:DIR, postgres://USER@HOST/DATABASE or etcd://HOST,HOST/PREFIX')
    .requiredOption('--to <store>', 'target in the same form; it must be empty')
    .option('--force', 'replace an existing store')
    .action(async (_flags: unknown, self: Command) => {
      context.exitCode = await copy(self.optsWithGlobals<Flags>(), context.io);
    });
  command.addHelpText(
    'after',
    [
      '',
      'The copy has the same objects, uids, revisions, log and tokens; it is read back and compared.',
      'Neither store may be open meanwhile: stop the daemons first.',
    ].join('\n'),
  );
  examples(command, [
    'xsvc store copy --from lmdb:/var/lib/xsvc --to postgres://xsvc@db.example.com/xsvc?sslmode=verify-full',
    'xsvc store copy --from postgres://xsvc@db.example.com/xsvc?sslmode=verify-full --to lmdb:./copy',
    'xsvc store copy --from lmdb:/var/lib/xsvc --to etcd://node-1,node-2,node-3/xsvc',
  ]);
}

async function copy({ from, to, force = false, ...flags }: Flags, io: CliIo): Promise<number> {
  const { storeTimeoutMs: timeoutMs } = await loadConfig(flags, io, anyStore);
  const [source, target] = [await getPlace(from, '--from', io), await getPlace(to, '--to', io)];
  const { copyStore } = await import('../../../admin/store-copy.js');
  const reported = new Set<string>();
  const warn = (message: string): void => {
    // Each store is opened more than once.
    if (!reported.has(message)) io.stderr.write(`warning: ${message}\n`);
    reported.add(message);
  };
  const { pairs, sha256 } = await copyStore(source, target, { force, timeoutMs, warn });
  io.stdout.write(`copied ${counted(pairs, 'key')}, the same on both sides (SHA-256 ${sha256})\n`);
  return EXIT.done;
}

async function getPlace(text: string, flag: string, io: CliIo): Promise<StorePlace> {
  const { ConfigError, parseStore } = await import('../../../config.js');
  try {
    const store = parseStore(text, flag);
    return typeof store === 'string' ? { directory: path.resolve(io.cwd, store) } : store;
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
}
