import { invalid } from '../../errors.js';
import { planModel, type ModelPlan } from '../../lifecycle/model-plan.js';
import { Work } from '../../lib/work/work.js';
import { buildDataVersions } from '../../model/declare/data-model.js';
import type { JsonObject } from '../../model/object.js';
import type { Models } from '../../service/models.js';
import type { ConversionMeans } from './conversion.js';
import { withDefinitionDefaults } from './defaults.js';
import type { Definition } from './definition.js';
import { findDefinitionFaults } from './definition-check.js';
import { modelOf } from './model.js';
import { ownerOf } from './served-definitions.js';

/** Objects that are checked without a break: the process answers other requests. */
const AT_ONCE = 50;

export interface DefinitionPlanning {
  readonly models: Models;
  readonly means: ConversionMeans;
  readonly signal: AbortSignal;
}

/**
 * Determines the effect of a definition on the stored objects of its kind, without writing.
 * @param given a definition, which need not be stored
 * @throws ServiceError `Invalid` with every fault of the definition, or the reason of the signal
 */
export async function planDefinition(
  { models, means, signal }: DefinitionPlanning,
  given: JsonObject,
): Promise<ModelPlan> {
  const definition: Definition = withDefinitionDefaults(given);
  const { metadata: { name = '' } = {}, spec: { names = {} } = {} } = definition;
  const causes = findDefinitionFaults(definition, undefined);
  const kind = 'CustomResourceDefinition';
  if (causes.length > 0) throw invalid(`${kind} "${name}"`, causes, { kind, name });
  const model = modelOf({ definition, names, means });
  const { storage } = buildDataVersions(model, ownerOf(name));
  const { group, version, plural } = storage.resource;
  return planModel(models.lifecycle, storage, {
    schemaBefore: models.find(group, version, plural)?.schema,
    work: new Work({ signal }),
    batch: AT_ONCE,
  });
}
