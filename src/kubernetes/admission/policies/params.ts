import { hasCode } from '../../../errors.js';
import { isNamespaced, joinFullName } from '../../../model/full-name.js';
import { matchesLabels } from '../../../model/label-selector.js';
import type { Resource } from '../../../model/resource.js';
import type { Service } from '../../../service/service.js';
import type { ReviewedObject } from '../../../service/write/review/reviewers.js';
import { labelsOf } from '../matching.js';
import type { ParamRef, PolicySpec } from './policy.js';

/**
 * The parameters of a binding: the policy is evaluated once with each of them.
 * @param namespace of the written object
 * @throws Error when the policy cannot be evaluated
 */
export async function findParams(
  service: Service,
  { paramKind }: PolicySpec,
  paramRef: ParamRef | undefined,
  namespace: string | undefined,
): Promise<readonly (ReviewedObject | null)[]> {
  if (paramKind === undefined || paramRef === undefined) return [null];
  const resource = resourceOf(service, paramKind);
  const place = placeOf(resource, paramRef, namespace);
  const found =
    paramRef.selector === undefined
      ? await findNamed(service, resource, joinFullName({ ...place, name: paramRef.name ?? '' }))
      : await findSelected(service, resource, place, paramRef.selector);
  if (found.length === 0 && paramRef.parameterNotFoundAction === 'Deny')
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found;
}

function resourceOf(
  { models }: Service,
  { apiVersion = '', kind = '' }: NonNullable<PolicySpec['paramKind']>,
): Resource {
  const at = apiVersion.indexOf('/');
  const group = at < 0 ? '' : apiVersion.slice(0, at);
  const found = models.findByKind({ group, version: apiVersion.slice(at + 1), kind });
  if (found === undefined) throw new Error(`paramKind kind \`${apiVersion}, Kind=${kind}\` not known`);
  return found;
}

function placeOf(
  resource: Resource,
  paramRef: ParamRef,
  namespace: string | undefined,
): { readonly namespace?: string } {
  if (!isNamespaced(resource)) {
    if ((paramRef.namespace ?? '') === '') return {};
    throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const place = paramRef.namespace ?? namespace;
  if (place !== undefined) return { namespace: place };
  throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
}

async function findNamed(
  service: Service,
  resource: Resource,
  name: string,
): Promise<readonly ReviewedObject[]> {
  try {
    return [await service.get(resource, name)];
  } catch (error) {
    if (hasCode(error, 'NotFound')) return [];
    throw error;
  }
}

async function findSelected(
  service: Service,
  resource: Resource,
  place: { readonly namespace?: string },
  selector: object,
): Promise<readonly ReviewedObject[]> {
  const found: ReviewedObject[] = [];
  for await (const object of service.listAll(resource, place))
    if (matchesLabels(selector, labelsOf(object))) found.push(object);
  return found;
}
