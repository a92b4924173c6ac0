import { formatExcerpt, getMessage, ServiceError } from '../../errors.js';
import { cloneJson, copyOfPlain, findProblem, formatProblem, isRecord } from '../../lib/json/json.js';
import { createInstance } from '../declare/instance.js';
import { withoutLastMigration } from './migration-stamp.js';
import type { ExtensionObject } from '../object.js';
import { getApiVersion, type Resource } from '../resource.js';
import type { ModelClass } from '../declare/model-class.js';
import type { AnyVersionOptions, MigrationOptions } from './versions.js';

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
  /** Returns the new object, with the same metadata except labels and annotations. @throws ConversionError */
  up(object: ExtensionObject): ExtensionObject;
}

/** The input and output of a conversion. */
interface Step {
  readonly call: (object: never) => unknown;
  /** The name in messages. */
  readonly name: string;
  readonly from: ModelClass;
  readonly to: Resource;
}

export function bindConversion(
  { up, down }: AnyVersionOptions,
  version: { readonly model: ModelClass; readonly resource: Resource },
  storage: { readonly model: ModelClass; readonly resource: Resource },
): Conversion {
  const named = `of version ${version.resource.version}`;
  const upwards: Step = { call: up, name: `up() ${named}`, from: version.model, to: storage.resource };
  const downwards: Step = { call: down, name: `down() ${named}`, from: storage.model, to: version.resource };
  return {
    up: (object) => convert(upwards, object, object.metadata),
    down: (object) => convert(downwards, object, object.metadata),
  };
}

export function bindMigration(
  { id, description = '', up }: MigrationOptions,
  model: ModelClass,
  resource: Resource,
): Migration {
  const step: Step = { call: up, name: `up() of the migration "${id}"`, from: model, to: resource };
  return {
    id,
    description,
    up(object) {
      const made = returnedBy(step, object);
      const { labels, annotations } = isRecord(made.metadata) ? made.metadata : object.metadata;
      const { labels: _l, annotations: _a, ...rest } = object.metadata;
      const metadata = {
        ...rest,
        ...(labels !== undefined && { labels }),
        ...(annotations !== undefined && { annotations }),
      };
      // The types are checked with the rest of the object, before it is stored.
      return shaped(step.to, made, withoutLastMigration(metadata as ExtensionObject['metadata']));
    },
  };
}

function convert(
  step: Step,
  object: ExtensionObject,
  metadata: ExtensionObject['metadata'],
): ExtensionObject {
  return shaped(step.to, returnedBy(step, object), cloneJson(metadata));
}

function shaped(
  resource: Resource,
  { apiVersion: _v, kind: _k, metadata: _m, ...rest }: Record<string, unknown>,
  metadata: ExtensionObject['metadata'],
): ExtensionObject {
  return { apiVersion: getApiVersion(resource), kind: resource.kind, metadata, ...rest };
}

/** Calls the plugin code with a copy of the object, and returns its result as JSON would carry it. */
function returnedBy(step: Step, object: ExtensionObject): Record<string, unknown> {
  const fail = (reason: string): never => {
    const { group, kind } = step.to;
    const { name } = object.metadata;
    const what = `${kind} "${formatExcerpt(name)}" cannot be converted to ${step.to.version}`;
    throw new ConversionError(`${what}: ${step.name} ${reason}`, { group, kind, name });
  };
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
