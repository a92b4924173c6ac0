import type { JsonObject } from '../../lib/json.js';
import { postJson } from '../http.js';

/** The model in roles: to create one is the right to make a plan. */
export const MODEL_PLANS = { group: 'api.platform.run', plural: 'modelplans' } as const;

const URL = '/apis/api.platform.run/v1alpha1/modelplans';

/** A change of a model by a start. */
interface PlannedChange {
  /** May be empty. */
  readonly path: string;
  readonly text: string;
  /** True when objects that fitted before may not fit now. */
  readonly isTighter: boolean;
}

/** A reason why a plugin cannot start, or objects do not fit. */
interface PlannedProblem {
  readonly text: string;
  readonly count: number;
  /** The first examples. */
  readonly examples: readonly { readonly name: string; readonly problem: string }[];
}

export interface PlannedModel {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly plugin: string;
  readonly objects: number;
  readonly changes: readonly PlannedChange[];
  readonly warnings: readonly string[];
  readonly problems: readonly PlannedProblem[];
}

/** The effects of a start with the plugins on disk. */
export interface StartPlan {
  readonly result: 'unchanged' | 'fits' | 'refused';
  readonly models: readonly PlannedModel[];
  /** Plugins that would not start with any store. */
  readonly failures: readonly { readonly plugin: string; readonly message: string }[];
}

/** The effect of a definition on the stored objects of its model. */
export async function planDefinition(
  definition: JsonObject,
  signal: AbortSignal,
): Promise<PlannedModel | undefined> {
  return ((await postJson(URL, { definition }, signal)) as StartPlan).models[0];
}

export async function makePlan(signal: AbortSignal): Promise<StartPlan> {
  return (await postJson(URL, undefined, signal)) as StartPlan;
}
