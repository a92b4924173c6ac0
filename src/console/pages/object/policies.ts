import { t } from '../../texts.js';

/** The handling of a deleted object's dependents. */
export const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
export type Policy = (typeof POLICIES)[number];

/** The effect of a policy on the dependents. */
export const EFFECTS: Readonly<Record<Policy, () => string>> = {
  Background: () => t`are deleted after it`,
  Foreground: () => t`are deleted before it, and it waits for them`,
  Orphan: () => t`are kept, without this owner`,
};

/** The policy that follows from the finalizers of the deleted object. */
export function getPolicy(finalizers: readonly string[]): Policy {
  if (finalizers.includes('orphan')) return 'Orphan';
  return finalizers.includes('foregroundDeletion') ? 'Foreground' : 'Background';
}
