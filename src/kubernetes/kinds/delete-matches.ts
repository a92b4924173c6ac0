import { hasCode, type ServiceError } from '../../errors.js';
import type { Resource } from '../../model/resource.js';
import type { MatchOptions } from '../../query/list-options.js';
import type { Service } from '../../service/service.js';
import type { WriteOptions } from '../../service/verbs.js';

/** Objects in one commit: other writes run between commits. */
const COMMIT_OBJECTS = 500;

export interface DeleteMatchesOptions extends Pick<WriteOptions, 'user' | 'admission' | 'isUnreviewed'> {
  readonly signal?: AbortSignal;
}

/**
 * Deletes all matches, in bounded commits. Those with finalizers are marked.
 * @throws ServiceError the first refusal of a match, after all others are deleted
 */
export async function deleteMatches(
  service: Service,
  resource: Resource,
  match: MatchOptions,
  { signal, ...by }: DeleteMatchesOptions,
): Promise<void> {
  let refusal: ServiceError | undefined;
  let names: string[] = [];
  const deleteThem = async (): Promise<void> => {
    const found = await deleteNamed(service, resource, names, by);
    refusal ??= found;
    names = [];
  };
  for await (const name of service.eachName(resource, match)) {
    if (signal?.aborted === true) return;
    names.push(name);
    if (names.length === COMMIT_OBJECTS) await deleteThem();
  }
  await deleteThem();
  if (refusal !== undefined) throw refusal;
}

/** @returns the first refusal */
async function deleteNamed(
  service: Service,
  resource: Resource,
  names: readonly string[],
  by: WriteOptions,
): Promise<ServiceError | undefined> {
  if (names.length === 0) return undefined;
  try {
    await service.batch(
      names.map((name) => ({ verb: 'delete' as const, resource, name })),
      by,
    );
    return undefined;
  } catch (error) {
    if (names.length === 1) return refusalIn(error);
    // One of them may be gone, or refuse: each is deleted alone.
    let refusal: ServiceError | undefined;
    for (const name of names) {
      const found = await deleteNamed(service, resource, [name], by);
      refusal ??= found;
    }
    return refusal;
  }
}

/**
 * The refusal of a deletion, such as that of an object that others refer to; undefined for an object that is gone.
 * @throws any other error
 */
export function refusalIn(error: unknown): ServiceError | undefined {
  if (hasCode(error, 'NotFound')) return undefined;
  if (hasCode(error, 'Conflict')) return error;
  throw error;
}
