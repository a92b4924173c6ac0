import { describe, expect, it } from 'vitest';
import {
  Email,
  GVK,
  Max,
  Min,
  NotBlank,
  NotNull,
  Pattern,
  RequestBodyValidationError,
  Rule,
  Schema,
  ServiceError,
  Size,
  validateBody,
} from '../../src/index.js';
import { leastCpuMs } from '../helpers/cpu.js';

class Address {
  @NotBlank @Schema({ type: 'string' }) city!: string;
  @Pattern(/^\d{4,5}$/) @Schema({ type: 'string' }) zip?: string;
  label(): string {
    return `${this.zip ?? ''} ${this.city}`;
  }
}

class Order {
  @NotNull @Size({ min: 2, max: 5 }) @Schema({ type: 'string' }) name!: string;
  @Min(1) @Max(10) @Schema({ type: 'integer' }) amount?: number;
  @Email() mail?: string;
  @NotNull({ message: { en: 'say yes or no', de: 'ja oder nein?' } }) agreed?: boolean;
  @Size({ max: 2, message: 'at most {max} tags' })
  @Schema({ type: 'array', items: { type: 'string' } })
  tags: string[] = ['default'];
  @Schema({ type: Address }) address?: Address;
  @Schema({ type: 'array', items: { type: Address } }) others?: Address[];
  @Schema({ type: 'object', additionalProperties: { type: Address } }) byName?: Record<string, Address>;
  @Schema({ type: 'string', default: 'new' }) state?: string;
}

const request = (body: unknown, language?: string) => ({
  body,
  headers: language === undefined ? {} : { 'accept-language': language },
});

function faultsOf(
  body: unknown,
  language?: string,
  type: typeof Order | object = Order,
): Record<string, string> {
  try {
    validateBody(request(body, language), type as typeof Order);
  } catch (error) {
    if (!(error instanceof RequestBodyValidationError)) throw error;
    return Object.fromEntries((error.details.causes ?? []).map(({ field, message }) => [field, message]));
  }
  return {};
}

