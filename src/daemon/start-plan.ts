import type { Scheme } from '../model/declare/scheme.js';
import { unknownPlugin } from '../plugin/unknown-plugin.js';
import { hasWork, planModel, type ModelPlan } from '../lifecycle/model-plan.js';
import type { ModelLifecycle } from '../lifecycle/model-lifecycle.js';
import { FORMAT } from '../store/format.js';
import type { DeclaredModels, FailedPlugin } from './offline/declared-models.js';

/** The effects on a store of a start with some plugins. */
export interface StartPlan {
  readonly apiVersion: 'v1';
  readonly kind: 'ModelPlan';
  /** `unchanged`: no work; `fits`: some work, and all objects fit; `refused`: a plugin would fail or objects would not fit. */
  readonly result: 'unchanged' | 'fits' | 'refused';
  /** The upgrade of a store of an older format, which comes first. */
  readonly upgrade?: { readonly from: number; readonly to: number };
  readonly models: readonly ModelPlan[];
  /** Plugins that would not start with any store. */
  readonly failures: readonly FailedPlugin[];
}

/**
 * Determines the effects of a start on the store, without writing.
 * @param named the selected plugins; empty for all
 * @param getPlan plans one model
 * @throws ServiceError `NotFound` for a plugin that does not exist
 */
export async function planStart(
  { lifecycle, schemes, plugins, failures: all }: DeclaredModels,
  named: ReadonlySet<string>,
  getPlan: (lifecycle: ModelLifecycle, scheme: Scheme) => Promise<ModelPlan> = planModel,
): Promise<StartPlan> {
  const unknown = [...named].find((name) => !plugins.includes(name));
  if (unknown !== undefined) throw unknownPlugin(unknown, plugins);
  const isMeant = (plugin: string): boolean => named.size === 0 || named.has(plugin);
  const models: ModelPlan[] = [];
  for (const scheme of schemes)
    if (plugins.includes(scheme.owner) && isMeant(scheme.owner))
      models.push(await getPlan(lifecycle, scheme));
  const failures = all.filter(({ plugin }) => isMeant(plugin));
  const from = lifecycle.olderFormat;
  const upgrade = from === undefined ? undefined : { from, to: FORMAT };
  const result = getResult(models, failures, upgrade);
  return { apiVersion: 'v1', kind: 'ModelPlan', result, ...(upgrade && { upgrade }), models, failures };
}

/** The plan of one model that needs no start. */
export function planOfModel(model: ModelPlan): StartPlan {
  const models = [model];
  return {
    apiVersion: 'v1',
    kind: 'ModelPlan',
    result: getResult(models, [], undefined),
    models,
    failures: [],
  };
}

function getResult(
  models: StartPlan['models'],
  failures: StartPlan['failures'],
  upgrade: StartPlan['upgrade'],
): StartPlan['result'] {
  if (failures.length > 0 || models.some(({ problems }) => problems.length > 0)) return 'refused';
  return upgrade !== undefined || models.some(hasWork) ? 'fits' : 'unchanged';
}
