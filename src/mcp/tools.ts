import type { Caller } from './caller.js';
import { GET_TOOL } from './read/get.js';
import { HISTORY_TOOL } from './read/history.js';
import { LIST_TOOL } from './read/list.js';
import { MODELS_TOOL } from './read/models.js';
import { SCHEMA_TOOL } from './read/schema.js';
import type { Tool } from './tool.js';
import { APPLY_TOOL } from './write/apply.js';
import { PLAN_TOOL } from './write/plan.js';
import { UNDO_TOOL } from './write/undo.js';

const READING: readonly Tool[] = [MODELS_TOOL, SCHEMA_TOOL, LIST_TOOL, GET_TOOL, HISTORY_TOOL];
/** The names of the tools of a caller that only reads. */
export const READING_NAMES: ReadonlySet<string> = new Set(READING.map(({ name }) => name));

const WRITING: readonly Tool[] = [...READING, PLAN_TOOL, APPLY_TOOL, UNDO_TOOL];

/** The tools that a caller has, in the order of the list. */
export function toolsFor({ writes }: Pick<Caller, 'writes'>): readonly Tool[] {
  return writes === undefined ? READING : WRITING;
}
