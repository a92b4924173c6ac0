import type { Resource } from './resource.js';

/** Times in Kubernetes' objects have whole seconds. */
export function formatTimestamp({ origin }: Pick<Resource, 'origin'>, at: Date): string {
  const text = at.toISOString();
  return origin === undefined ? text : `${text.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`;
}
