/** The handling of a deleted object's dependents. */
export const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
export type Policy = (typeof POLICIES)[number];

/** The policy that follows from the finalizers of the deleted object. */
export function getPolicy(finalizers: readonly string[]): Policy {
  if (finalizers.includes('orphan')) return 'Orphan';
  return finalizers.includes('foregroundDeletion') ? 'Foreground' : 'Background';
}
