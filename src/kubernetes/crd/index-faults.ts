import { invalid, type Cause } from '../../errors.js';
import { findIndexFaults } from '../../lifecycle/index-faults.js';
import { buildDataVersions } from '../../model/declare/data-model.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Models } from '../../service/models.js';
import type { Definition } from './definition.js';
import { statusOf } from './definition-check.js';
import { findIndexField } from './indexes.js';
import { modelOf } from './model.js';

/**
 * Refuses a definition whose new indexes do not accept the stored objects of its kind.
 * @throws ServiceError `Invalid` that names the first objects
 */
export async function refuseIndexFaults({ lifecycle }: Models, object: ExtensionObject): Promise<void> {
  const definition = object as Definition;
  const { acceptedNames: names = {} } = statusOf(object);
  const model = modelOf({ definition, names, checkCreate: () => undefined });
  const faults = await findIndexFaults(lifecycle, buildDataVersions(model, '').storage);
  if (faults.length === 0) return;
  const { kind, metadata } = object;
  const causes = faults.map(({ index, name, problem }): Cause => ({
    field: findIndexField(definition, index),
    reason: 'FieldValueInvalid',
    message: `${model.kind} "${name}": ${index}: ${problem}`,
  }));
  throw invalid(`${kind} "${metadata.name}"`, causes, { kind, name: metadata.name });
}
