import { describe, expect, it } from 'vitest';
import type { Cause, ServiceError } from '../../src/errors.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import type { JsonObject, ObjectDraft } from '../../src/model/object.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { Rule } from '../../src/model/rules/rule-decorator.js';
import { OBJECT_STEPS_MAX } from '../../src/lib/work/allowance.js';
import { Schema } from '../../src/model/declare/schema-decorator.js';
import { getSchema } from '../../src/model/schema/schema-of.js';
import type { Scheme, ValidationResult } from '../../src/model/declare/scheme.js';
import type { ModelOptions } from '../../src/model/evolve/versions.js';
import { gvk, modelOf } from './helpers.js';

class Slot {
  @Schema({ type: 'integer' })
  start?: number;

  @Schema({ type: 'integer' })
  @Rule('self < 1000', { message: 'must be below 1000' })
  @Rule('self != 13', { reason: 'FieldValueForbidden' })
  end?: number;
}

@Rule('!has(self.slot) || self.slot.end > self.slot.start', {
  message: 'the end must be after the start',
  fieldPath: '.slot.end',
})
@Schema({ name: 'BookingSpec' })
class BookingSpec {
  @Schema({ type: Slot })
  @Rule('has(self.start) && has(self.end)', { message: 'needs both ends', reason: 'FieldValueRequired' })
  slot?: Slot;

  @Schema({ type: 'array', items: { type: 'string' } })
  tags?: string[];

  @Schema({ type: 'string' })
  @Rule('self == oldSelf', { message: 'cannot be changed' })
  owner?: string;

  @Schema({ type: 'string' })
  note?: string;
}

@GVK(gvk('Booking'))
@Rule('self.metadata.name.startsWith("b-") || !has(self.status)', { message: 'only b-... has a status' })
class Booking extends AbstractExtension {
  @Schema({ type: BookingSpec, requiredMode: 'REQUIRED' })
  spec!: BookingSpec;

  @Schema({ type: 'object', additionalProperties: { type: 'string' } })
  status?: Record<string, string>;
}

function register(model: ModelClass, options: unknown = {}): Scheme {
  return new SchemeRegistry().register(model, 'test', undefined, { model: options as ModelOptions });
}

/** A model whose `spec` has the schema. */
function specified(spec: JsonObject, options?: unknown): Scheme {
  return register(modelOf('Thing', spec), options);
}

const thing = (spec: unknown, name = 'a'): ObjectDraft => ({ metadata: { name }, spec });
const ruled = (schema: JsonObject, ...rules: readonly (string | JsonObject)[]): JsonObject => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});
const brief = ({ causes }: ValidationResult): string[] => causes.map(reported);
const reported = ({ field, message }: Cause): string => `${field}: ${message}`;

function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as ServiceError).message;
  }
  throw new Error('it did not fail');
}

