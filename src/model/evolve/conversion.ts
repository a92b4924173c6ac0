import { formatExcerpt, getMessage, ServiceError } from '../../errors.js';
import { cloneJson, copyOfPlain, findProblem, formatProblem, isRecord, setOwn } from '../../lib/json/json.js';
import { createInstance } from '../declare/instance.js';
import { withoutLastMigration } from './migration-stamp.js';
import type { ExtensionObject } from '../object.js';
import { getApiVersion, type Resource } from '../resource.js';
import type { ModelClass } from '../declare/model-class.js';
import type { AnyMigrationOptions, AnyVersionOptions } from './versions.js';

/** The error when plugin code that converts an object failed, or did not return an object. */
export class ConversionError extends ServiceError {
  constructor(
    message: string,
    /** The object that was converted. */
    details: { readonly group: string; readonly kind: string; readonly name: string },
  ) {
    super('InternalError', message, details);
  }
}

/** The error when a program that converts objects gave no usable answer. */
export class RemoteConversionError extends ConversionError {}

/** Converts between a version and the storage version. @throws ConversionError */
export interface Conversion {
  /** Converts to the storage version. The argument is not changed. */
  up(object: ExtensionObject): ExtensionObject;
  /** Converts from the storage version. The argument is not changed. */
  down(object: ExtensionObject): ExtensionObject;
}

/** A migration of a model, in the form that the service uses. */
export interface Migration {
  readonly id: string;
  readonly description: string;
  /**
   * Returns the new object in the version of the argument, with the same metadata except labels and annotations.
   * @throws ConversionError
   */
  readonly up: (object: ExtensionObject) => ExtensionObject;
  /**
   * Undoes `up`, in the same way; undefined when the migration cannot be undone.
   */
  readonly down: ((object: ExtensionObject) => ExtensionObject) | undefined;
}

/** A version of a model: its class and its data. */
export interface VersionClass {
  readonly model: ModelClass;
  readonly resource: Resource;
}

/** The input and output of a conversion. */
interface Step {
  readonly call: CallableFunction;
  /** The name in messages. */
  readonly name: string;
  readonly from: ModelClass;
  readonly to: Resource;
}

export function bindConversion(
  { up, down }: AnyVersionOptions,
  version: VersionClass,
  storage: VersionClass,
): Conversion {
  const named = `of version ${version.resource.version}`;
  const upwards: Step = { call: up, name: `up() ${named}`, from: version.model, to: storage.resource };
  const downwards: Step = { call: down, name: `down() ${named}`, from: storage.model, to: version.resource };
  return {
    up: (object) => convert(upwards, object, object.metadata),
    down: (object) => convert(downwards, object, object.metadata),
  };
}

/** @param getVersion the version of an object; a migration speaks of the storage version of its time */
export function bindMigration(
  { id, description = '', up, down }: AnyMigrationOptions,
  getVersion: (object: ExtensionObject) => VersionClass,
): Migration {
  const run = (call: Step['call'], name: 'up()' | 'down()', object: ExtensionObject): ExtensionObject => {
    const { model, resource } = getVersion(object);
    const step: Step = { call, name: `${name} of the migration "${id}"`, from: model, to: resource };
    const made = returnedBy(step, object);
    if (name === 'down()') refuseOtherIdentity(step, object, made.metadata);
    return migrated(step, object, made);
  };
  return {
    id,
    description,
    up: (object) => run(up, 'up()', object),
    down: down && ((object) => run(down, 'down()', object)),
  };
}

function migrated(
  { to }: Step,
  object: ExtensionObject,
  made: Readonly<Record<string, unknown>>,
): ExtensionObject {
  const { labels, annotations } = isRecord(made.metadata) ? made.metadata : object.metadata;
  const { labels: _l, annotations: _a, ...rest } = object.metadata;
  const metadata = {
    ...rest,
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
  };
  // The types are checked with the rest of the object, before it is stored.
  return shaped(to, { object, made }, withoutLastMigration(metadata as ExtensionObject['metadata']));
}

function convert(
  step: Step,
  object: ExtensionObject,
  metadata: ExtensionObject['metadata'],
): ExtensionObject {
  return shaped(step.to, { object, made: returnedBy(step, object) }, cloneJson(metadata));
}

/** The input of a function, and what it returned. */
interface Returned {
  readonly object: ExtensionObject;
  readonly made: Readonly<Record<string, unknown>>;
}

/** Members that the function did not return stay, such as `status`; null removes a member. */
function shaped(
  resource: Resource,
  { object, made: { apiVersion: _v, kind: _k, metadata: _m, ...rest } }: Returned,
  metadata: ExtensionObject['metadata'],
): ExtensionObject {
  const result: ExtensionObject = { apiVersion: getApiVersion(resource), kind: resource.kind, metadata };
  for (const [name, value] of Object.entries(rest)) if (value !== null) setOwn(result, name, value);
  for (const [name, value] of Object.entries(object))
    if (!Object.hasOwn(rest, name) && !Object.hasOwn(result, name)) setOwn(result, name, cloneJson(value));
  return result;
}

/** An object that a migration returns with another name or uid is not the object that it was called with. */
function refuseOtherIdentity(step: Step, object: ExtensionObject, made: unknown): void {
  if (!isRecord(made)) return;
  for (const field of ['name', 'uid'] as const) {
    const { [field]: now } = made;
    if (now !== undefined && now !== object.metadata[field])
      failed(step, object, `must not change metadata.${field}`);
  }
}

function failed({ name: call, to }: Step, { metadata: { name } }: ExtensionObject, reason: string): never {
  const { group, kind, version } = to;
  const what = `${kind} "${formatExcerpt(name)}" cannot be converted to ${version}`;
  throw new ConversionError(`${what}: ${call} ${reason}`, { group, kind, name });
}

/** Calls the plugin code with a copy of the object, and returns its result as JSON would carry it. */
function returnedBy(step: Step, object: ExtensionObject): Record<string, unknown> {
  const fail = (reason: string): never => failed(step, object, reason);
  let made: unknown;
  try {
    made = Reflect.apply(step.call, undefined, [createInstance(step.from, cloneJson(object))]);
  } catch (error) {
    return fail(`failed: ${formatExcerpt(getMessage(error), 300)}`);
  }
  if (made instanceof Promise) {
    made.catch(() => undefined);
    return fail('returned a promise; it must be synchronous');
  }
  if (!isRecord(made)) return fail(`must return an object, got ${made === null ? 'null' : typeof made}`);
  return asJson(made, fail);
}

function asJson(made: object, fail: (reason: string) => never): Record<string, unknown> {
  const plain = copyOfPlain({ ...made });
  if (isRecord(plain)) return plain;
  let copy: Record<string, unknown>;
  try {
    copy = JSON.parse(JSON.stringify({ ...made })) as Record<string, unknown>;
  } catch (error) {
    return fail(`returned a value that is not JSON: ${formatExcerpt(getMessage(error))}`);
  }
  const problem = findProblem(copy);
  if (problem !== undefined) return fail(`returned a value that is not JSON: ${formatProblem(problem)}`);
  return copy;
}
