import type { Resource } from './resource.js';

/** The part of a resource that determines the names of its objects within the store. */
export interface Scoped {
  readonly scope?: Resource['scope'] | undefined;
}

/** A namespace and a name, as in metadata. The namespace of an object of a cluster-scoped model has no meaning. */
export interface NamespacedName {
  readonly namespace?: unknown;
  readonly name: string;
}

/** True when each object of the model is in a namespace. */
export function isNamespaced({ scope }: Scoped): boolean {
  return scope === 'Namespaced';
}

/**
 * Identifies an object within its model: `<namespace>/<name>` in a namespaced model, else the name. Neither part of a stored one
 * has a slash, so that the objects of a namespace are one range, in the order of their names.
 */
export function fullName(model: Scoped, { namespace, name }: NamespacedName): string {
  return isNamespaced(model)
    ? `${namespacePrefix(typeof namespace === 'string' ? namespace : '')}${name}`
    : name;
}

/** Stands for a slash in the namespace of a request, so that the first slash of a full name is before the name. */
const SLASH = '%2F';

/** The start of the full names of a namespace. */
export function namespacePrefix(namespace: string): string {
  return `${namespace.replaceAll('/', SLASH)}/`;
}

/**
 * The parts of a full name; without a namespace in a cluster-scoped model.
 * @param model needed for a name from a request, which may have a slash in any model
 */
export function splitFullName(
  text: string,
  model?: Scoped,
): { readonly namespace: string | undefined; readonly name: string } {
  const slash = model === undefined || isNamespaced(model) ? text.indexOf('/') : -1;
  const namespace = slash < 0 ? undefined : text.slice(0, slash).replaceAll(SLASH, '/');
  return { namespace, name: text.slice(slash + 1) };
}

/** The parts of a full name as members of an answer. */
export interface NameParts {
  /** Absent in a cluster-scoped model. */
  readonly namespace?: string;
  readonly name: string;
}

/** {@link splitFullName} for answers. */
export function namePartsOf(text: string, model?: Scoped): NameParts {
  const { namespace, name } = splitFullName(text, model);
  return { ...(namespace !== undefined && { namespace }), name };
}

export function joinFullName({ namespace, name }: NameParts): string {
  return namespace === undefined ? name : `${namespacePrefix(namespace)}${name}`;
}
