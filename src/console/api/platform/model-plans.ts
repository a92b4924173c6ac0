import { readJson, send } from '../http.js';

/** To roles, a plan is one of these that is created. */
export const MODEL_PLANS = { group: 'api.platform.run', plural: 'modelplans' } as const;

const URL = '/apis/api.platform.run/v1alpha1/modelplans';

/** Something that a start would change of a model. */
export interface PlannedChange {
  /** May be empty. */
  readonly path: string;
  readonly text: string;
  /** Whether objects that fitted before may not fit now. */
  readonly isTighter: boolean;
}

/** What keeps a plugin from starting, or objects from fitting. */
export interface PlannedProblem {
  readonly text: string;
  readonly count: number;
  /** The first of them. */
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

/** What a start with the plugins as they are on disk would do. */
export interface StartPlan {
  readonly result: 'unchanged' | 'fits' | 'refused';
  readonly models: readonly PlannedModel[];
  /** Plugins that would not start whatever is stored. */
  readonly failures: readonly { readonly plugin: string; readonly message: string }[];
}

/** @throws ApiError, Unreachable */
export async function makePlan(signal: AbortSignal): Promise<StartPlan> {
  return (await readJson(await send(URL, { method: 'POST', signal }))) as StartPlan;
}
