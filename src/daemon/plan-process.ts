import { getMessage, unavailable } from '../errors.js';
import type { Logger } from '../lib/log/logger.js';
import { openDeclaredModels } from './offline/declared-models.js';
import type { PlanJob } from './plan-source.js';
import { serveJob } from '../admin/serve-job.js';
import { planStart, type StartPlan } from './start-plan.js';

/** The limit of a plan: it has some lines for each model; only texts of plugins could be longer. */
const PLAN_CHARACTERS_MAX = 16 * 1024 * 1024;

const say = (message: string): void => void process.stderr.write(`${message}\n`);
const LOGGER: Logger = { debug: say, info: say, warn: say, error: say };

/** The process of `PlanSource`: plugins and everything they load end with it. */
async function run({ config, plugins }: PlanJob): Promise<StartPlan> {
  const enabled = plugins.length > 0 ? { alsoEnabled: plugins } : {};
  const models = await openDeclaredModels(config, LOGGER, { readOnly: true, ...enabled });
  try {
    const plan = await planStart(models, new Set(plugins));
    if (JSON.stringify(plan).length > PLAN_CHARACTERS_MAX)
      throw unavailable(
        'the plan is longer than 16 MiB; plan fewer plugins, or run `xsvc model plan` on the machine of the store',
      );
    return plan;
  } finally {
    await models.close();
  }
}

// A missing `catch` in one plugin must not end the report on the others.
process.on('uncaughtException', (error) => say(getMessage(error)));
serveJob(run);
