import { Option, type Command } from 'commander';
import { hasWork, planModel, type ModelPlan } from '../../store/model-plan.js';
import type { DeclaredModels, FailedPlugin } from '../../wiring/declared-models.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { CliIo } from '../io.js';
import { withModels } from '../model/open.js';
import { planLines } from '../model/plan-text.js';
import { printValue } from '../output/objects.js';
import { Progress } from '../output/progress.js';
import type { GlobalFlags } from '../session.js';
import { unknownPlugin } from './plugin-shared.js';
import { examples, type CommandContext } from './shared.js';

const OUTPUTS = ['text', 'json', 'yaml'] as const;

interface Flags extends GlobalFlags {
  readonly output: (typeof OUTPUTS)[number];
}

/** What a start with some plugins would do to a store. */
export interface StartPlan {
  readonly models: readonly ModelPlan[];
  /** Plugins that would not start whatever is stored. */
  readonly failures: readonly FailedPlugin[];
}

export function defineModelPlan(command: Command, context: CommandContext): void {
  command
    .description('Print what a start with the plugins would do to the store, without doing it')
    .argument(
      '[plugins...]',
      'only these plugins; they count as switched on. Default: all that are switched on',
    )
    .addOption(new Option('-o, --output <format>', 'how to print').choices(OUTPUTS).default('text'))
    .action(async (plugins: readonly string[], _flags: unknown, self: Command) => {
      context.exitCode = await plan(plugins, self.optsWithGlobals<Flags>(), context.io);
    });
  command.addHelpText(
    'after',
    [
      '',
      'Compares the models that the plugins declare with those of the store, and converts, migrates and checks every',
      'object of a model that changed. Nothing is written.',
      '',
      'Exit codes: 0 nothing to do; 10 something to do, and all objects fit; 5 a plugin would not start, or objects',
      'would not fit.',
    ].join('\n'),
  );
  examples(command, [
    'xsvc model plan',
    'xsvc model plan desk --plugins ./next/plugins',
    'xsvc model plan -o json | jq .models[].problems',
  ]);
}

async function plan(plugins: readonly string[], flags: Flags, io: CliIo): Promise<ExitCode> {
  const options = {
    ...{ command: 'model plan', mustExist: false, readOnly: true },
    ...(plugins.length > 0 && { alsoEnabled: plugins }),
  };
  const made = await withModels(flags, io, options, (models) => planOf(models, new Set(plugins), io));
  const result = resultOf(made);
  if (flags.output === 'text') for (const line of planLines(made)) io.stdout.write(`${line}\n`);
  else await printValue(io, { apiVersion: 'v1', kind: 'ModelPlan', result, ...made }, flags.output);
  return RESULT_EXITS[result];
}

const RESULT_EXITS = { unchanged: EXIT.done, fits: EXIT.differs, refused: EXIT.invalid } as const;

function resultOf({ models, failures }: StartPlan): keyof typeof RESULT_EXITS {
  if (failures.length > 0 || models.some(({ problems }) => problems.length > 0)) return 'refused';
  return models.some(hasWork) ? 'fits' : 'unchanged';
}

/** @param named empty for all */
async function planOf(
  { store, schemes, plugins, failures }: DeclaredModels,
  named: ReadonlySet<string>,
  io: CliIo,
): Promise<StartPlan> {
  const unknown = [...named].find((name) => !plugins.includes(name));
  if (unknown !== undefined) throw unknownPlugin(unknown, plugins);
  const isMeant = (plugin: string): boolean => named.size === 0 || named.has(plugin);
  const models: ModelPlan[] = [];
  for (const scheme of schemes) {
    if (!plugins.includes(scheme.owner) || !isMeant(scheme.owner)) continue;
    const { plural } = scheme.resource;
    let progress: Progress | undefined;
    models.push(
      await planModel(store, scheme, {
        progress: (done, total) => {
          progress ??= new Progress(io.stderr, `${plural}: checked`, total);
          progress.show(done);
        },
      }),
    );
    progress?.clear();
  }
  return { models, failures: failures.filter(({ plugin }) => isMeant(plugin)) };
}
