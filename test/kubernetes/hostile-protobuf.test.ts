import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import { checkJson } from '../../src/lib/json/json.js';
import { readKubernetesBody } from '../../src/kubernetes/protobuf/body.js';
import { encodeWire, kubernetesBody, tag, varint, withLength, type WireFields } from '../helpers/protobuf.js';
import { Random, seedOfRun } from '../helpers/seed.js';

const seed = seedOfRun();
/** Of one body: far more than any of them needs on a busy machine, and far less than a hang. */
const TIME_MS = 20_000;

const time: WireFields = [
  [1, 1_700_000_000],
  [2, 5_000],
];
const metadata: WireFields = [
  [1, 'name-äöü'],
  [3, 'default'],
  [7, 3],
  [8, time],
  [
    11,
    [
      [1, 'app'],
      [2, 'demo'],
    ],
  ],
  [
    13,
    [
      [1, 'Pod'],
      [3, 'p'],
      [6, 1],
    ],
  ],
  [14, 'demo.example.com/hold'],
  [
    17,
    [
      [1, 'kubectl'],
      [4, time],
      [7, [[1, '{"f:data":{"f:a":{}}}']]],
    ],
  ],
];
const schema: WireFields = [
  [5, 'object'],
  [8, [[1, '{"a":[1,2]}']]],
  [13, 20],
  [24, [[2, [[5, 'string']]]]],
  [
    29,
    [
      [1, 'spec'],
      [2, [[5, 'object']]],
    ],
  ],
  [30, [[1, 1]]],
];
const BODIES: readonly Buffer[] = [
  kubernetesBody('coordination.k8s.io/v1', 'Lease', [
    [1, metadata],
    [
      2,
      [
        [1, 'me'],
        [2, 15],
        [3, time],
      ],
    ],
  ]),
  kubernetesBody('v1', 'Secret', [
    [1, metadata],
    [
      2,
      [
        [1, 'key'],
        [2, Buffer.from([0, 255])],
      ],
    ],
    [5, 1],
  ]),
  kubernetesBody('events.k8s.io/v1', 'Event', [
    [1, metadata],
    [2, time],
    [
      3,
      [
        [1, 2],
        [2, time],
      ],
    ],
    [4, 'example.com/c'],
    [8, [[1, 'Node']]],
    [10, 'note'],
    [15, 1],
  ]),
  kubernetesBody('apiextensions.k8s.io/v1', 'CustomResourceDefinition', [
    [1, metadata],
    [
      2,
      [
        [1, 'demo.example.com'],
        [
          7,
          [
            [1, 'v1'],
            [2, 1],
            [4, [[1, schema]]],
          ],
        ],
      ],
    ],
  ]),
];

/** A body is a value that can be stored, or it is refused; nothing else, and in time. */
function expectSound(body: Buffer): 'value' | 'refused' {
  const start = performance.now();
  try {
    const value = readKubernetesBody(body);
    const problem = checkJson(value);
    if (problem !== undefined) throw new Error(problem);
    return 'value';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code !== 'BadRequest' && error.code !== 'UnsupportedMediaType') throw error;
    return 'refused';
  } finally {
    const took = performance.now() - start;
    if (took > TIME_MS) expect(took).toBeLessThan(TIME_MS);
  }
}

describe(`damaged protobuf (seed ${seed})`, () => {
  it('is a value or refused when it is torn at any byte', () => {
    for (const body of BODIES) {
      const ends = Array.from(body, (_, end) => expectSound(body.subarray(0, end)));
      expect(ends).toContain('refused');
      expect(expectSound(body)).toBe('value');
    }
  });

  it('is a value or refused when bits are flipped', () => {
    const random = new Random(seed);
    const results = new Set<string>();
    for (let round = 0; round < 20_000; round++) {
      const body = Buffer.from(random.pick(BODIES));
      for (let flips = 1 + random.below(4); flips > 0; flips--) {
        const at = random.below(body.length);
        body[at] = (body[at] ?? 0) ^ (1 << random.below(8));
      }
      results.add(expectSound(body));
    }
    expect(results).toEqual(new Set(['value', 'refused']));
  });

  it('is a value or refused when its object is made of random bytes', () => {
    const random = new Random(seed);
    for (let round = 0; round < 20_000; round++) {
      const object = Buffer.from(random.many(0, 60, () => random.below(random.chance(0.5) ? 256 : 40)));
      const [apiVersion, kind] = random.pick([
        ['v1', 'Secret'],
        ['v1', 'Event'],
        ['events.k8s.io/v1', 'Event'],
        ['v1', 'Namespace'],
        ['v1', 'DeleteOptions'],
      ] as const);
      expectSound(kubernetesBody(apiVersion, kind, object));
    }
  });
});

describe('hostile protobuf', () => {
  const crd = (fields: Uint8Array): Buffer =>
    kubernetesBody('apiextensions.k8s.io/v1', 'CustomResourceDefinition', [[2, [[7, [[4, [[1, fields]]]]]]]]);
  /** A schema in `not` of a schema, and so on. */
  const nested = (levels: number): Buffer => {
    let inner = Buffer.alloc(0);
    for (let level = 0; level < levels; level++) inner = Buffer.concat([tag(28, 2), withLength(inner)]);
    return crd(inner);
  };

  it('is refused when its messages are nested too deep', () => {
    // Around the schema are the object, spec, versions, a version and its schema.
    expect(expectSound(nested(100 - 6))).toBe('value');
    expect(() => readKubernetesBody(nested(100 - 5))).toThrow('nested deeper than 100 levels');
    expect(expectSound(nested(10_000))).toBe('refused');
  });

  it('is refused when JSON in it is nested too deep, counted from the root', () => {
    const json = (levels: number): Buffer =>
      crd(encodeWire([[8, [[1, '['.repeat(levels) + ']'.repeat(levels)]]]]));
    expect(expectSound(json(100 - 6))).toBe('value');
    expect(expectSound(json(100 - 5))).toBe('refused');
    expect(expectSound(json(100_000))).toBe('refused');
  });

  it.each([2 ** 31 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER, 2n ** 63n, 2n ** 64n - 1n])(
    'is refused when a length is %d',
    (length) => {
      const long = (around: number): Buffer =>
        Buffer.concat([tag(around, 2), varint(length), Buffer.from('abc')]);
      for (const object of [long(1), long(2), long(99)]) {
        expect(expectSound(kubernetesBody('v1', 'Secret', object))).toBe('refused');
        expect(expectSound(Buffer.concat([Buffer.from('k8s\0'), object]))).toBe('refused');
      }
    },
  );

  it('is refused when a field has another wire type', () => {
    for (let number = 1; number <= 5; number++)
      for (const wireType of [1, 3, 4, 5, 6, 7]) {
        const object = Buffer.concat([tag(number, wireType), Buffer.alloc(8)]);
        expect(expectSound(kubernetesBody('v1', 'Secret', object))).toBe('refused');
      }
  });

  it('takes no longer than its size allows when it has half a million empty parts', () => {
    const many = (field: number): Buffer => Buffer.alloc(2 ** 20, encodeWire([[field, []]]));
    expect(expectSound(kubernetesBody('v1', 'ConfigMap', many(1)))).toBe('value');
    expect(expectSound(kubernetesBody('v1', 'ConfigMap', many(2)))).toBe('value');
    expect(expectSound(kubernetesBody('v1', 'ServiceAccount', many(2)))).toBe('value');
  });
});
