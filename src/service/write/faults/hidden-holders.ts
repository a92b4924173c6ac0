import { ServiceError } from '../../../errors.js';
import { withoutHolder } from '../../../store/index/entries.js';
import type { MayList } from '../../verbs.js';
import type { WriteRequest } from '../request.js';

/** The error of a write without the names of objects that its sender may not list. */
export function hideHolders(
  error: ServiceError,
  requests: readonly Pick<WriteRequest, 'resource'>[],
  mayList: MayList,
): ServiceError {
  const { causes = [] } = error.details;
  if (causes.length === 0 || requests.every(({ resource }) => mayList(resource))) return error;
  const hidden = causes.map(withoutHolder);
  const message = causes.reduce(
    (text, cause, i) => text.replaceAll(cause.message, () => hidden[i]?.message ?? ''),
    error.message,
  );
  return new ServiceError(error.code, message, { ...error.details, causes: hidden });
}
