import { describe, expect, it } from 'vitest';
import { parseMessages } from '../../src/kubernetes/message-types.js';
import { readKubernetesBody } from '../../src/kubernetes/protobuf/body.js';
import { MessageReader } from '../../src/kubernetes/protobuf/message-reader.js';
import { WireReader } from '../../src/kubernetes/protobuf/wire.js';
import { encodeWire, kubernetesBody, tag, varint, withLength, type WireFields } from '../helpers/protobuf.js';

const EXTENSIONS = 'apiextensions.k8s.io/v1';
/** An entry of a map. */
const entry = (key: string, value: WireFields[number][1]): WireFields => [
  [1, key],
  [2, value],
];
const lease = (spec: WireFields): unknown =>
  readKubernetesBody(kubernetesBody('coordination.k8s.io/v1', 'Lease', [[2, spec]]));
const schema = (fields: WireFields): Record<string, unknown> =>
  readKubernetesBody(
    kubernetesBody(EXTENSIONS, 'CustomResourceDefinition', [[2, [[7, [[4, [[1, fields]]]]]]]]),
  );

describe('a body in protobuf', () => {
  it('is the lease that client-go writes', () => {
    const metadata: WireFields = [
      ...([1, 2, 3, 4, 5, 6] as const).map(
        (at) => [at, ['my-lock', '', 'default', '', '', '71'][at - 1] ?? ''] as const,
      ),
      [7, 0],
      [8, []],
    ];
    const time: WireFields = [
      [1, 1_700_000_000],
      [2, 123_456_789],
    ];
    const spec: WireFields = [
      [1, 'pod-1_äöü'],
      [2, 15],
      [3, time],
      [
        4,
        [
          [1, 1],
          [2, 0],
        ],
      ],
      [5, 0],
    ];
    const body = kubernetesBody('coordination.k8s.io/v1', 'Lease', [
      [1, metadata],
      [2, spec],
    ]);
    expect(readKubernetesBody(body)).toEqual({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'my-lock', namespace: 'default', resourceVersion: '71' },
      spec: {
        holderIdentity: 'pod-1_äöü',
        leaseDurationSeconds: 15,
        acquireTime: '2023-11-14T22:13:20.123456Z',
        renewTime: '1970-01-01T00:00:01.000000Z',
        leaseTransitions: 0,
      },
    });
  });

  it('has bytes in base64, maps, and times in whole seconds', () => {
    const body = kubernetesBody('v1', 'Secret', [
      [
        1,
        [
          [1, 'pass'],
          [
            8,
            [
              [1, 86_399],
              [2, 999_999_999],
            ],
          ],
          [11, entry('a', '1')],
          [11, entry('b', '')],
          [11, []],
        ],
      ],
      [2, entry('key', Buffer.from([0, 255, 16]))],
      [2, entry('none', '')],
      [3, 'Opaque'],
      [5, 0],
    ]);
    expect(readKubernetesBody(body)).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'pass',
        creationTimestamp: '1970-01-01T23:59:59Z',
        labels: { '': '', a: '1', b: '' },
      },
      data: { key: 'AP8Q', none: '' },
      type: 'Opaque',
      immutable: false,
    });
  });

  it('shows what JSON shows although it was not sent, and leaves out what JSON leaves out', () => {
    expect(readKubernetesBody(kubernetesBody('v1', 'Event', []))).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {},
      involvedObject: {},
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
    expect(lease([])).toMatchObject({ metadata: {}, spec: {} });
    expect(
      lease([
        [1, ''],
        [2, 0],
      ]),
    ).toMatchObject({ spec: { holderIdentity: '', leaseDurationSeconds: 0 } });
  });

  it('has the JSON of managed fields, defaults and enumerations as values', () => {
    const managed = (json: string): unknown =>
      readKubernetesBody(
        kubernetesBody('v1', 'ConfigMap', [
          [
            1,
            [
              [
                17,
                [
                  [1, 'm'],
                  [7, [[1, json]]],
                ],
              ],
            ],
          ],
        ]),
      );
    expect(managed('{"f:data":{".":{},"f:a":{}}}')).toMatchObject({
      metadata: { managedFields: [{ manager: 'm', fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } }] },
    });
    expect(
      schema([
        [8, [[1, '{"a":[1,null]}']]],
        [20, [[1, '"x"']]],
        [20, [[1, '2']]],
      ]),
    ).toMatchObject({
      spec: { versions: [{ schema: { openAPIV3Schema: { default: { a: [1, null] }, enum: ['x', 2] } } }] },
    });
    expect(() => managed('{')).toThrow(/at byte \d+ \(field raw of .*FieldsV1\): malformed JSON/);
  });

  it('has schemas in the forms that JSON has', () => {
    const text: WireFields = [[5, 'string']];
    const half = Buffer.alloc(8);
    half.writeDoubleLE(0.5);
    const fields: WireFields = [
      [3, '#/x'],
      [13, 0],
      [18, 0],
      [24, [[1, text]]],
      [
        29,
        entry('a', [
          [
            24,
            [
              [2, text],
              [2, []],
            ],
          ],
        ]),
      ],
      [30, [[1, 1]]],
      [
        32,
        entry('b', [
          [2, 'c'],
          [2, 'd'],
        ]),
      ],
      [33, [[1, 0]]],
      [
        34,
        entry('d', [
          [
            30,
            [
              [1, 1],
              [2, text],
            ],
          ],
        ]),
      ],
      [38, 1],
      [44, [[1, 'self > 1']]],
    ];
    const bytes = Buffer.concat([encodeWire(fields), tag(9, 1), half]);
    const crd = readKubernetesBody(
      kubernetesBody(EXTENSIONS, 'CustomResourceDefinition', [[2, [[7, [[4, [[1, bytes]]]]]]]]),
    );
    expect(crd).toMatchObject({
      spec: {
        group: '',
        names: { plural: '', kind: '' },
        scope: '',
        versions: [
          {
            name: '',
            served: false,
            storage: false,
            schema: {
              openAPIV3Schema: {
                $ref: '#/x',
                maximum: 0.5,
                maxLength: 0,
                items: { type: 'string' },
                properties: { a: { items: [{ type: 'string' }, {}] } },
                additionalProperties: true,
                dependencies: { b: ['c', 'd'] },
                additionalItems: false,
                definitions: { d: { additionalProperties: { type: 'string' } } },
                'x-kubernetes-preserve-unknown-fields': true,
                'x-kubernetes-validations': [{ rule: 'self > 1' }],
              },
            },
          },
        ],
      },
    });
    expect(JSON.stringify(crd)).not.toContain('uniqueItems');
  });

  it('of a deletion has the version of the deleted objects', () => {
    const body = kubernetesBody('demo.example.com/v1', 'DeleteOptions', [
      [1, 0],
      [2, [[1, 'u-1']]],
      [4, 'Foreground'],
      [5, 'All'],
    ]);
    expect(readKubernetesBody(body)).toEqual({
      apiVersion: 'demo.example.com/v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u-1' },
      propagationPolicy: 'Foreground',
      dryRun: ['All'],
    });
  });

  it('has lists that JSON shows alone', () => {
    const user: WireFields = [
      [
        2,
        [
          [3, 'ann'],
          [
            5,
            entry('scopes', [
              [1, 'a'],
              [1, 'b'],
            ]),
          ],
          [5, entry('none', [])],
        ],
      ],
    ];
    expect(
      readKubernetesBody(kubernetesBody('authorization.k8s.io/v1', 'SubjectAccessReview', user)),
    ).toMatchObject({
      spec: { user: 'ann', extra: { scopes: ['a', 'b'], none: [] } },
      status: { allowed: false },
    });
  });

  it('may have unknown fields of every form', () => {
    const unknown = Buffer.concat([
      encodeWire([
        [100, 1],
        [101, 2n ** 64n - 1n],
        [102, 'x'],
      ]),
      tag(103, 1),
      Buffer.alloc(8),
      tag(104, 5),
      Buffer.alloc(4),
    ]);
    const spec = Buffer.concat([unknown, encodeWire([[1, 'me']]), unknown]);
    const body = kubernetesBody('coordination.k8s.io/v1', 'Lease', [[2, spec]]);
    expect(readKubernetesBody(body)).toMatchObject({ spec: { holderIdentity: 'me' } });
  });

  it('has the last of values that were sent twice, and merged messages', () => {
    const body = kubernetesBody('v1', 'Namespace', [
      [
        1,
        [
          [1, 'a'],
          [2, 'g'],
        ],
      ],
      [
        1,
        [
          [1, ''],
          [3, 'c'],
        ],
      ],
      [1, [[2, 'h']]],
    ]);
    expect(readKubernetesBody(body)).toMatchObject({ metadata: { generateName: 'h', namespace: 'c' } });
    expect(readKubernetesBody(body).metadata).not.toHaveProperty('name');
  });
});

