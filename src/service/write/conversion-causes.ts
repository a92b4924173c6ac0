import type { Cause } from '../../errors.js';
import type { ConversionError } from '../../model/evolve/conversion.js';

/** The field that an object which cannot be converted is at fault in. */
export const CONVERSION_FIELD = 'apiVersion';

/** Why an object cannot be converted, as the cause of an error that tells it apart from others about the object. */
export function conversionCauses({ message }: ConversionError): readonly Cause[] {
  return [{ field: CONVERSION_FIELD, reason: 'FieldValueInvalid', message }];
}