describe('rules of classes and fields', () => {
  const scheme = register(Booking);

  it('are part of the schema, in the order they are written in', () => {
    const { $defs } = getSchema(Booking) as { $defs: Record<string, { properties: JsonObject }> };
    expect($defs.Slot?.properties.end).toMatchObject({
      'x-kubernetes-validations': [
        { rule: 'self < 1000', message: 'must be below 1000' },
        { rule: 'self != 13', reason: 'FieldValueForbidden' },
      ],
    });
    expect($defs.BookingSpec).toHaveProperty(['x-kubernetes-validations', 0, 'fieldPath'], '.slot.end');
  });

  it.each<[unknown, readonly string[]]>([
    [{}, []],
    [{ slot: { start: 1, end: 2 } }, []],
    [{ slot: { start: 2, end: 2 } }, ['spec.slot.end: the end must be after the start']],
    [{ slot: { start: 1, end: 13 } }, ['spec.slot.end: breaks the rule self != 13']],
    [{ slot: { start: 1, end: 1000 } }, ['spec.slot.end: must be below 1000']],
    [
      { slot: { start: 2000, end: 1000 } },
      ['spec.slot.end: the end must be after the start', 'spec.slot.end: must be below 1000'],
    ],
    // A rule that cannot be evaluated is reported only when there is no other violation.
    [{ slot: { start: 1 } }, ['spec.slot: needs both ends']],
    [{ slot: { start: 1, end: 'x' } }, ['spec.slot.end: must be an integer, got "x"']],
  ])('judge a new object with the spec %j', (spec, causes) => {
    expect(brief(scheme.validate(thing(spec)))).toEqual(causes);
  });

  it('have the reason they state', () => {
    const { causes } = scheme.validate(thing({ slot: { start: 1, end: 13 } }));
    expect(causes).toEqual([
      { field: 'spec.slot.end', reason: 'FieldValueForbidden', message: 'breaks the rule self != 13' },
    ]);
    expect(scheme.validate(thing({ slot: {} })).causes[0]?.reason).toBe('FieldValueRequired');
    expect(scheme.validate(thing({ slot: { start: 2, end: 1 } })).causes[0]?.reason).toBe(
      'FieldValueInvalid',
    );
  });

  it('of a model see its name, spec and status', () => {
    const object = (name: string): ObjectDraft => ({ metadata: { name }, spec: {}, status: { a: 'b' } });
    expect(brief(scheme.validate(object('b-1')))).toEqual([]);
    expect(brief(scheme.validate(object('a')))).toEqual([': only b-... has a status']);
    const other = ruled({ type: 'object' }, 'self.metadata.labels.size() > 0');
    expect(failure(() => register(modelOf('Thing', {}, { schema: other })))).toContain('no field "labels"');
  });

  it('compare with the old value in updates only', () => {
    const [ann, bob] = [thing({ owner: 'ann' }), thing({ owner: 'bob' })];
    expect(brief(scheme.validate(ann))).toEqual([]);
    expect(brief(scheme.validate(thing({}), ann))).toEqual([]);
    expect(brief(scheme.validate(ann, thing({})))).toEqual([]);
    expect(brief(scheme.validate(structuredClone(ann), ann))).toEqual([]);
    expect(brief(scheme.validate(bob, ann))).toEqual(['spec.owner: cannot be changed']);
  });

  it('of a base class hold for those that extend it', () => {
    @Rule('has(self.a)', { message: 'needs a' })
    class Base {
      @Schema({ type: 'string' })
      @Rule('self != ""', { message: 'must not be empty' })
      a?: string;
    }
    @Rule('has(self.b)', { message: 'needs b' })
    class Derived extends Base {
      @Schema({ type: 'string' })
      b?: string;
    }
    @GVK(gvk('Pair'))
    class Pair extends AbstractExtension {
      @Schema({ type: Base })
      base?: Base;
      @Schema({ type: Derived })
      derived?: Derived;
    }
    const object = { metadata: { name: 'a' }, base: { a: '' }, derived: { a: '' } };
    expect(brief(register(Pair).validate(object))).toEqual([
      'base.a: must not be empty',
      'derived: needs b',
      'derived.a: must not be empty',
    ]);
  });

  it('are declared in plain JavaScript by a call', () => {
    const model = modelOf('Thing', { type: 'object', properties: { n: { type: 'integer' } } });
    Rule('self.spec.n > 0', { message: 'must be positive', fieldPath: '.spec.n' })(model);
    expect(brief(register(model).validate(thing({ n: 0 })))).toEqual(['spec.n: must be positive']);
  });

  it('on a field that is no part of the schema are refused', () => {
    class Loose extends AbstractExtension {
      @Rule('true')
      spec?: string;
    }
    GVK(gvk('Loose'))(Loose);
    expect(failure(() => register(Loose))).toContain('@Rule on Loose.spec needs a @Schema');
    class Fixed extends AbstractExtension {
      static readonly schema = { type: 'object' };
      @Rule('true')
      spec?: string;
    }
    GVK(gvk('Fixed'))(Fixed);
    expect(failure(() => register(Fixed))).toContain(
      '@Rule on Fixed.spec is ignored because the class has a static schema',
    );
  });
});

