import { Random } from '../../helpers/seed.js';
import type { History } from './history.js';

/** State shared by all parts of one run. */
export interface World {
  readonly seed: number;
  /** Of this run: data, files of commands, history, logs. */
  readonly directory: string;
  readonly history: History;
  /** Of the daemons. They do not change when a daemon is started again. */
  readonly ports: readonly number[];
  /** Flags with which a command line finds the store and the plugin. */
  readonly commandFlags: readonly string[];
  /** `calm`: nothing is killed or stopped, and no command opens the store. `over`: clients end. */
  phase: 'storm' | 'calm' | 'over';
}

/** Random numbers of one part of a run, whatever the other parts do. */
export function randomOf({ seed }: World, part: string): Random {
  let mixed = seed;
  for (const character of part) mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193);
  return new Random(mixed);
}
