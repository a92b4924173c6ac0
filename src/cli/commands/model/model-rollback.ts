import { NO_MIGRATION } from '../../../model/evolve/migration-stamp.js';
import type { Scheme } from '../../../model/declare/scheme.js';
import type { RollbackPlan } from '../../../lifecycle/rollback-plan.js';
import type { ModelLifecycle } from '../../../lifecycle/model-lifecycle.js';
import { EXIT, type ExitCode } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { showingChecks } from '../../model/check-progress.js';
import { getScheme, refuseServed } from '../../model/loaded.js';
import { withModels } from '../../model/open.js';
import { rollbackLines } from '../../model/rollback-text.js';
import { counted } from '../../output/counted.js';
import { Progress } from '../../output/progress.js';
import { command } from '../../command.js';
import { required, text, type CommandFlags } from '../../flags.js';
import { DRY_RUN } from '../shared.js';

const FLAGS = {
  to: required(text('<id>', `the last migration that stays applied; ${NO_MIGRATION}: undo all`)),
  ...DRY_RUN,
};

export const modelRollback = command({
  description: 'Undo migrations of a model, newest first, for a start with an older release',
  args: { '<kind>': 'kind, plural, singular or short name of the model' },
  flags: FLAGS,
  notes: [
    'Run it with the plugins of the newer release: the down of each migration is in them. It prints the plan first.',
    'All objects are checked before the first one is written; they are not checked against a schema, because that of',
    'the older release is not known: run xsvc model plan with the older plugins afterwards. Then start the older',
    'release. A start of the newer one applies the migrations again. After an interruption, run the command again, or',
    'run xsvc model migrate to go forward. It fails while a daemon serves the model.',
    '',
    'Exit codes: 0 rolled back, or nothing to do; 5 refused, and nothing was written: a migration has no down, or it',
    'fails for an object; 3 no such migration; 4 the migration is not applied; 6 the store cannot be changed now.',
  ],
  examples: [
    'xsvc model rollback Ticket --to 2026-11-title --dry-run',
    'xsvc model rollback Ticket --to 2026-11-title',
    `xsvc model rollback Ticket --to ${NO_MIGRATION}`,
  ],
  run: rollback,
});

async function rollback(
  { to, dryRun, ...flags }: CommandFlags<typeof FLAGS>,
  io: CliIo,
  [kind = '']: readonly string[],
): Promise<ExitCode> {
  const options = { command: 'model rollback', readOnly: dryRun === true };
  return withModels(flags, io, options, async (models) => {
    const { lifecycle } = models;
    const scheme = getScheme(models, kind, 'rolled back');
    if (dryRun === true) {
      const plan = await showingChecks(io, scheme, (progress) =>
        lifecycle.planRollback(scheme, { to, progress }),
      );
      print(io, rollbackLines(plan));
      if (plan.problems.length > 0) return EXIT.invalid;
      if (plan.migrations.length > 0)
        print(io, [`${counted(plan.changed, 'object')} of ${plan.plural} would change (dry run)`]);
      return EXIT.done;
    }
    await refuseServed(lifecycle, scheme);
    const plan = await rollBackShown(lifecycle, scheme, { to, io });
    return plan.problems.length > 0 ? EXIT.invalid : EXIT.done;
  });
}

function print(io: CliIo, lines: readonly string[]): void {
  for (const line of lines) io.stdout.line(line);
}

/** Prints the plan before the first object is written. */
async function rollBackShown(
  lifecycle: ModelLifecycle,
  scheme: Scheme,
  { to, io }: { readonly to: string; readonly io: CliIo },
): Promise<RollbackPlan> {
  const { plural, kind } = scheme.resource;
  const shown: Partial<Record<'check' | 'rollback', Progress>> = {};
  const plan = await lifecycle
    .rollBack(scheme, {
      to,
      onPlan: (made) => {
        shown.check?.clear();
        print(io, rollbackLines(made));
      },
      progress: (task, done, total) => {
        const title = `${plural}: ${task === 'check' ? 'checked' : 'rolled back'}`;
        (shown[task] ??= new Progress(io.stderr, title, total)).show(done);
      },
    })
    .finally(() => {
      shown.check?.clear();
      shown.rollback?.clear();
    });
  if (plan.problems.length > 0 || plan.migrations.length === 0) return plan;
  print(io, [
    `${plural} rolled back to ${to}: ${counted(plan.changed, 'object')} changed`,
    `start the release that knows no later migration of ${kind}; a start with the plugins here applies them again`,
  ]);
  return plan;
}
