import { badRequest } from '../../errors.js';
import { isRecord } from '../../lib/json/json.js';
import { NO_MIGRATION } from './migration-stamp.js';
import type { ModelClass } from '../declare/model-class.js';
import type { Validate } from '../rules/code-rules.js';

/**
 * Converts an object to another version. The argument is an instance of the class of one version, and the result has
 * the fields of the class of the other. Must be synchronous and pure. `apiVersion`, `kind` and `metadata` of the
 * result are ignored. Other top-level members that the result does not have, such as `status`, are kept as they are;
 * null removes a member.
 */
export type Convert<From extends object = never, To extends object = object> = (object: From) => To;

interface VersionRules<Storage extends object, Other extends object> {
  /**
   * True when requests may use the version. Default true; false for a version in which objects may still be stored.
   */
  readonly served?: boolean;
  /**
   * Present when clients should stop using this version; the text names the replacement. Each use returns a `Warning`
   * with it.
   */
  readonly deprecated?: string;
  /** Converts from this version to the storage version. */
  readonly up: Convert<Other>;
  /** Converts from the storage version to this one. */
  readonly down: Convert<Storage>;
  /** Names of index fields: this version's name, then the storage version's: `{ 'spec.subject': 'spec.title' }`. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** A version of a model other than the storage version. */
export interface VersionOptions<
  Storage extends object = never,
  Other extends object = object,
> extends VersionRules<Storage, Other> {
  /** A class of the same group, kind and plural, with another version. */
  readonly model: ModelClass<Other>;
}

/** Version options for a class with unknown fields. */
export interface AnyVersionOptions<Storage extends object = never> extends VersionRules<Storage, never> {
  readonly model: ModelClass;
}

interface MigrationName {
  /** Identifies the migration in the store; must never be reused for another one. */
  readonly id: string;
  /** A description for people. */
  readonly description?: string;
}

/**
 * A change of all stored objects within the storage version.
 * @typeParam After the objects that `up` returns: the class of the storage version, or an earlier form of it
 * @typeParam Before the objects before the migration: an interface with the fields of that time
 */
export interface MigrationOptions<
  After extends object = never,
  Before extends object = After,
> extends MigrationName {
  /**
   * Returns the new object; labels and annotations may change too. Must be synchronous and pure. Top-level members that
   * it does not return, such as `status`, are kept as they are; null removes a member.
   */
  readonly up: (object: Before) => object;
  /**
   * Undoes `up`, for `xsvc model rollback`: returns the object as the release before the migration stored it, with the
   * same rules as `up`. Without it the migration cannot be rolled back.
   */
  readonly down?: (object: After) => object;
}

/** A migration between any two forms of objects. */
export interface AnyMigrationOptions extends MigrationName {
  readonly up: CallableFunction;
  readonly down?: CallableFunction;
}

/**
 * The options of a model, in addition to its class and indexes.
 * @typeParam Others the types of the classes of its other versions, in their order
 */
export interface ModelOptions<
  Storage extends object = never,
  Others extends readonly object[] = readonly never[],
> {
  readonly versions?: {
    readonly [I in keyof Others]: [Others[I]] extends [never]
      ? AnyVersionOptions<Storage>
      : VersionOptions<Storage, Others[I]>;
  };
  /** In the order of application. Each is applied once per store. */
  readonly migrations?: readonly (MigrationOptions<NoInfer<Storage>> | AnyMigrationOptions)[];
  /** Rules in code: return the errors of an object in the storage version. */
  readonly validate?: Validate<Storage>;
}

const OPTION_KEYS: ReadonlySet<string> = new Set(['versions', 'migrations', 'validate']);
const VERSION_KEYS: ReadonlySet<string> = new Set(['model', 'served', 'deprecated', 'up', 'down', 'fields']);
const MIGRATION_KEYS: ReadonlySet<string> = new Set(['id', 'description', 'up', 'down']);
const MIGRATION_ID_LENGTH_MAX = 100;

/**
 * Checks the options from a plugin, which may be plain JavaScript.
 * @throws ServiceError `BadRequest` with the model and the error
 */
export function checkModelOptions(model: string, given: unknown): ModelOptions {
  const bad = (text: string): never => {
    throw badRequest(`model ${model}: ${text}`);
  };
  if (given === undefined) return {};
  if (!isRecord(given)) return bad('the options of a registration must be an object');
  refuseUnknown(given, OPTION_KEYS, 'the options', bad);
  const { versions = [], migrations = [], validate } = given;
  if (validate !== undefined && typeof validate !== 'function') return bad('validate must be a function');
  if (validate instanceof AsyncFunction) return bad('validate must be synchronous, not an async function');
  if (!Array.isArray(versions)) return bad('versions must be an array');
  if (!Array.isArray(migrations)) return bad('migrations must be an array');
  versions.forEach((version: unknown, i) => checkVersion(version, `versions[${i}]`, bad));
  migrations.forEach((migration: unknown, i) => checkMigration(migration, `migrations[${i}]`, bad));
  const ids = (migrations as AnyMigrationOptions[]).map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) return bad(`the migration "${twice}" is declared twice`);
  return given;
}

const AsyncFunction = (async () => {}).constructor;

type Refuse = (text: string) => never;

function refuseUnknown(given: object, known: ReadonlySet<string>, what: string, bad: Refuse): void {
  const other = Object.keys(given).find((key) => !known.has(key));
  if (other !== undefined) bad(`${what} have no "${other}"; known: ${[...known].join(', ')}`);
}

function checkVersion(given: unknown, at: string, bad: Refuse): void {
  if (!isRecord(given)) return bad(`${at} must be an object`);
  refuseUnknown(given, VERSION_KEYS, at, bad);
  if (typeof given.model !== 'function') bad(`${at}.model must be a class`);
  for (const key of ['up', 'down'])
    if (typeof given[key] !== 'function') bad(`${at}.${key} must be a function`);
  const { served, deprecated, fields } = given;
  if (served !== undefined && typeof served !== 'boolean') bad(`${at}.served must be true or false`);
  if (deprecated !== undefined && typeof deprecated !== 'string') bad(`${at}.deprecated must be a string`);
  if (fields === undefined) return;
  if (!isRecord(fields)) return bad(`${at}.fields must be an object`);
  for (const [name, stored] of Object.entries(fields))
    if (typeof stored !== 'string') bad(`${at}.fields["${name}"] must be the name of an index`);
}

function checkMigration(given: unknown, at: string, bad: Refuse): void {
  if (!isRecord(given)) return bad(`${at} must be an object`);
  refuseUnknown(given, MIGRATION_KEYS, at, bad);
  const { id, description, up, down } = given;
  if (typeof id !== 'string' || id === '' || id.length > MIGRATION_ID_LENGTH_MAX)
    bad(`${at}.id must be a string of 1 to ${MIGRATION_ID_LENGTH_MAX} characters`);
  if (id === NO_MIGRATION) bad(`${at}.id must not be "${id}", which means no migration`);
  if (description !== undefined && typeof description !== 'string') bad(`${at}.description must be a string`);
  if (typeof up !== 'function') bad(`${at}.up must be a function`);
  if (down !== undefined && typeof down !== 'function') bad(`${at}.down must be a function`);
}