describe('rules in a schema', () => {
  const number: JsonObject = { type: 'integer' };

  it('are asked at items, at values of maps, below references and allOf', () => {
    const Positive = ruled(number, { rule: 'self > 0', message: 'must be positive' });
    const scheme = register(
      modelOf('Thing', undefined, {
        schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: {
                list: { type: 'array', items: { $ref: '#/$defs/Positive' } },
                map: { type: 'object', additionalProperties: { allOf: [{ $ref: '#/$defs/Positive' }] } },
                tree: { $ref: '#/$defs/Tree' },
              },
            },
          },
          $defs: {
            Positive,
            Tree: {
              type: 'object',
              properties: {
                n: { $ref: '#/$defs/Positive' },
                below: { type: 'array', items: { $ref: '#/$defs/Tree' } },
              },
            },
          },
        },
      }),
    );
    const spec = { list: [1, 0], map: { 'a.b': 0, c: 1 }, tree: { n: 1, below: [{ below: [{ n: 0 }] }] } };
    expect(brief(scheme.validate(thing(spec)))).toEqual([
      'spec.list[1]: must be positive',
      'spec.map.a.b: must be positive',
      'spec.tree.below[0].below[0].n: must be positive',
    ]);
  });

  it('are not evaluated for absent values and null', () => {
    const scheme = specified({
      type: 'object',
      properties: { n: ruled({ ...number, nullable: true }, 'self > 0') },
    });
    expect(brief(scheme.validate(thing({})))).toEqual([]);
    expect(brief(scheme.validate(thing({ n: null })))).toEqual([]);
    expect(brief(scheme.validate(thing({ n: 0 })))).toEqual(['spec.n: breaks the rule self > 0']);
  });

  it('see the defaults that are filled in', () => {
    const properties = { a: { type: 'integer', default: 5 }, b: number };
    const scheme = specified(ruled({ type: 'object', properties }, 'self.a < self.b'));
    expect(brief(scheme.validate(thing({ b: 6 })))).toEqual([]);
    expect(brief(scheme.validate(thing({ b: 5 })))).toEqual(['spec: breaks the rule self.a < self.b']);
  });

  it('have messages made by an expression, or the one that is stated', () => {
    const rule = (messageExpression: string): JsonObject => ({
      rule: 'self > 3',
      message: 'fixed',
      messageExpression,
    });
    const message = (expression: string): string | undefined =>
      specified(ruled(number, rule(expression))).validate(thing(1)).causes[0]?.message;
    expect(message('"got " + string(self)')).toBe('got 1');
    expect(message('self > 0 ? "" : "x"')).toBe('fixed');
    expect(message('"two\\nlines"')).toBe('fixed');
    expect(message('string(1 / (self - 1))')).toBe('fixed');
    expect(failure(() => message('self'))).toContain(
      'messageExpression: it must be a string, not a int, at character 1',
    );
  });

  it('of items compare with the old items by the keys of the list', () => {
    const items = ruled(
      { type: 'object', properties: { id: { type: 'string' }, n: number } },
      'self.n >= oldSelf.n',
    );
    const list = { type: 'array', items };
    expect(failure(() => specified(list))).toContain('oldSelf is not available for items of a list');
    const keyed = { ...list, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] };
    const scheme = specified(keyed);
    const before = thing([
      { id: 'a', n: 5 },
      { id: 'b', n: 1 },
    ]);
    expect(
      brief(
        scheme.validate(
          thing([
            { id: 'c', n: 0 },
            { id: 'b', n: 1 },
          ]),
          before,
        ),
      ),
    ).toEqual([]);
    expect(
      brief(
        scheme.validate(
          thing([
            { id: 'b', n: 1 },
            { id: 'a', n: 4 },
          ]),
          before,
        ),
      ),
    ).toEqual(['spec[1]: breaks the rule self.n >= oldSelf.n']);
  });

  it('with an optional oldSelf hold for creates as well, but not for stored objects', () => {
    const rule = { rule: 'oldSelf.hasValue() || self == "new"', optionalOldSelf: true };
    const scheme = specified(ruled({ type: 'string' }, rule));
    expect(brief(scheme.validate(thing('done')))).toHaveLength(1);
    expect(brief(scheme.validate(thing('new')))).toEqual([]);
    expect(brief(scheme.validate(thing('done'), thing('new')))).toEqual([]);
    expect(brief(scheme.validate(thing('done'), undefined, { isStored: true }))).toEqual([]);
  });

  it.each<[JsonObject, string]>([
    [
      ruled(number, 'self >'),
      'spec: the rule "self >" is invalid: expected a field, a value or "(", found the end, at character 7',
    ],
    [ruled(number, 'self == "a"'), '"==" does not compare an int and a string, at character 6'],
    [ruled(number, 'self + 1'), 'it must be a bool, not a int, at character 1'],
    [
      {
        type: 'object',
        properties: { end: number, list: { type: 'array', items: ruled(number, 'self.x') } },
      },
      'spec.list[]: the rule "self.x" is invalid: a int has no field "x", at character 6',
    ],
    [
      ruled({ type: 'object', properties: { end: number } }, 'self.emd > 0'),
      'there is no field "emd", did you mean "end"?, at character 6',
    ],
    [
      ruled({ type: 'object', properties: { end: number } }, { rule: 'true', fieldPath: 'end' }),
      'the fieldPath "end" must have the form .a.b',
    ],
    [
      ruled({ type: 'object', properties: { end: number } }, { rule: 'true', fieldPath: '.emd' }),
      'leads to no declared field: there is no "emd"',
    ],
    [ruled(number, { rule: 'true', reason: 'Because' }), 'reason must be one of FieldValueInvalid'],
    [ruled(number, { rule: 'true', massage: 'x' }), 'unknown key "massage"'],
    [ruled(number, { message: 'x' }), 'each must be an object with a string "rule"'],
    [ruled(number, ''), 'each must be an object with a string "rule"'],
    [{ 'x-kubernetes-validations': 'self > 0' }, 'must be a list'],
    [{ anyOf: [ruled(number, 'self > 0')] }, 'below allOf, not here'],
    [{ not: ruled(number, 'self > 0') }, 'below allOf, not here'],
    [ruled(number, `self in [${'1,'.repeat(5000)}]`), 'more than 2000'],
    [ruled(number, `${'('.repeat(5000)}true${')'.repeat(5000)}`), 'deeper than 100'],
    [ruled({ type: 'string' }, 'self.matches("(?<=a)b")'), 'the pattern is invalid'],
  ])('%j fail the start, with their place and position', (spec, said) => {
    const message = failure(() => specified(spec));
    expect(message).toContain('the schema of class Thing is invalid: ');
    expect(message).toContain(said);
  });

  it('are all named when several cannot be used', () => {
    const message = failure(() =>
      specified({ type: 'object', properties: { a: ruled(number, 'x', 'y'), b: ruled(number, 'z') } }),
    );
    expect(message.match(/there is no "[xyz]"/g)).toEqual([
      'there is no "x"',
      'there is no "y"',
      'there is no "z"',
    ]);
  });

  it('that take too long refuse the object at their place', () => {
    const list = { type: 'array', items: number };
    const scheme = specified(ruled(list, 'self.all(x, self.all(y, self.all(z, x + y + z >= 0)))'));
    const numbers = Array.from({ length: 500 }, (_, i) => i);
    const before = process.cpuUsage();
    expect(brief(scheme.validate(thing(numbers)))).toEqual([
      'spec: the rule "self.all(x, self.all(y, self.all(z, x + y + z >= 0)))" takes too long for this value',
    ]);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(300);
    expect(brief(scheme.validate(thing(numbers.slice(0, 20))))).toEqual([]);
  });

  it('may take so many steps for one object together', () => {
    const items = ruled({ type: 'array', items: number }, 'self.all(x, self.all(y, x + y >= 0))');
    const scheme = specified({ type: 'array', items });
    const lists = (count: number): unknown => Array.from({ length: count }, () => Array<number>(100).fill(1));
    expect(OBJECT_STEPS_MAX).toBe(2_000_000);
    expect(brief(scheme.validate(thing(lists(10))))).toEqual([]);
    expect(() => scheme.validate(thing(lists(2000)))).toThrow(
      /takes too long to check, most of it for rules/,
    );
  });
});