describe('a number in protobuf', () => {
  const generation = (value: number | bigint): unknown =>
    (
      readKubernetesBody(kubernetesBody('v1', 'Namespace', [[1, [[7, value]]]])).metadata as {
        generation?: number;
      }
    ).generation;

  it.each([1, 127, 128, 2 ** 31, 2 ** 49 - 1, 2 ** 49, Number.MAX_SAFE_INTEGER, -1, Number.MIN_SAFE_INTEGER])(
    'is exact: %d',
    (value) => {
      expect(generation(value)).toBe(value);
    },
  );

  it.each([2n ** 53n, 2n ** 63n - 1n, -(2n ** 53n), -(2n ** 63n)])(
    'is refused when JSON would change it: %d',
    (value) => {
      expect(() => generation(value)).toThrow(`the integer ${value} cannot be represented exactly`);
    },
  );

  it('of 32 bits may be negative', () => {
    expect(lease([[2, -15]])).toMatchObject({ spec: { leaseDurationSeconds: -15 } });
  });
});

describe('a message that no core kind has yet', () => {
  const MESSAGES = parseMessages(
    `demo.Thing
1 amounts map:apimachinery.pkg.api.resource.Quantity
2 port apimachinery.pkg.util.intstr.IntOrString always
3 raw apimachinery.pkg.runtime.RawExtension
4 sizes list:int32
5 ratios list:double
6 part demo.Part inline
7 flags list:bool
demo.Part
1 inner string omitzero
2 rest string always
apimachinery.pkg.api.resource.Quantity
1 string string
apimachinery.pkg.util.intstr.IntOrString
1 type int64
2 intVal int32
3 strVal string
apimachinery.pkg.runtime.RawExtension alone
1 raw json
`,
  );
  const read = (bytes: Buffer): unknown => {
    const type = MESSAGES.get('demo.Thing');
    return type && new MessageReader(new WireReader(bytes)).read(type, 0);
  };

  it('has quantities, alternatives, raw objects and inlined messages', () => {
    const fields: WireFields = [
      [1, entry('cpu', [[1, '250m']])],
      [1, entry('none', [])],
      [
        2,
        [
          [1, 1],
          [2, 0],
          [3, '80%'],
        ],
      ],
      [3, [[1, '{"kind":"Pod"}']]],
      [6, [[1, 'in']]],
    ];
    expect(read(encodeWire(fields))).toEqual({
      amounts: { cpu: '250m', none: '0' },
      port: '80%',
      raw: { kind: 'Pod' },
      inner: 'in',
      rest: '',
    });
    expect(
      read(
        encodeWire([
          [
            2,
            [
              [1, 0],
              [2, 8080],
            ],
          ],
          [3, []],
        ]),
      ),
    ).toEqual({ port: 8080, raw: null });
    expect(read(Buffer.alloc(0))).toEqual({ port: 0 });
    expect(() => read(encodeWire([[2, [[1, 7]]]]))).toThrow('(field port of');
  });

  it('has lists of numbers, packed or not', () => {
    const doubles = Buffer.alloc(16);
    doubles.writeDoubleLE(1.5, 0);
    doubles.writeDoubleLE(-2, 8);
    const bytes = Buffer.concat([
      encodeWire([
        [4, 1],
        [4, Buffer.concat([varint(300), varint(-1)])],
        [7, Buffer.from([1, 0])],
      ]),
      tag(5, 2),
      withLength(doubles),
    ]);
    expect(read(bytes)).toEqual({ port: 0, sizes: [1, 300, -1], ratios: [1.5, -2], flags: [true, false] });
    doubles.writeDoubleLE(NaN, 8);
    expect(() => read(Buffer.concat([tag(5, 2), withLength(doubles)]))).toThrow('the number is not finite');
  });
});

