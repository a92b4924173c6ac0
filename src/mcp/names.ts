import { actionOn } from '../access/rules.js';
import { badRequest, formatExcerpt, hasCode } from '../errors.js';
import { isNamespaced } from '../model/full-name.js';
import { resolveResource } from '../model/resolve-resource.js';
import { qualifiedPlural, type Resource } from '../model/resource.js';
import { isVisible, type Caller } from './caller.js';
import type { Parameter } from './parameters.js';

export const MODEL = {
  type: 'text',
  about:
    'Name of a model, as the tool `models` gives it; a plural, kind or short name is enough. Example: "services"',
} as const satisfies Parameter;

export const NAME = {
  type: 'text',
  about: 'Name of the object; in a namespaced model "<namespace>/<name>". Example: "checkout"',
} as const satisfies Parameter;

export const CONTINUE = {
  type: 'text',
  about: 'The `continue` of the previous answer, with the other arguments unchanged',
  isOptional: true,
} as const satisfies Parameter;

/**
 * The model of a name. Suggestions name only models that the caller may see.
 * @throws ServiceError `NotFound`, `BadRequest` for an ambiguous name
 */
export async function findModel(caller: Caller, name: string): Promise<Resource> {
  const all = await caller.reads.resources(name);
  return findAmong(caller, all, name);
}

/** See {@link findModel}. */
export function findAmong(caller: Caller, all: readonly Resource[], name: string): Resource {
  try {
    return resolveResource(
      all.filter((resource) => isVisible(caller, resource)),
      name,
    );
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
    const hidden = findHidden(all, name);
    if (hidden !== undefined) return hidden;
    throw caller.asMissing?.(error) ?? error;
  }
}

/** A model without rights is refused by its name, as over HTTP. */
function findHidden(all: readonly Resource[], name: string): Resource | undefined {
  try {
    return resolveResource(all, name);
  } catch {
    return undefined;
  }
}

/** The name of a model in answers; tools accept it. */
export const shownModel = qualifiedPlural;

/** @throws ServiceError `Forbidden` without any right to the model */
export function checkVisible(caller: Caller, resource: Resource): void {
  if (!isVisible(caller, resource)) caller.rights?.authorize(actionOn('list', resource));
}

/** The full name of an object. @throws ServiceError `BadRequest` */
export function readName(resource: Resource, name: string): string {
  const parts = name.split('/').length;
  if (name === '' || parts !== (isNamespaced(resource) ? 2 : 1)) {
    const form = isNamespaced(resource) ? '"<namespace>/<name>"' : 'a name without "/"';
    throw badRequest(
      `name: an object of ${shownModel(resource)} needs ${form}, not "${formatExcerpt(name)}"`,
    );
  }
  return name;
}
