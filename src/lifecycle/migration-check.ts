import { ServiceError } from '../errors.js';
import type { Migration } from '../model/evolve/conversion.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { ModelRecord } from '../store/catalog.js';
import type { Engine } from '../store/engine.js';
import { formatNamed, type ObjectScan, scanObjects, type ScannedRecord } from './scan.js';
import { SharedValueFinder, type SharedValues } from '../store/index/shared-values.js';

/** Migrations that are applied to objects together. */
export interface MigrationRound {
  readonly scheme: Scheme;
  readonly migrations: readonly Migration[];
  /** Objects up to this id are migrated. */
  readonly after: number;
}

/**
 * Checks that all objects of a model match it after its migrations, and that no two share a value that must be
 * unique. Nothing is written.
 * @param progress called with the number of checked objects
 * @throws ServiceError `Invalid` with the first objects that do not match; `AlreadyExists` with the first shared
 * values
 */
export async function checkMigrations(
  engine: Engine,
  record: ModelRecord,
  round: MigrationRound,
  progress: (done: number) => void,
): Promise<void> {
  const { resource } = record;
  const { scheme, migrations, after } = round;
  const finder = new SharedValueFinder(scheme.indexes);
  const scan = await scanObjects(engine, record, scheme, {
    migrations,
    after,
    onObject: adder(finder, 'first'),
    progress,
  });
  if (scan.invalid > 0) throw invalidAfter(resource, migrations, scan);
  if (!finder.isNeeded) return;
  // Objects written by an interrupted run are migrated already.
  if (after > 0)
    await scanObjects(engine, record, scheme, { until: after, onObject: adder(finder, 'first') });
  if (!finder.hasSuspects()) return;
  if (after > 0)
    await scanObjects(engine, record, scheme, { until: after, onObject: adder(finder, 'second') });
  await scanObjects(engine, record, scheme, { migrations, after, onObject: adder(finder, 'second') });
  const shared = finder.found();
  if (shared.length > 0) throw notUnique(resource, migrations, shared);
}

/** Adds checked objects to a finder. An object without values, because its plugin code fails, shares none. */
export function adder(finder: SharedValueFinder, look: 'first' | 'second'): (one: ScannedRecord) => void {
  return ({ name, checked: { object } }) => {
    if (object === undefined) return;
    try {
      if (look === 'first') finder.add(object);
      else finder.addAgain(name, object);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  };
}

type Model = Pick<ModelRecord['resource'], 'group' | 'kind'>;

function getNames(migrations: readonly Migration[]): string {
  return migrations.map((migration) => `"${migration.id}"`).join(', ');
}

function invalidAfter(
  { group, kind }: Model,
  migrations: readonly Migration[],
  scan: ObjectScan,
): ServiceError {
  const { invalid } = scan;
  return new ServiceError(
    'Invalid',
    `after the migration ${getNames(migrations)} ${invalid} ${invalid === 1 ? 'object' : 'objects'} of ${kind} would be invalid, so nothing was written: ${formatNamed(scan)}`,
    { group, kind },
  );
}

function notUnique(
  { group, kind }: Model,
  migrations: readonly Migration[],
  shared: readonly SharedValues[],
): ServiceError {
  const each = shared.map(({ index, count, examples }) => {
    const list = examples
      .map(({ value, names }) => `"${value}" of "${names[0]}" and "${names[1]}"`)
      .join(', ');
    const more = count > examples.length ? `, and ${count - examples.length} more` : '';
    return `${index} ${list}${more}`;
  });
  return new ServiceError(
    'AlreadyExists',
    `after the migration ${getNames(migrations)} objects of ${kind} would share values that must be unique, so nothing was written: ${each.join('; ')}`,
    { group, kind },
  );
}
