import { ServiceError } from '../../errors.js';
import type { Resource } from '../../model/resource.js';
import type { MatchOptions } from '../../query/list-options.js';
import type { Service } from '../../service/service.js';

/** Objects in one commit: other writes run between commits. */
const COMMIT_OBJECTS = 500;

export interface DeleteMatchesOptions {
  readonly user: string;
  readonly signal?: AbortSignal;
}

/**
 * Deletes all matches, in bounded commits. Those with finalizers are marked.
 * @throws ServiceError when one of them refuses; those of earlier commits are deleted
 */
export async function deleteMatches(
  service: Service,
  resource: Resource,
  match: MatchOptions,
  { user, signal }: DeleteMatchesOptions,
): Promise<void> {
  let names: string[] = [];
  for await (const name of service.eachName(resource, match)) {
    if (signal?.aborted === true) return;
    names.push(name);
    if (names.length < COMMIT_OBJECTS) continue;
    await deleteNamed(service, resource, names, user);
    names = [];
  }
  await deleteNamed(service, resource, names, user);
}

async function deleteNamed(
  service: Service,
  resource: Resource,
  names: readonly string[],
  user: string,
): Promise<void> {
  if (names.length === 0) return;
  try {
    await service.batch(
      names.map((name) => ({ verb: 'delete' as const, resource, name })),
      { user },
    );
  } catch (error) {
    // One of them may be gone, or refuse: the others are deleted alone.
    if (names.length > 1) for (const name of names) await deleteNamed(service, resource, [name], user);
    else if (!(error instanceof ServiceError) || error.code !== 'NotFound') throw error;
  }
}
