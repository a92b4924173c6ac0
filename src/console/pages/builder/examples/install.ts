import { readJson, send } from '../../../api/http.js';
import { objectPath } from '../../../api/models.js';
import { createDefinition, DEFINITIONS } from '../../../api/platform/definitions.js';
import { objectAt, textAt, type JsonObject } from '../../../lib/json.js';
import type { Example } from './examples.js';

const BATCHES_URL = '/apis/api.platform.run/v1alpha1/batches?return=none';

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
    for (const url of [`${BATCHES_URL}&dryRun=All`, BATCHES_URL])
      await readJson(await send(url, { method: 'POST', body: { items } }));
  } catch (error) {
    await removeDefinitions(made).catch(() => undefined);
    throw error;
  }
}

/** Deletes definitions with their objects, those that refer to others first. @throws ApiError, Unreachable */
export async function removeDefinitions(definitions: readonly JsonObject[]): Promise<void> {
  for (const definition of [...definitions].reverse())
    await send(objectPath(DEFINITIONS, nameOf(definition)), { method: 'DELETE' });
}

/** The name of a definition. */
export function nameOf(definition: JsonObject): string {
  return textAt(objectAt(definition, 'metadata'), 'name') ?? '';
}
