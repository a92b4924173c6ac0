import type { StoreAccess } from '../../../admin/reader.js';
import type { Config } from '../../../config.js';
import type { UpgradePlan } from '../../../lifecycle/upgrade/upgrade.js';
import { EXIT, type ExitCode } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { counted } from '../../output/counted.js';
import { Progress } from '../../output/progress.js';
import { refuseServer, reportUnusedServer } from '../../remote/remote.js';
import { anyStore, loadConfig } from '../../session.js';
import { command } from '../../command.js';
import { toggle, type CommandFlags } from '../../flags.js';

const FLAGS = { dryRun: toggle('print the upgrades, and change nothing') };

export const storeUpgrade = command({
  description: 'Upgrade a store that an older version wrote to the format of this version',
  flags: FLAGS,
  notes: [
    'A service does the same when it starts, unless it is started with --upgrade never. Objects, uids, revisions and',
    'log stay the same. An interrupted upgrade continues with the next one. Older versions of xsvc cannot open the',
    'store afterwards, so make a backup first. Stop all daemons on the store: while one of an older version runs, the',
    'upgrade is refused with 6, like a store of a newer format.',
  ],
  examples: [
    'xsvc store upgrade --dry-run',
    'xsvc backup before-upgrade && xsvc store upgrade',
    'xsvc store upgrade --store postgres://xsvc@db.example.com/xsvc?sslmode=verify-full',
  ],
  run: upgrade,
});

async function upgrade(
  { dryRun = false, ...flags }: CommandFlags<typeof FLAGS>,
  io: CliIo,
): Promise<ExitCode> {
  refuseServer(flags, 'store upgrade works on a store, not on a server; use --data-dir or --store');
  const config = await loadConfig(flags, io, anyStore);
  await reportUnusedServer('store upgrade', flags, config, io);
  const { planStoreUpgrade, upgradeNow } = await import('../../../admin/store-upgrade.js');
  const access = getAccess(config, io);
  const plan = await planStoreUpgrade(access);
  for (const line of planLines(plan)) io.stdout.line(line);
  if (plan.steps.length === 0) return EXIT.done;
  if (dryRun) {
    io.stdout.line(getAdvice(config));
    return EXIT.done;
  }
  const progress = new Progress(io.stderr, 'upgraded', plan.objects);
  await upgradeNow({
    ...access,
    takeover: config.takeover,
    onUpgrade: ({ done }) => progress.show(done),
  }).finally(() => progress.clear());
  io.stdout.line(`upgraded ${counted(plan.objects, 'object')} of ${counted(plan.models, 'model')}`);
  return EXIT.done;
}

function getAccess({ dataDir, shared, storeTimeoutMs, leaseMs }: Config, io: CliIo): StoreAccess {
  const warn = (message: string): void => {
    io.stderr.line(`warning: ${message}`);
  };
  return { dataDir, shared, storeTimeoutMs, leaseMs, relaxed: false, warn };
}

function planLines({ format, steps, isBegun, objects, models }: UpgradePlan): readonly string[] {
  if (steps.length === 0) return [`the store has format ${format}: nothing to upgrade`];
  return [
    ...steps.map(
      ({ from, to, description }, i) =>
        `format ${from} to ${to}: ${description}${i === 0 && isBegun ? ' (begun)' : ''}`,
    ),
    `the store has ${counted(objects, 'object')} of ${counted(models, 'model')}`,
  ];
}

function getAdvice({ shared, dataDir }: Config): string {
  const backup =
    shared === undefined
      ? `xsvc backup FILE --data-dir ${dataDir}`
      : 'xsvc store copy --from STORE --to lmdb:DIRECTORY';
  return `nothing was changed; write a backup first: ${backup}`;
}
