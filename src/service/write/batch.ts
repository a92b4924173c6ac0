import { ServiceError, type Cause } from '../../errors.js';
import { rewordedCause } from '../../model/validate/violation.js';

/** The error of an item of a batch; its causes name the item. */
export function atItem(error: ServiceError, position: number): ServiceError {
  const own: readonly Cause[] = error.details.causes ?? [
    { field: 'metadata.name', reason: 'FieldValueInvalid', message: error.message },
  ];
  const causes = own.map((cause) => rewordedCause(cause, { field: `items[${position}].${cause.field}` }));
  return new ServiceError(error.code, `items[${position}]: ${error.message}`, { ...error.details, causes });
}
