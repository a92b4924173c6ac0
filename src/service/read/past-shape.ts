import { conflict, formatExcerpt } from '../../errors.js';
import type { Scheme } from '../../model/declare/scheme.js';
import type { Migration } from '../../model/evolve/conversion.js';
import type { ExtensionObject } from '../../model/object.js';
import { versionName } from '../../model/resource.js';
import type { PastObject } from '../../store/log/object-past.js';
import { parseObject } from '../../store/object-record.js';
import { shapeAt, versionOfMigration, type Shape } from '../../store/shapes.js';
import { toVersion } from '../../store/stored-version.js';
import type { ModelView } from './view.js';

/**
 * An earlier state in the present shape of its model: migrations that were applied to objects since are applied to it,
 * in the same order, and those that were rolled back since are undone.
 * @returns the object in the version of the view; undefined when the state has the present shape, or the model's code
 * is not loaded
 * @throws ConversionError that names the migration and the object; ServiceError `Conflict` when the code of a
 * migration is missing
 */
export function inPresentShape(model: ModelView, state: PastObject): ExtensionObject | undefined {
  const { scheme, table } = model;
  const then = shapeAt(table.shapes, state.revision);
  const now = table.shapes.at(-1);
  if (scheme === undefined || then === undefined || now === undefined || then === now) return undefined;
  const { undone, applied } = difference(then, now);
  if (undone.length === 0 && applied.length === 0) return undefined;
  const object = parseObject(state.json);
  const steps = [
    ...undone.map((id) => getStep(scheme, { id, call: 'down', object })),
    ...applied.map((id) => getStep(scheme, { id, call: 'up', object })),
  ];
  return model.limited(object.metadata.name, () => {
    const present = steps.reduce(
      (one, { id, run }) => run(inVersionOf(model, scheme, { id, object: one })),
      object,
    );
    return toVersion(scheme, present, versionName(model.resource));
  });
}

/** @returns ids of migrations, in the order in which they are undone, or applied */
function difference(
  then: Shape,
  now: Shape,
): { readonly undone: readonly string[]; readonly applied: readonly string[] } {
  return {
    undone: then.migrations.filter((id) => !now.migrations.includes(id)).toReversed(),
    applied: now.migrations.filter((id) => !then.migrations.includes(id)),
  };
}

interface Missing {
  readonly id: string;
  readonly call: 'up' | 'down';
  readonly object: ExtensionObject;
}

interface Step {
  readonly id: string;
  readonly run: Migration['up'];
}

function getStep({ versions, resource }: Scheme, { id, call, object }: Missing): Step {
  const migration = versions.migrations.find((one) => one.id === id);
  const run = migration?.[call];
  if (run !== undefined) return { id, run };
  const { group, kind } = resource;
  const { name } = object.metadata;
  const reason = migration === undefined ? 'which the plugin does not declare' : 'which has no down';
  const since =
    call === 'up'
      ? `is older than the migration "${id}"`
      : `is of before the rollback of the migration "${id}"`;
  throw conflict(
    `this state of ${kind} "${formatExcerpt(name)}" ${since}, ${reason}; \`xsvc history\` shows its changes as they were stored`,
    { group, kind, name },
  );
}

/** A migration is applied in the storage version of its time. */
function inVersionOf(
  { table }: ModelView,
  scheme: Scheme,
  { id, object }: { readonly id: string; readonly object: ExtensionObject },
): ExtensionObject {
  const storage = scheme.versions.storage.resource.version;
  const version = versionOfMigration(table.shapes, id) ?? storage;
  return toVersion(scheme, object, scheme.versions.byName.has(version) ? version : storage);
}
