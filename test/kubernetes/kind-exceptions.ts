import type { Summary } from './record/kind-requests.mjs';

/** Where this service answers otherwise on purpose: the position of the step, and the answer. */
export const OTHERWISE: Readonly<Record<string, readonly (readonly [step: number, answer: Summary])[]>> = {
  // The fault is that of a field, not of the whole object.
  'a config map of a mebibyte and a byte': [
    [0, { status: 422, reason: 'Invalid', causes: ['data FieldValueTooLong'] }],
  ],
  // Values of a wrong form are faults of fields.
  'times of a lease in other forms': [0, 1, 2].map((step) => [
    step,
    { status: 422, reason: 'Invalid', causes: ['spec.acquireTime FieldValueInvalid'] },
  ]),
  'a lease with a time that is none': [
    [0, { status: 422, reason: 'Invalid', causes: ['spec.renewTime FieldValueInvalid'] }],
  ],
  // The position of the finalizer is in the path.
  'a namespace with a wrong finalizer': [
    [0, { status: 422, reason: 'Invalid', causes: ['spec.finalizers[0] FieldValueInvalid'] }],
  ],
  'a namespace of 64 characters': [
    [
      0,
      {
        status: 422,
        reason: 'Invalid',
        causes: [
          'metadata.labels.kubernetes.io/metadata.name FieldValueTooLong',
          'metadata.name FieldValueTooLong',
        ],
      },
    ],
  ],
  // The key is in the path.
  'an annotation with capitals in its prefix': [
    [1, { status: 422, reason: 'Invalid', causes: ['metadata.annotations.Example_1/a FieldValueInvalid'] }],
  ],
  'a label with capitals in its prefix': [
    [0, { status: 422, reason: 'Invalid', causes: ['metadata.labels.Example.com/a FieldValueInvalid'] }],
  ],
  // Long paths are cut.
  'a key of 254 characters': [
    [0, { status: 422, reason: 'Invalid', causes: [`data[${'a'.repeat(95)}... FieldValueInvalid`] }],
  ],
  // The field that must differ is named.
  'an event of both groups': [
    [4, { status: 409, reason: 'AlreadyExists', causes: ['metadata.name FieldValueDuplicate'] }],
  ],
  // The field of the object is named, not the patch.
  'what stays in a new event': [
    [2, { status: 422, reason: 'Invalid', causes: ['eventTime FieldValueInvalid'] }],
  ],
  'an event without an object': [
    [0, { status: 422, reason: 'Invalid', causes: ['involvedObject FieldValueRequired'] }],
  ],
};
