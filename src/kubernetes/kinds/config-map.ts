import {
  base64Bytes,
  prepareBase64,
  immutableFaults,
  dataKeyFaults,
  sizeFaults,
  textBytes,
  valuesOf,
} from './data.js';
import type { KindRules } from './kind-check.js';

export const CONFIG_MAP: KindRules = {
  prepare: (object) => prepareBase64(object, 'binaryData'),
  validate: (object, stored) => {
    const binary = valuesOf(object, 'binaryData');
    const twice = Object.keys(valuesOf(object, 'data')).filter((key) => Object.hasOwn(binary, key));
    return [
      ...immutableFaults(object, stored, ['data', 'binaryData']),
      ...dataKeyFaults(object, 'data'),
      ...dataKeyFaults(object, 'binaryData'),
      ...twice.map((key) => ({
        field: `data[${key}]`,
        reason: 'FieldValueInvalid' as const,
        message: 'must not be a key of binaryData as well',
      })),
      ...sizeFaults(textBytes(object, 'data') + base64Bytes(object, 'binaryData')),
    ];
  },
};
