import { qualifiedPlural } from '../../model/resource.js';
import { hasWork, type ModelPlan } from '../../lifecycle/model-plan.js';
import type { StartPlan } from '../../daemon/start-plan.js';
import { counted } from '../output/counted.js';

/** The printed lines of a plan: models that need attention last; for each model, safe changes first. */
export function planLines({ upgrade, models, failures }: StartPlan): readonly string[] {
  const shown = models.filter(({ changes, problems }) => changes.length > 0 || problems.length > 0);
  const rank = ({ problems, warnings }: ModelPlan): number =>
    problems.length > 0 ? 2 : warnings.length > 0 ? 1 : 0;
  const inOrder = [...shown].sort((a, b) => rank(a) - rank(b));
  return [
    ...(upgrade ? [`the store is upgraded from format ${upgrade.from} to ${upgrade.to} first`] : []),
    ...inOrder.flatMap(modelLines),
    ...failures.map(({ plugin, message }) => `plugin ${plugin} would fail: ${message}`),
    endLine(models, failures, upgrade),
  ];
}

function modelLines(plan: ModelPlan): readonly string[] {
  const { plugin, objects, changes, warnings, problems } = plan;
  return [
    `${qualifiedPlural(plan)} (plugin ${plugin}, ${counted(objects, 'object')})`,
    ...changes.map(({ path, text }) => `  ${path === '' ? text : `${path}: ${text}`}`),
    ...warnings.map((text) => `  warning: ${text}`),
    ...problems.flatMap(({ text, count, examples }) => [
      `  problem: ${text}`,
      ...examples.map(({ name, problem }) => `    ${name}: ${problem}`),
      ...(examples.length > 0 && count > examples.length ? [`    and ${count - examples.length} more`] : []),
    ]),
  ];
}

function endLine(
  models: StartPlan['models'],
  failures: StartPlan['failures'],
  upgrade: StartPlan['upgrade'],
): string {
  const troubled = models.filter(({ problems }) => problems.length > 0).length;
  if (troubled > 0 || failures.length > 0)
    return `needs attention: ${[
      ...(troubled > 0 ? [counted(troubled, 'model')] : []),
      ...(failures.length > 0 ? [counted(failures.length, 'plugin')] : []),
    ].join(' and ')}`;
  const changed = models.filter(hasWork).length;
  if (changed === 0)
    return upgrade === undefined ? 'nothing to do' : 'no model would change; all objects are valid';
  return `${counted(changed, 'model')} would change; all objects are valid`;
}
