import type { TableFlags } from '../output/objects.js';
import type { OutputChoice } from '../output/format.js';
import type { GlobalFlags } from '../flags.js';

/** The flags that decide how objects are printed. */
export interface PrintFlags extends GlobalFlags, Omit<TableFlags, 'output'> {
  readonly output: OutputChoice;
}

/** The flags for a format that prints lists as one value; undefined for tables and names. */
export type WholeOutput = Exclude<OutputChoice, TableFlags['output']>;

/** True for a format that prints all objects as one value, and not as rows. */
export function isWhole(output: OutputChoice): output is WholeOutput {
  return output === 'json' || output === 'yaml' || (typeof output === 'object' && 'template' in output);
}
