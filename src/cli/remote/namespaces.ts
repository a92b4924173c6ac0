import { fullName, isNamespaced, splitFullName, type NameParts } from '../../model/full-name.js';
import { isDnsLabel } from '../../model/names-and-labels.js';
import type { Resource } from '../../model/resource.js';
import type { ListOptions } from '../../query/list-options.js';
import { UsageError } from '../exit.js';
import type { GlobalFlags } from '../flags.js';
import type { CliIo } from '../io.js';
import { findContext } from './remote.js';

const DEFAULT = 'default';

/** The namespaces of a command line. Without a meaning for objects of cluster-scoped models. */
export interface Scope {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** True when a flag names it: then files must not state another one. */
  readonly isGiven: boolean;
}

export interface ScopeFlags extends GlobalFlags {
  readonly allNamespaces?: boolean;
}

/**
 * The scope of a command: flags go before the environment, and both before the current context.
 * @throws UsageError for `-n` with `-A`, and for a text that cannot name a namespace
 */
export async function findScope(flags: ScopeFlags, io: CliIo): Promise<Scope> {
  const { namespace: given, allNamespaces = false } = flags;
  if (given !== undefined && allNamespaces)
    throw new UsageError('-n and -A exclude each other: one namespace, or all');
  if (given !== undefined) return { namespace: checkNamespace(given), isGiven: true };
  if (allNamespaces) return { namespace: undefined, isGiven: false };
  const { XSVC_NAMESPACE: named = '' } = io.env;
  const namespace = named === '' ? ((await findContext(flags, io))?.namespace ?? DEFAULT) : named;
  return { namespace: checkNamespace(namespace), isGiven: false };
}

/** @throws UsageError for a text that cannot name a namespace */
export function checkNamespace(text: string): string {
  if (isDnsLabel(text)) return text;
  throw new UsageError(
    `"${text}" cannot name a namespace; use up to 63 lowercase letters, digits and "-", with a letter or digit at both ends`,
  );
}

/**
 * The full name of an object that a person names. No other place makes one from a text.
 * @param stated the namespace in a manifest. Default: that of the scope
 * @throws UsageError for a name in all namespaces
 */
export function fullNameIn(scope: Scope, resource: Resource, name: string, stated?: string): string {
  const namespace = stated ?? scope.namespace;
  if (namespace === undefined)
    throw new UsageError('-A is for lists; an object has a name in one namespace, see -n');
  return fullName(resource, { namespace, name });
}

/** A full name for people: without the namespace. */
export function shownName(full: string): string {
  return splitFullName(full).name;
}

/** The option of lists and watches for the objects of a scope. */
export function listedIn({ namespace }: Scope, resource: Resource): Pick<ListOptions, 'namespace'> {
  return namespace !== undefined && isNamespaced(resource) ? { namespace } : {};
}

export function isIn({ namespace }: Scope, { namespace: own }: NameParts): boolean {
  return own === undefined || namespace === undefined || own === namespace;
}

/** A full name beside an object that it is related to: with the namespace where it is another one. */
export function shownBeside(full: string, related: string): string {
  const isClear = splitFullName(full).namespace === splitFullName(related).namespace;
  return isClear ? shownName(full) : full;
}