describe('validateBody', () => {
  it('answers with an instance of the class, nested ones too, with defaults', () => {
    const body = {
      name: 'abc',
      agreed: true,
      address: { city: 'Ulm', zip: '89073' },
      others: [{ city: 'Bonn' }],
      byName: { home: { city: 'Kiel' } },
      extra: 1,
    };
    const order = validateBody(request(body), Order);
    expect(order).toBeInstanceOf(Order);
    expect(order.address?.label()).toBe('89073 Ulm');
    expect(order.others?.[0]).toBeInstanceOf(Address);
    expect(order.byName?.home).toBeInstanceOf(Address);
    expect([order.state, order.tags, Reflect.get(order, 'extra')]).toEqual(['new', ['default'], 1]);
    expect(body).not.toHaveProperty('state');
  });

  it('reports all violations at once, of the schema and of the constraints, with dotted paths', () => {
    const faults = faultsOf({
      amount: 11,
      mail: 'nobody',
      tags: ['a', 'b', 'c'],
      address: { zip: 'x' },
      others: [{ city: 'a' }, { city: ' ' }],
      byName: { home: { city: '' } },
      state: 7,
    });
    expect(faults).toEqual({
      name: 'must not be null',
      amount: 'must be less than or equal to 10',
      mail: 'must be an email address',
      agreed: 'say yes or no',
      tags: 'at most 2 tags',
      'address.city': 'must not be blank',
      'address.zip': 'must match "^\\d{4,5}$"',
      'others[1].city': 'must not be blank',
      'byName.home.city': 'must not be blank',
      state: 'must be a string, got 7',
    });
  });

  it('reports one error once: a value of the wrong type has no size', () => {
    expect(faultsOf({ name: 7, agreed: true, amount: 'x' })).toEqual({
      name: 'must be a string, got 7',
      amount: 'must be an integer, got "x"',
    });
    expect(faultsOf({ name: null, agreed: true })).toEqual({ name: 'must not be null' });
  });

  it('is at the bounds of a constraint exact', () => {
    const base = { agreed: true };
    expect(faultsOf({ ...base, name: 'ab', amount: 1, tags: ['a', 'b'] })).toEqual({});
    expect(faultsOf({ ...base, name: 'äöü😀😀', amount: 10 })).toEqual({});
    expect(Object.keys(faultsOf({ ...base, name: 'a', amount: 0 }))).toEqual(['name', 'amount']);
    expect(Object.keys(faultsOf({ ...base, name: 'abcdef' }))).toEqual(['name']);
  });

  it.each([
    ['en', 'must not be null', 'must be a string, got 7'],
    ['zh', '不能为 null', '应当是 string 类型'],
    ['zh-TW', '不得為 null', '應該是 string 類型'],
    ['ja', 'null は許可されていません', 'stringでなければいけない'],
    ['de', 'darf nicht null sein', 'muss sein: string'],
    ['fr', 'ne doit pas être nul', 'doit être de type string'],
    ['es', 'no debe ser nulo', 'debe ser string'],
    ['ru', 'не должно равняться null', 'должно быть string'],
  ])('speaks %s', (language, ofConstraint, ofSchema) => {
    const faults = faultsOf({ agreed: false, state: 7 }, language);
    expect(faults).toEqual({ name: ofConstraint, state: ofSchema });
  });

  it('has own messages by language', () => {
    expect(faultsOf({ name: 'abc' }, 'de').agreed).toBe('ja oder nein?');
    expect(faultsOf({ name: 'abc' }, 'fr').agreed).toBe('say yes or no');
  });

  it('is a bad request whose message lists the faults, and remembers its language', () => {
    const attempt = (): unknown => validateBody(request({ agreed: true }, 'de-AT'), Order);
    expect(attempt).toThrow(ServiceError);
    try {
      attempt();
    } catch (error) {
      expect(error).toMatchObject({
        name: 'RequestBodyValidationError',
        code: 'BadRequest',
        language: 'de',
        message: 'the request body is invalid: name: darf nicht null sein',
      });
    }
  });

  it('refuses a missing body, and one that is no object', () => {
    expect(faultsOf(undefined, 'es')).toEqual({ '': 'la solicitud necesita un cuerpo' });
    expect(faultsOf([])).toEqual({ '': 'must be an object, got an array' });
    expect(faultsOf(null)).toEqual({ '': 'must be an object, got null' });
  });

  it('refuses a body of a type that nobody parses by naming the type', () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '3' };
    expect(() => validateBody({ body: undefined, headers }, { type: 'object' })).toThrow(
      expect.objectContaining({
        code: 'UnsupportedMediaType',
        message:
          'content type "application/x-www-form-urlencoded" is not accepted here; send application/json or application/yaml',
      }),
    );
    const empty = { ...headers, 'content-length': '0' };
    expect(() => validateBody({ body: undefined, headers: empty }, { type: 'object' })).toThrow(
      'a request body is required',
    );
  });

  it('takes a JSON Schema, and compiles the same one once', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`p${i}`, { type: 'integer' }]));
    const schema = (other: object = {}) => ({
      type: 'object',
      properties: { n: { type: 'integer' }, ...many, ...other },
      required: ['n'],
    });
    expect(validateBody(request({ n: 1 }), schema())).toEqual({ n: 1 });
    expect(faultsOf({}, 'en', schema())).toEqual({ n: 'is required' });
    let schemas = 0;
    const other = leastCpuMs(
      () => void validateBody(request({ n: 1 }), schema({ [`other${schemas++}`]: {} })),
    );
    const same = leastCpuMs(() => void validateBody(request({ n: 1 }), schema()), { enough: other / 10 });
    expect(same).toBeLessThan(other / 10);
  });

  it('checks a model as a write does', () => {
    @GVK({ group: 'demo.example.com', version: 'v1', kind: 'Toy', plural: 'toys', singular: 'toy' })
    class Toy {
      @Schema({ type: 'integer' }) size?: number;
    }
    const faults = faultsOf({ metadata: { name: 'A B' }, size: 'x' }, 'de', Toy);
    expect(Object.keys(faults)).toEqual(['size', 'metadata.name']);
    expect(faults.size).toMatch('muss');
  });

  it('gives members called __proto__ no power', () => {
    const body: unknown = JSON.parse('{"name":"abc","agreed":true,"__proto__":{"admin":true}}');
    const order = validateBody(request(body), Order);
    expect(order).toBeInstanceOf(Order);
    expect(Reflect.get(order, 'admin')).toBeUndefined();
  });

  it('matches patterns in linear time, with the flags that matter', () => {
    class Code {
      @Pattern(/^[a-z]+$/i) code?: string;
      @Pattern('^(a+)+$') slow?: string;
    }
    const begin = performance.now();
    expect(Object.keys(faultsOf({ code: 'ABC', slow: `${'a'.repeat(5000)}b` }, 'en', Code))).toEqual([
      'slow',
    ]);
    // To try all ways to read it would take for ever.
    expect(performance.now() - begin).toBeLessThan(5_000);
    expect(() => Pattern(/(?=a)/)).toThrow('@Pattern');
  });

  it('refuses constraints that mean nothing', () => {
    expect(() => Size({})).toThrow('needs min or max');
    expect(() => Size({ min: 3, max: 2 })).toThrow('min must not be greater');
    expect(() => Size({ min: -1 })).toThrow('an integer from 0');
    expect(() => Min(Number.NaN)).toThrow('@Min: the bound must be a number');
  });

  it('inherits the constraints of a base class without changing it', () => {
    class Base {
      @NotNull a?: string;
    }
    class Sub extends Base {
      @NotNull b?: string;
    }
    expect(Object.keys(faultsOf({}, 'en', Sub))).toEqual(['a', 'b']);
    expect(Object.keys(faultsOf({ a: 'x' }, 'en', Base))).toEqual([]);
  });

  it('is judged by the rules of its class, where the schema has nothing to say', () => {
    @Rule('self.to > self.from', { message: 'must be more than from', fieldPath: '.to' })
    class Range {
      @Schema({ type: 'integer', requiredMode: 'REQUIRED' }) from!: number;
      @Schema({ type: 'integer', requiredMode: 'REQUIRED' }) to!: number;
    }
    expect(faultsOf({ from: 1, to: 1 }, 'de', Range)).toEqual({ to: 'must be more than from' });
    expect(Object.keys(faultsOf({ from: 1 }, 'en', Range))).toEqual(['to']);
    expect(validateBody(request({ from: 1, to: 2 }), Range)).toMatchObject({ to: 2 });
  });
});

it('refuses a body that takes too long to check', () => {
  const words = Array.from({ length: 300 }, (_, at) => ({ type: 'string', const: `${at}` }));
  const items = Array.from({ length: 20_000 }, () => 'x');
  expect(() => validateBody(request(items), { type: 'array', items: { anyOf: words } })).toThrow(
    'takes too long to check, most of it for schemas',
  );
});