describe('a body that is refused', () => {
  const secret = (object: Uint8Array): unknown => readKubernetesBody(kubernetesBody('v1', 'Secret', object));

  it.each([
    ['no protobuf of Kubernetes', Buffer.from('{"kind":"Secret"}'), /begin with the bytes 6b 38 73 00/],
    ['nothing in it', Buffer.from('k8s\0'), /no kind/],
    ['no version', kubernetesBody('', 'Secret', []), /no apiVersion/],
  ])('has %s', (_what, body, message) => {
    expect(() => readKubernetesBody(body)).toThrow(
      expect.objectContaining({ code: 'BadRequest', message: expect.stringMatching(message) as string }),
    );
  });

  it.each([
    ['an unknown kind', kubernetesBody('v1', 'Binding', []), 'Binding'],
    ['an unknown version', kubernetesBody('v2', 'Secret', []), 'v2'],
    [
      'another content type',
      Buffer.concat([kubernetesBody('v1', 'Secret', []), encodeWire([[4, 'application/json']])]),
      'application/json',
    ],
    [
      'a content encoding',
      Buffer.concat([kubernetesBody('v1', 'Secret', []), encodeWire([[3, 'gzip']])]),
      'gzip',
    ],
  ])('has %s', (_what, body, message) => {
    expect(() => readKubernetesBody(body)).toThrow(
      expect.objectContaining({
        code: 'UnsupportedMediaType',
        message: expect.stringContaining(message) as string,
      }),
    );
  });

  it.each([
    [
      'a text that is not UTF-8',
      encodeWire([[3, Buffer.from([0x61, 0xff])]]),
      'byte 22 (field type of api.core.v1.Secret): the text is not valid UTF-8',
    ],
    ['half of a surrogate pair', encodeWire([[3, Buffer.from([0xed, 0xa0, 0x80])]]), 'not valid UTF-8'],
    ['a length beyond the end', Buffer.concat([tag(3, 2), varint(5)]), 'a length exceeds'],
    [
      'a length beyond its message',
      encodeWire([
        [1, Buffer.concat([tag(1, 2), varint(1)])],
        [3, 'x'],
      ]),
      'ObjectMeta): a length exceeds',
    ],
    ['a negative length', Buffer.concat([tag(3, 2), varint(-1)]), 'a length exceeds'],
    [
      'a number without an end',
      Buffer.concat([tag(5, 0), Buffer.from([0x80])]),
      'the bytes end within a number',
    ],
    [
      'a number of eleven bytes',
      Buffer.concat([tag(5, 0), Buffer.alloc(10, 0x80), Buffer.from([1])]),
      'more than 64 bits',
    ],
    ['field 0', Buffer.from([0x02, 0]), 'no valid number'],
    ['a group', tag(3, 3), 'its wire type is 3 instead of 2'],
    ['an unknown group', tag(99, 3), 'groups are not supported'],
    ['an unknown wire type', tag(99, 7), 'wire type 7'],
    [
      'a number for a text',
      encodeWire([[3, 1]]),
      '(field type of api.core.v1.Secret): its wire type is 0 instead of 2',
    ],
    ['a text for a truth value', encodeWire([[5, '1']]), 'its wire type is 2 instead of 0'],
    ['the key __proto__', encodeWire([[4, entry('__proto__', 'x')]]), '__proto__'],
    [
      'a time beyond RFC 3339',
      encodeWire([[1, [[8, [[1, 253_402_300_800]]]]]]),
      '(field creationTimestamp of',
    ],
    [
      'a time with too many nanoseconds',
      encodeWire([
        [
          1,
          [
            [
              8,
              [
                [1, 1],
                [2, 1_000_000_000],
              ],
            ],
          ],
        ],
      ]),
      'no valid value of apimachinery.pkg.apis.meta.v1.Time',
    ],
  ])('has %s', (_what, object, message) => {
    expect(() => secret(object)).toThrow(
      expect.objectContaining({ code: 'BadRequest', message: expect.stringContaining(message) as string }),
    );
  });

  it('keeps U+FFFD when it was sent', () => {
    expect(secret(encodeWire([[3, 'a\ufffd']]))).toMatchObject({ type: 'a\ufffd' });
  });
});
