import { hasCode, ServiceError } from '../../../errors.js';
import type { ExtensionObject, OwnerReference } from '../../../model/object.js';
import { fullName } from '../../../model/full-name.js';
import { ownerModelKey, getOwners } from '../../../model/owner-references.js';
import { isStorageVersion, modelKey, type Resource } from '../../../model/resource.js';
import type { ModelDependents, Verbs } from '../../../service/verbs.js';
import { shownBeside } from '../../remote/namespaces.js';
import type { Target } from '../../targets.js';

/** The limit of printed dependents of one model; others are only counted. */
const SHOWN_MAX = 10;

/** The owners of an object, and the objects it owns; empty without any. */
export async function ownerLines(verbs: Verbs, object: ExtensionObject, target: Target): Promise<string[]> {
  const models = (await verbs.resources()).filter(isStorageVersion);
  const owners = await Promise.all(
    getOwners(object).map((owner) => ownerLine(verbs, models, owner, object.metadata.namespace)),
  );
  return [...titled('Owners', owners), ...(await dependentLines(verbs, target))];
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

/** @param namespace that of the owned object: an owner in a namespace is in the same one */
async function ownerLine(
  verbs: Verbs,
  models: readonly Resource[],
  owner: OwnerReference,
  namespace: string | undefined,
): Promise<string> {
  const { kind, name, uid, controller, blockOwnerDeletion } = owner;
  const model = models.find((one) => modelKey(one) === ownerModelKey(owner));
  const notes = [
    ...(controller === true ? ['controller'] : []),
    ...(blockOwnerDeletion === true ? ['a foreground deletion of it waits for this object'] : []),
    ...(await presence(verbs, model, { name, uid, namespace })),
  ];
  const ownerName = `${model?.plural ?? kind}/${name}`;
  return notes.length === 0 ? ownerName : `${ownerName} (${notes.join(', ')})`;
}

async function presence(
  verbs: Verbs,
  model: Resource | undefined,
  { name, uid, namespace }: Pick<OwnerReference, 'name' | 'uid'> & { readonly namespace: string | undefined },
): Promise<string[]> {
  if (model === undefined) return ['its model is not served'];
  const found = await unlessForbidden(verbs.getMany(model, [fullName(model, { namespace, name })]));
  if (found === undefined) return ['not permitted'];
  return found[0]?.metadata.uid === uid ? [] : ['gone'];
}

async function dependentLines(verbs: Verbs, { resource, name }: Target): Promise<string[]> {
  const asked = unlessForbidden(verbs.dependents(resource, name, { limit: SHOWN_MAX }));
  const found = await asked.catch((error: unknown) => {
    if (hasCode(error, 'ServiceUnavailable')) return error;
    throw error;
  });
  if (found === undefined) return ['Dependents: not permitted'];
  if (found instanceof ServiceError) return [`Dependents: not available now: ${found.message}`];
  return titled(
    'Dependents',
    found.items.flatMap((one) => modelLines(one, name)),
  );
}

/** @param owner the full name of the owner */
function modelLines({ plural, total, shared, deleting, names }: ModelDependents, owner: string): string[] {
  const lines = names.map((name) => `${plural}/${shownBeside(name, owner)}`);
  const more = total - lines.length;
  if (more > 0) lines.push(names.length === 0 ? `${total} ${plural}` : `and ${more} more ${plural}`);
  if (shared > 0) lines.push(`(${shared} of the ${total} ${plural} have other owners as well)`);
  if (deleting > 0) lines.push(`(${deleting} of the ${total} ${plural} are being deleted)`);
  return lines;
}

/** Undefined when the user has no right to it. */
export async function unlessForbidden<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return undefined;
    throw error;
  }
}
