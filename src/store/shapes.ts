import { deepEqual } from '../lib/json/json.js';

/** The form of a model's objects from one revision to the next shape. */
export interface Shape {
  /** Objects written at later revisions have the shape. */
  readonly after: number;
  /** The storage version. */
  readonly version: string;
  /** Ids of the migrations that were applied, in order. */
  readonly migrations: readonly string[];
}

/** An applied migration that a later declaration, of an older release, did not have. */
export interface LapsedMigration {
  readonly id: string;
  /** Objects written at later revisions may have the shape before the migration. */
  readonly after: number;
}

/** The parts of a model's record that say which shapes its objects had. */
interface ShapedModel {
  readonly resource: { readonly version: string };
  readonly migrations: readonly string[];
  readonly shapes?: readonly Shape[];
}

/** The shapes of a model's objects, oldest first. A model that never changed has one. */
export function shapesOf({ shapes, resource, migrations }: ShapedModel): readonly Shape[] {
  return shapes ?? [{ after: 0, version: resource.version, migrations }];
}

/** The shapes with a new one at the end; only that one while nothing was ever written. Of two shapes without an object between them, only the later one stays. */
export function withShape(shapes: readonly Shape[], next: Shape): readonly Shape[] {
  const last = shapes.at(-1);
  if (last === undefined || next.after === 0) return [next];
  if (isSame(last, next)) return shapes;
  if (last.after < next.after || shapes.length === 1) return [...shapes, next];
  const before = shapes.slice(0, -1);
  const [previous] = before.slice(-1);
  return previous !== undefined && isSame(previous, next) ? before : [...before, next];
}

function isSame(one: Shape, other: Shape): boolean {
  return one.version === other.version && deepEqual(one.migrations, other.migrations);
}

/** The shape of objects that were written at a revision. */
export function shapeAt(shapes: readonly Shape[], revision: number): Shape | undefined {
  return shapes.findLast(({ after }) => after < revision);
}

/** The storage version at the time when a migration was applied last; undefined when the store does not know it. */
export function versionOfMigration(shapes: readonly Shape[], id: string): string | undefined {
  const first = shapes.findLastIndex(
    ({ migrations }, i) => migrations.includes(id) && shapes[i - 1]?.migrations.includes(id) !== true,
  );
  return shapes[first]?.version;
}

/** The storage version when objects had gone through exactly these migrations; undefined when they never had. */
export function versionAfter(shapes: readonly Shape[], migrations: readonly string[]): string | undefined {
  return shapes.findLast((shape) => deepEqual(shape.migrations, migrations))?.version;
}
