import type { Scheme } from '../../../model/declare/scheme.js';
import { planModel, type ModelPlan } from '../../../lifecycle/model-plan.js';
import type { ModelLifecycle } from '../../../lifecycle/model-lifecycle.js';
import { planStart } from '../../../daemon/start-plan.js';
import { withMentions } from '../../../http/platform/plans/plan-mentions.js';
import { EXIT, type ExitCode } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { showingChecks } from '../../model/check-progress.js';
import { withModels } from '../../model/open.js';
import { planLines } from '../../model/plan-text.js';
import { printValue } from '../../output/objects.js';
import { command } from '../../command.js';
import { format, withDefault, type CommandFlags } from '../../flags.js';

const FLAGS = { output: withDefault(format(['text', 'json', 'yaml']), 'text') };

export const modelPlan = command({
  description: 'Preview what a start with the plugins would change in the store',
  args: { '[plugins...]': 'only these plugins, treated as enabled; default: all enabled plugins' },
  flags: FLAGS,
  notes: [
    'Compares the models that the plugins declare with those of the store, and converts, migrates and checks every',
    'object of a model that changed. Warnings name the roles, webhooks and views that mention removed fields or indexes.',
    'Nothing is written.',
    '',
    'Exit codes: 0 nothing to do; 10 changes, and all objects are valid; 5 a plugin would not start, objects would',
    'be invalid, or the last applied migration is not declared; 6 there is no store.',
  ],
  examples: [
    'xsvc model plan',
    'xsvc model plan desk --plugins ./next/plugins',
    'xsvc model plan -o json | jq .models[].problems',
  ],
  run: plan,
});

async function plan(
  flags: CommandFlags<typeof FLAGS>,
  io: CliIo,
  plugins: readonly string[],
): Promise<ExitCode> {
  const options = {
    ...{ command: 'model plan', readOnly: true, logsFailures: false },
    ...(plugins.length > 0 && { alsoEnabled: plugins }),
  };
  const getPlan = (lifecycle: ModelLifecycle, scheme: Scheme): Promise<ModelPlan> =>
    showingChecks(io, scheme, (progress) => planModel(lifecycle, scheme, { progress }));
  const made = await withModels(flags, io, options, async (models) =>
    withMentions(await planStart(models, new Set(plugins), getPlan), (ref) =>
      models.lifecycle.store.findRecord(ref) === undefined ? [] : models.verbs.listAll(ref),
    ),
  );
  if (flags.output === 'text') for (const line of planLines(made)) io.stdout.line(line);
  else await printValue(io, made, flags.output);
  return RESULT_EXITS[made.result];
}

const RESULT_EXITS = { unchanged: EXIT.done, fits: EXIT.differs, refused: EXIT.invalid } as const;
