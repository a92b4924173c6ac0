import { sendBatch } from '../../../api/batches.js';
import { send } from '../../../api/http.js';
import { objectPath } from '../../../api/models.js';
import { getName } from '../../../api/objects.js';
import { createDefinition, DEFINITIONS } from '../../../api/platform/definitions.js';
import type { JsonObject } from '../../../lib/json.js';
import type { Example } from './examples.js';

/**
 * Creates the models and objects of an example. When a part is refused, the models are removed again.
 * @throws ApiError, Unreachable
 */
export async function installExample({ definitions, objects }: Example): Promise<void> {
  const made: JsonObject[] = [];
  try {
    for (const definition of definitions) {
      await createDefinition(definition);
      made.push(definition);
    }
    const items = objects.map((object) => ({ verb: 'create', object }));
    for (const isTrial of [true, false]) await sendBatch({ items, isTrial });
  } catch (error) {
    await removeDefinitions(made).catch(() => undefined);
    throw error;
  }
}

/** Deletes definitions with their objects, those that refer to others first. @throws ApiError, Unreachable */
export async function removeDefinitions(definitions: readonly JsonObject[]): Promise<void> {
  for (const definition of [...definitions].reverse())
    await send(objectPath(DEFINITIONS, getName(definition)), { method: 'DELETE' });
}
