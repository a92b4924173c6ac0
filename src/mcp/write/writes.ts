import type { AgentWrites, Caller } from '../caller.js';

/** The writes of a caller that has tools which write. */
export function writesOf({ writes }: Caller): AgentWrites {
  if (writes === undefined) throw new Error('the caller can only read');
  return writes;
}