describe('the rules that a stored object breaks', () => {
  const spec: JsonObject = {
    type: 'object',
    properties: { start: { type: 'integer' }, end: { type: 'integer' }, title: { type: 'string' }, more: {} },
  };
  const rule = { rule: 'self.end > self.start', message: 'ends early' };
  const scheme = specified(ruled(spec, rule));
  const stored = { ...thing({ start: 5, end: 3, title: 'a' }), status: { a: 1 } };

  function update(change: object): ValidationResult {
    return scheme.validate({ ...structuredClone(stored), ...change }, stored);
  }

  it('stays a warning while the fields that the rule reads stay the same', () => {
    for (const change of [
      {},
      { metadata: { name: 'a', labels: { x: 'y' } } },
      { status: { b: 2 } },
      { spec: { start: 5, end: 3, title: 'b', more: [1] } },
    ]) {
      const result = update(change);
      expect(brief(result)).toEqual([]);
      expect(result.old?.causes.map(reported)).toEqual(['spec: ends early']);
    }
  });

  it('is refused when one of the values changes and is still wrong', () => {
    expect(brief(update({ spec: { start: 6, end: 3 } }))).toEqual(['spec: ends early']);
    expect(brief(update({ spec: { start: 5, end: 4 } }))).toEqual(['spec: ends early']);
    expect(brief(update({ spec: { start: 5, end: 6 } }))).toEqual([]);
  });

  it('stays a warning of a rule of the whole model, whatever changes in its metadata', () => {
    const model = modelOf('Thing', spec);
    Rule('self == self && self.spec.end > self.spec.start', { message: 'ends early' })(model);
    const whole = register(model);
    const labeled = { ...structuredClone(stored), metadata: { name: 'a', labels: { x: 'y' } } };
    expect(brief(whole.validate(labeled, stored))).toEqual([]);
    expect(brief(whole.validate({ ...labeled, status: { b: 1 } }, stored))).toEqual([': ends early']);
  });

  it('is compared at the index of an item', () => {
    const list = specified({ type: 'array', items: ruled({ type: 'integer' }, 'self > 0') });
    expect(brief(list.validate(thing([0, 1]), thing([0])))).toEqual([]);
    expect(brief(list.validate(thing([1, 0]), thing([0])))).toEqual(['spec[1]: breaks the rule self > 0']);
  });

  it('is no excuse for a rule that fails for another reason than the schema', () => {
    const both = specified(
      ruled({ ...spec, required: ['title'] }, { rule: '10 / self.start > 0', message: 'too large' }),
    );
    const before = thing({ start: 5 });
    expect(brief(both.validate(thing({ start: 0 }), before))).toEqual([
      'spec: too large (the rule "10 / self.start > 0" cannot be evaluated: division by zero)',
    ]);
  });

  it('can be only the missing field that a rule reads, without the rule', () => {
    const before = thing({ start: 5 });
    const required = specified(ruled({ ...spec, required: ['end'] }, rule));
    const result = required.validate(thing({ start: 6 }), before);
    expect(brief(result)).toEqual([]);
    expect(result.old?.causes.map(reported)).toEqual(['spec.end: is required']);
  });
});

