import { getMessage, getReason, invalid, ServiceError, type Cause } from '../../errors.js';
import { adder } from '../../lifecycle/migration-check.js';
import type { ModelLifecycle } from '../../lifecycle/model-lifecycle.js';
import { indexesToCompare } from '../../lifecycle/model-plan.js';
import { unconvertible, type CheckJson } from '../../lifecycle/scan.js';
import { buildDataVersions } from '../../model/declare/data-model.js';
import { BUILT_IN_INDEX_NAMES } from '../../model/declare/index-spec.js';
import type { Index, Scheme } from '../../model/declare/scheme.js';
import { RemoteConversionError } from '../../model/evolve/conversion.js';
import { PendingConversion } from '../../model/evolve/pending-conversion.js';
import type { ExtensionObject } from '../../model/object.js';
import { modelKey } from '../../model/resource.js';
import type { Models } from '../../service/models.js';
import { SharedValueFinder } from '../../store/index/shared-values.js';
import { inStorageVersion } from '../../store/stored-version.js';
import type { ConversionMeans } from './conversion.js';
import type { Definition } from './definition.js';
import { statusOf } from './definition-check.js';
import { findIndexField } from './indexes.js';
import { modelOf } from './model.js';

/**
 * Refuses a definition whose new indexes do not accept the stored objects of its kind.
 * @throws ServiceError `Invalid` that names the first objects
 */
export async function refuseIndexFaults(
  { lifecycle }: Models,
  object: ExtensionObject,
  means: ConversionMeans,
): Promise<void> {
  const definition = object as Definition;
  const { acceptedNames: names = {} } = statusOf(object);
  const model = modelOf({ definition, names, means });
  const faults = await findIndexFaults(lifecycle, buildDataVersions(model, '').storage).catch(noneIfRemote);
  if (faults.length === 0) return;
  const { kind, metadata } = object;
  const causes = faults.map(({ index, name, problem }): Cause => ({
    field: findIndexField(definition, index),
    reason: 'FieldValueInvalid',
    message: `${model.kind} "${name}": ${index}: ${problem}`,
  }));
  throw invalid(`${kind} "${metadata.name}"`, causes, { kind, name: metadata.name });
}

/** Without the webhook nothing is known about the objects; the build of the indexes waits for it. */
function noneIfRemote(error: unknown): readonly IndexFault[] {
  if (error instanceof RemoteConversionError) return [];
  throw error;
}

/** A stored object that an index does not accept. */
interface IndexFault {
  readonly index: string;
  /** The full name of the object. */
  readonly name: string;
  readonly problem: string;
}

/** Most faults that are named. */
const NAMED_MAX = 10;

/**
 * The first stored objects that the new or changed indexes of a declaration do not accept: because of the type of a
 * value, or because two objects share one that must be unique. Nothing is written. All objects are read when there is
 * such an index, with other work in between; memory grows by 8 bytes for each value that must be unique.
 */
async function findIndexFaults(lifecycle: ModelLifecycle, scheme: Scheme): Promise<readonly IndexFault[]> {
  const record = (await lifecycle.store.readCatalog()).models.get(modelKey(scheme.resource));
  const changed = record === undefined ? [] : indexesToCompare(record, scheme);
  // They read what every object has.
  const indexes = changed.filter(({ name }) => !BUILT_IN_INDEX_NAMES.has(name));
  if (indexes.length === 0) return [];
  const faults: IndexFault[] = [];
  const finder = new SharedValueFinder(indexes);
  const addFirst = adder(finder, 'first');
  const check = readerOf(scheme);
  await lifecycle.scan(scheme, {
    check,
    onObject: (one) => {
      const { object } = one.checked;
      if (object !== undefined && faults.length < NAMED_MAX)
        faults.push(...unreadable(indexes, object).map((fault) => ({ ...fault, name: one.name })));
      addFirst(one);
    },
  });
  if (finder.hasSuspects()) await lifecycle.scan(scheme, { check, onObject: adder(finder, 'second') });
  const shared = finder.found().flatMap(({ index, examples }) =>
    examples.map(({ value, names: [first, second] }): IndexFault => ({
      index,
      name: second,
      problem: `has "${value}", which "${first}" has`,
    })),
  );
  return [...faults, ...shared].slice(0, NAMED_MAX);
}

/** Reads an object without checks of its fields. */
function readerOf(scheme: Scheme): CheckJson {
  return (json) => {
    try {
      const stored = inStorageVersion(scheme, json);
      const object = scheme.shownDefaults?.addTo(stored) ?? stored;
      return { object, isMigrated: false, problem: undefined };
    } catch (error) {
      if (error instanceof PendingConversion || error instanceof RemoteConversionError) throw error;
      return unconvertible(getMessage(error));
    }
  };
}

function unreadable(
  indexes: readonly Index[],
  object: ExtensionObject,
): readonly Pick<IndexFault, 'index' | 'problem'>[] {
  return indexes.flatMap((index) => {
    try {
      index.values(object);
      return [];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return [{ index: index.name, problem: getReason(error) }];
    }
  });
}
