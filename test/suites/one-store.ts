import type { Verbs } from '../../src/service/verbs.js';
import { AUTHOR, BOOK, SHELF } from '../helpers/library.js';
import { PERSON, PET } from '../helpers/models.js';
import type { TestService } from '../helpers/store.js';
import type { VerbsDoor } from './verbs.js';

/**
 * One store for all cases: what earlier ones left is deleted, so each begins with no object.
 * @param verbs default: those of the service
 */
export async function openEmptied(
  { service, check }: Pick<TestService, 'service' | 'check'>,
  verbs: Verbs = service,
): Promise<VerbsDoor> {
  for (const resource of [PERSON, PET, SHELF, BOOK, AUTHOR]) {
    const names = await service.listNames(resource);
    if (names.length > 0) await service.batch(names.map((name) => ({ verb: 'delete', resource, name })));
    // Those with finalizers.
    for (const name of await service.listNames(resource))
      await service.patch(resource, name, { metadata: { finalizers: [] } }, 'merge');
  }
  return { verbs, check, close: () => Promise.resolve() };
}
