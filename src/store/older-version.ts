import { invalid, type Cause } from '../errors.js';
import { cloneJson, isRecord } from '../lib/json/json.js';
import type { Scheme } from '../model/declare/scheme.js';
import { ConversionError, type Migration } from '../model/evolve/conversion.js';
import type { ExtensionObject } from '../model/object.js';
import { getStoredVersion, toStorageVersion } from './stored-version.js';

/** Outstanding migrations of an object that is not in the storage version. */
export interface OlderVersion {
  /** In the order of application. */
  readonly migrations: readonly Migration[];
  /** The storage version when a migration was applied; undefined when the store does not know it. */
  readonly versionOf: (id: string) => string | undefined;
}

/**
 * Converts an object to the storage version, with its outstanding migrations. A migration speaks of the storage version
 * of its time: some belong before the conversion, and the others after it. The order is the first one in which the
 * object matches the schema of its version before the conversion, and that of the storage version at the end. An order
 * without unknown fields is better than one with them. A conversion may contain what migrations after it did: those are
 * left out when they do not fit, or would remove values.
 * @throws ServiceError `Invalid` when there is no such order
 */
export function migrateOlderVersion(
  scheme: Scheme,
  object: ExtensionObject,
  older: OlderVersion,
): ExtensionObject {
  const found: Converted[] = [];
  for (const order of getOrders(object, older)) {
    const converted = convert(scheme, object, { ...order, migrations: older.migrations });
    if (converted === undefined) continue;
    if (converted.isClean) return converted.object;
    found.push(converted);
  }
  const [first] = found;
  if (first !== undefined) return first.object;
  throw refusal(scheme, object, older);
}

/** The migrations before the first position are applied before the conversion, those from the second one after it. */
interface Order {
  readonly before: number;
  readonly after: number;
}

function getOrders(object: ExtensionObject, { migrations, versionOf }: OlderVersion): readonly Order[] {
  const count = migrations.length;
  const positions = Array.from({ length: count + 1 }, (_, i) => i);
  const all = positions.map((at) => ({ before: at, after: at }));
  const some = positions.toReversed().map((before) => ({ before, after: count }));
  return [...knownOrder(object, { migrations, versionOf }), ...all, ...some];
}

/** The order in which the store applied the migrations to its own objects. */
function knownOrder(object: ExtensionObject, { migrations, versionOf }: OlderVersion): readonly Order[] {
  const versions = migrations.map(({ id }) => versionOf(id));
  if (versions.includes(undefined)) return [];
  const other = versions.findIndex((version) => version !== getStoredVersion(object));
  const at = other < 0 ? versions.length : other;
  return [{ before: at, after: at }];
}

interface Converted {
  readonly object: ExtensionObject;
  /** True without unknown fields. */
  readonly isClean: boolean;
}

/** Undefined when the object does not match in this order, or would lose values that the conversion gives it. */
function convert(
  scheme: Scheme,
  object: ExtensionObject,
  { before, after, migrations }: Order & Pick<OlderVersion, 'migrations'>,
): Converted | undefined {
  const { storage, byName } = scheme.versions;
  try {
    const inVersion = applyMigrations(migrations.slice(0, before), object);
    const first = check(byName.get(getStoredVersion(object)) ?? scheme, inVersion);
    if (first.causes.length > 0) return undefined;
    const converted = toStorageVersion(scheme, inVersion);
    const result = applyMigrations(migrations.slice(after), converted);
    const second = check(storage, result);
    if (second.causes.length > 0) return undefined;
    if (isClean(storage, converted) && lacks(result.spec, converted.spec)) return undefined;
    return { object: result, isClean: first.unknown.length === 0 && second.unknown.length === 0 };
  } catch (error) {
    if (error instanceof ConversionError) return undefined;
    throw error;
  }
}

export function applyMigrations(migrations: readonly Migration[], object: ExtensionObject): ExtensionObject {
  return migrations.reduce((present, migration) => migration.up(present), object);
}

/** The check sets defaults. */
function check(scheme: Scheme, object: ExtensionObject): ReturnType<Scheme['validate']> {
  return scheme.validate(cloneJson(object), undefined, { isStored: true });
}

/** True when an object matches, without unknown fields. */
export function isClean(scheme: Scheme, object: ExtensionObject): boolean {
  const { causes, unknown } = check(scheme, object);
  return causes.length === 0 && unknown.length === 0;
}

/** True when a value has not all members that another one has. */
function lacks(value: unknown, other: unknown): boolean {
  if (!isRecord(other)) return false;
  return (
    !isRecord(value) ||
    Object.entries(other).some(([name, member]) => !Object.hasOwn(value, name) || lacks(value[name], member))
  );
}

function refusal(scheme: Scheme, object: ExtensionObject, { migrations }: OlderVersion): Error {
  const { group, kind } = scheme.resource;
  const { name } = object.metadata;
  const version = getStoredVersion(object);
  const [first] = migrations;
  const message =
    `it looks as if it was exported before the migration "${first?.id ?? ''}", and no order of the migrations and the conversion from ` +
    `${version} gives a valid object; restore a backup of that time elsewhere, run \`xsvc model migrate\` with each release since, ` +
    'export, and import that';
  const { causes } = check(scheme.versions.byName.get(version) ?? scheme, object);
  const cause: Cause = { field: 'apiVersion', reason: 'FieldValueInvalid', message };
  return invalid(`${kind} "${name}"`, [cause, ...causes], { group, kind, name });
}
