import type { Cause } from '../../errors.js';
import type { ConversionError } from '../../model/evolve/conversion.js';

/** The field that the error of a failed conversion names. */
export const CONVERSION_FIELD = 'apiVersion';

/** The causes of a failed conversion, which distinguish it from other errors of the object. */
export function conversionCauses({ message }: ConversionError): readonly Cause[] {
  return [{ field: CONVERSION_FIELD, reason: 'FieldValueInvalid', message }];
}
