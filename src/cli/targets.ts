import { resolveResource } from '../model/resolve-resource.js';
import type { Resource } from '../model/resource.js';
import { UsageError } from './exit.js';
import { fullNameIn, type Scope } from './remote/namespaces.js';

/** An object that a command line names. */
export interface Target {
  readonly resource: Resource;
  /** The full name. */
  readonly name: string;
}

export interface Targets {
  /** The resource of the first argument. */
  readonly resource: Resource;
  /** In the given order, each once; empty when the command line names only a resource. */
  readonly names: readonly Target[];
}

/**
 * Parses `<resource> [name...]` or `<resource>/<name>...`.
 * @throws UsageError when the two are mixed; ServiceError `NotFound` for an unknown resource
 */
export function readTargets(resources: readonly Resource[], args: readonly string[], scope: Scope): Targets {
  const [first = '', ...rest] = args;
  if (first === '') throw new UsageError('name a resource, such as persons');
  const pairs = first.includes('/') ? args.map((arg) => readPair(resources, arg, scope)) : undefined;
  const head = pairs?.[0];
  if (pairs !== undefined && head !== undefined) return { resource: head.resource, names: unique(pairs) };
  const resource = resolveResource(resources, first);
  const named = rest.map((name) => {
    if (name.includes('/'))
      throw new UsageError(`"${name}": use either <resource> <name>... or <resource>/<name>...`);
    if (name === '') throw new UsageError('a name must not be empty');
    return { resource, name: fullNameIn(scope, resource, name) };
  });
  return { resource, names: unique(named) };
}

/** Several resources on a command line, and the errors of those that are unknown. */
export interface NamedResources {
  /** In the given order, each once. */
  readonly resources: readonly Resource[];
  readonly errors: readonly unknown[];
}

/**
 * Parses `<resource>,<resource>...`.
 * @throws UsageError for an empty name
 */
export function findResources(resources: readonly Resource[], text: string): NamedResources {
  const found = new Set<Resource>();
  const errors: unknown[] = [];
  for (const name of text.split(',')) {
    if (name === '') throw new UsageError(`"${text}": a resource is missing beside a comma`);
    try {
      found.add(resolveResource(resources, name));
    } catch (error) {
      errors.push(error);
    }
  }
  return { resources: [...found], errors };
}

/**
 * Parses `<resource> <name>` or `<resource>/<name>`.
 * @throws UsageError when that names no object, or several; ServiceError `NotFound` for an unknown resource
 */
export function readTarget(
  resources: readonly Resource[],
  args: readonly string[],
  scope: Scope,
  command: string,
): Target {
  const { names } = readTargets(resources, args, scope);
  const [target] = names;
  if (target === undefined || names.length > 1)
    throw new UsageError(`${command} needs one object, such as persons ada`);
  return target;
}

function readPair(resources: readonly Resource[], arg: string, scope: Scope): Target {
  const slash = arg.indexOf('/');
  const name = arg.slice(slash + 1);
  if (slash < 1 || name === '' || name.includes('/')) {
    throw new UsageError(`"${arg}" is not of the form <resource>/<name>`);
  }
  const resource = resolveResource(resources, arg.slice(0, slash));
  return { resource, name: fullNameIn(scope, resource, name) };
}

function unique(targets: readonly Target[]): Target[] {
  const byKey = new Map(
    targets.map((target) => [`${target.resource.plural}.${target.resource.group}/${target.name}`, target]),
  );
  return [...byKey.values()];
}
