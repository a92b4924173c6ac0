import { badRequest, hasCode, ServiceError } from '../errors.js';
import { didYouMean, suggest } from '../lib/suggest.js';
import { isStorageVersion, modelKey, qualifiedPlural, type Resource } from './resource.js';

/**
 * Finds a resource by plural, singular, kind or short name (any case), each optionally followed by the group
 * (`persons.example.com`) or by version and group (`persons.v1.example.com`). Without a version, finds the storage
 * version of a model. A kind of Kubernetes itself is meant only when no other model is.
 * @throws ServiceError `BadRequest` when several match, with a list; `NotFound` when none does
 */
export function resolveResource<R extends Resource>(resources: Iterable<R>, text: string): R {
  const all = [...resources];
  const meant = inOneVersion(all.filter((resource) => isMeant(resource, text.toLowerCase())));
  const others = meant.filter(({ origin }) => origin !== 'core');
  const found = others.length > 0 ? others : meant;
  const [first, second] = found;
  if (first && !second) return first;
  if (first) {
    const choices = found.map(qualifiedPlural).sort().join(', ');
    throw badRequest(`"${text}" is ambiguous; use one of ${choices}`);
  }
  throw new UnknownResource(text, suggest(text, all.flatMap(suggestedNames)));
}

export class UnknownResource extends ServiceError {
  /** @param near the nearest known name, if one is near */
  constructor(
    text: string,
    readonly near: string | undefined,
  ) {
    super('NotFound', `there is no resource named "${text}"${didYouMean(near)}`);
  }
}

/** True when a name that a person typed, of a model or of one of its objects, matches one of the resources. */
export function hasResource(resources: readonly Resource[], named: string): boolean {
  const [model = ''] = named.split('/', 1);
  try {
    resolveResource(resources, model);
    return true;
  } catch (error) {
    return !hasCode(error, 'NotFound');
  }
}

/** Each model once: in its storage version, where the list contains it. */
export function inOneVersion<R extends Resource>(resources: readonly R[]): readonly R[] {
  const chosen = new Map<string, R>();
  for (const resource of resources) {
    const key = modelKey(resource);
    if (!chosen.has(key) || isStorageVersion(resource)) chosen.set(key, resource);
  }
  return [...chosen.values()];
}

function isMeant(resource: Resource, text: string): boolean {
  const dot = text.indexOf('.');
  const name = dot < 0 ? text : text.slice(0, dot);
  if (!getNames(resource).includes(name)) return false;
  const rest = text.slice(dot + 1);
  return dot < 0 || rest === resource.group || rest === `${resource.version}.${resource.group}`;
}

function getNames(resource: Resource): string[] {
  return [resource.plural, resource.singular, resource.kind.toLowerCase(), ...resource.shortNames];
}

/** A kind that differs from the singular only in case needs no separate suggestion. */
function suggestedNames(resource: Resource): string[] {
  return [resource.plural, resource.singular, ...resource.shortNames, `${resource.plural}.${resource.group}`];
}
