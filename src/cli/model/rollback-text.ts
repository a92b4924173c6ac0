import { qualifiedPlural } from '../../model/resource.js';
import type { RollbackPlan } from '../../lifecycle/rollback-plan.js';
import { counted } from '../output/counted.js';

export function rollbackLines(plan: RollbackPlan): readonly string[] {
  const { plugin, objects, migrations, version, changed, problems } = plan;
  if (migrations.length === 0) return ['nothing to undo'];
  return [
    `${qualifiedPlural(plan)} (plugin ${plugin}, ${counted(objects, 'object')})`,
    ...migrations.map(
      ({ id, description }) => `  ${id}: migration to undo${description === '' ? '' : ` (${description})`}`,
    ),
    ...(problems.length === 0
      ? [`  ${counted(changed, 'object')} to change, stored in ${version} afterwards`]
      : []),
    ...problems.flatMap(({ text, count, examples }) => [
      `  problem: ${text}`,
      ...examples.map(({ name, problem }) => `    ${name}: ${problem}`),
      ...(count > examples.length ? [`    and ${count - examples.length} more`] : []),
    ]),
    ...(problems.length === 0 ? [] : ['needs attention: nothing was written']),
  ];
}
