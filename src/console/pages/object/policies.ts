/** What may become of the objects that a deleted one owns. */
export const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
export type Policy = (typeof POLICIES)[number];

/** What becomes of them, by what holds the deleted object. */
export function getPolicy(finalizers: readonly string[]): Policy {
  if (finalizers.includes('orphan')) return 'Orphan';
  return finalizers.includes('foregroundDeletion') ? 'Foreground' : 'Background';
}
