import { cloneJson } from '../../lib/json/json.js';
import { createInstance } from '../../model/declare/instance.js';
import type { ModelClass } from '../../model/declare/model-class.js';
import { getOwners, ownerModelKey } from '../../model/owner-references.js';
import { modelKey, type GroupVersionKind } from '../../model/resource.js';
import type { Watched } from '../controller.js';
import type { Request } from '../request.js';

/** The owners of the given model that objects name with `controller: true`. */
export function ownerNames(owner: GroupVersionKind): Watched['namesOf'] {
  const key = modelKey(owner);
  return (object) =>
    getOwners(object)
      .filter((reference) => reference.controller === true && ownerModelKey(reference) === key)
      .map(({ name }) => name);
}

/** The requests of an author's function, which gets a copy of each object. */
export function requestedNames<T extends object>(
  model: ModelClass<T>,
  toRequests: (object: T) => readonly Request[],
): Watched['namesOf'] {
  return (object) => getNames(toRequests(copyFor(model, object)));
}

/** Checks the result of an author's function, which may be plain JavaScript. */
function getNames(requests: unknown): readonly string[] {
  // No one awaits the promise, and an unhandled rejection ends the process.
  if (requests instanceof Promise) requests.catch(() => undefined);
  if (!Array.isArray(requests)) throw new Error('it must return an array of requests synchronously');
  return requests.map((request: unknown) => {
    const name: unknown =
      typeof request === 'object' && request !== null && 'name' in request && request.name;
    if (typeof name === 'string' && name !== '') return name;
    throw new Error('it must return requests such as { name: "a" }');
  });
}

/**
 * Copies an object for an author's function. It is an instance of the model's class, as from the client, so that its methods work.
 * It is a copy, because such functions may delete members to compare, and all watchers share the original.
 */
export function copyFor<T extends object>(model: ModelClass<T>, object: object): T {
  return createInstance(model, cloneJson(object));
}
