import { ServiceError } from '../../errors.js';
import { cloneJson, isRecord, joinPath } from '../../lib/json/json.js';
import { didYouMean } from '../../lib/suggest.js';
import type { Ctor } from '../../model/declare/schema-decorator.js';
import type { JsonObject } from '../../model/object.js';
import { isConstructor } from '../../model/schema/schema-of.js';
import { UnknownFieldFinder } from '../../model/validate/unknown-fields.js';
import { checkOfType, schemaOfClass } from '../../endpoint/class-check.js';
import { createInstance } from '../../endpoint/class-fields.js';

/** Most unknown members that are named in the log. */
const UNKNOWN_MAX = 20;

export interface GivenConfig {
  /** The name of the plugin. */
  readonly plugin: string;
  /** The main class of the plugin, whose `config` is the class of its configuration. */
  readonly type: object;
  /** The configuration as the operator wrote it; undefined without one. */
  readonly value: unknown;
  /** Receives sentences about members that the class does not declare. */
  readonly warn: (message: string) => void;
}

/**
 * Checks the configuration of a plugin against the class that its main class names as `static config`.
 * @returns an instance of that class, with the defaults of its schema; the value itself without such a class
 * @throws ServiceError `Invalid` that lists every error with its path; any error of a class that cannot be described
 */
export function checkConfig({ plugin, type, value, warn }: GivenConfig): unknown {
  const declared = findConfigClass(type);
  if (declared === undefined) return value;
  const root = `pluginConfig.${plugin}`;
  const config: unknown = cloneJson(value ?? {});
  const faults = checkOfType(declared)(config, 'en').map(
    ({ field, message }) => `${field === '' ? root : joinPath(root, field)}: ${message}`,
  );
  if (faults.length > 0) throw new ServiceError('Invalid', faults.join('; '));
  for (const { path, suggestion } of new UnknownFieldFinder(schemaOfClass(declared)).find(
    config,
    UNKNOWN_MAX,
  ))
    warn(`${joinPath(root, path)} is not a declared member${didYouMean(suggestion)}`);
  return isRecord(config) ? createInstance(declared, config) : config;
}

/**
 * The class of a plugin's configuration; undefined without one.
 * @throws ServiceError `Invalid` when it is not a class
 */
function findConfigClass(type: object): Ctor | undefined {
  const declared: unknown = Reflect.get(type, 'config');
  if (declared === undefined || isConstructor(declared)) return declared;
  throw new ServiceError('Invalid', 'static config of the main class must be a class with @Schema fields');
}

/** The schema of a plugin's configuration; undefined without one that can be described. */
export function findConfigSchema(type: object): JsonObject | undefined {
  try {
    const declared = findConfigClass(type);
    return declared && schemaOfClass(declared);
  } catch {
    // The start of the plugin reports it.
    return undefined;
  }
}
