import type { Caller } from './caller.js';
import { GET_TOOL } from './read/get.js';
import { HISTORY_TOOL } from './read/history.js';
import { LIST_TOOL } from './read/list.js';
import { MODELS_TOOL } from './read/models.js';
import { SCHEMA_TOOL } from './read/schema.js';
import type { Tool } from './tool.js';

const READING: readonly Tool[] = [MODELS_TOOL, SCHEMA_TOOL, LIST_TOOL, GET_TOOL, HISTORY_TOOL];

/** The tools that a caller has, in the order of the list. */
export function toolsFor(_caller: Pick<Caller, 'writes'>): readonly Tool[] {
  return READING;
}