describe('rules in code', () => {
  const spec = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'array' } } } as const;
  interface Thing {
    spec: { a?: number; b?: number[] };
  }
  const withCode = (validate: unknown): Scheme => specified(structuredClone(spec), { validate });

  it('tell what is wrong, with the object that is replaced', () => {
    const scheme = withCode(({ spec: { a = 0 } }: Thing, old?: Thing) => [
      ...(a < 0 ? [{ field: 'spec.a', message: 'must not be negative' }] : []),
      ...(old !== undefined && a < (old.spec.a ?? 0)
        ? [{ field: 'spec.a', message: 'must not shrink' }]
        : []),
    ]);
    expect(brief(scheme.validate(thing({ a: 1 })))).toEqual([]);
    expect(brief(scheme.validate(thing({ a: -1 })))).toEqual(['spec.a: must not be negative']);
    expect(brief(scheme.validate(thing({ a: 1 }), thing({ a: 2 })))).toEqual(['spec.a: must not shrink']);
  });

  it('are ratcheted at the field they name', () => {
    const scheme = withCode(({ spec: { b = [] } }: Thing) =>
      b.flatMap((n, i) => (n < 0 ? [{ field: `spec.b[${i}]`, message: 'negative' }] : [])),
    );
    const stored = thing({ b: [-1, 1] });
    expect(brief(scheme.validate(thing({ a: 1, b: [-1, 2] }), stored))).toEqual([]);
    expect(brief(scheme.validate(thing({ b: [-2, 1] }), stored))).toEqual(['spec.b[0]: negative']);
    expect(brief(scheme.validate(thing({ b: [-1, -1] }), stored))).toEqual(['spec.b[1]: negative']);
  });

  it('get copies, which are instances of the class', () => {
    class Own extends AbstractExtension {
      static readonly schema = { type: 'object', properties: { spec } };
      declare spec: { a?: number };
      get twice(): number {
        return (this.spec.a ?? 0) * 2;
      }
    }
    GVK(gvk('Own'))(Own);
    const scheme = register(Own, {
      validate: (object: Own) => {
        const { twice } = object;
        object.spec.a = 99;
        return twice > 2 ? [{ field: 'spec.a', message: 'too large' }] : [];
      },
    });
    const object = thing({ a: 2 });
    expect(brief(scheme.validate(object))).toEqual(['spec.a: too large']);
    expect(object).toEqual(thing({ a: 2 }));
  });

  it.each<[unknown, string]>([
    [
      () => {
        throw new Error('oops');
      },
      'failed: oops',
    ],
    [() => Promise.reject(new Error('later')), 'returned a promise; it must be synchronous'],
    [
      () => {
        for (;;);
      },
      'failed: did not return within 2000 ms',
    ],
    [() => undefined, 'must return a list of {field, message}'],
    [() => ['spec.a'], 'must return a list of {field, message}'],
    [() => [{ field: 1, message: 'x' }], 'must return a list of {field, message}'],
  ])('that misbehave (%s) refuse the object and say how', (validate, said) => {
    expect(brief(withCode(validate).validate(thing({})))).toEqual([`: validate() of the model ${said}`]);
  });

  it('that fail on the stored object in the same way do not lock it', () => {
    const scheme = withCode(({ spec: { a = 0 } }: Thing) => {
      throw new Error(a < 0 ? 'negative' : 'other');
    });
    expect(brief(scheme.validate(thing({ a: 1 }), thing({ a: 2 })))).toEqual([]);
    expect(brief(scheme.validate(thing({ a: -1 }), thing({ a: 2 })))).toHaveLength(1);
    const promises = withCode(() => Promise.resolve([]));
    expect(brief(promises.validate(thing({ a: 1 }), thing({ a: 2 })))).toHaveLength(1);
  });

  it('are a function that is not asynchronous', () => {
    expect(failure(() => withCode(async (): Promise<unknown> => Promise.resolve([])))).toContain(
      'validate must be synchronous',
    );
    expect(failure(() => withCode(5))).toContain('validate must be a function');
  });
});
