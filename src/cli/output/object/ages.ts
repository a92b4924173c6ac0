import { formatAge } from '../../../lib/time/age.js';

/** The age of an instant in words: `5m ago`, `in 4h`. */
export function agoText(time: string): string {
  const age = formatAge(time, Date.now());
  return age.startsWith('in ') ? age : `${age} ago`;
}
