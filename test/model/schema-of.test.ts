import { describe, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK, findGvk } from '../../src/model/declare/gvk.js';
import type { JsonObject } from '../../src/model/object.js';
import { Schema, getSchemaFields } from '../../src/model/declare/schema-decorator.js';
import { getSchema, schemaOfType } from '../../src/model/schema/schema-of.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import { followPointer } from '../../src/model/schema/schema-walk.js';
import { gvk } from './helpers.js';

class Address {
  @Schema({ type: 'string' }) city!: string;
}

@Schema({ name: 'NodeSpec', description: 'A node.' })
class Spec {
  @Schema({
    type: 'string',
    requiredMode: 'REQUIRED',
    minLength: 1,
    maxLength: 9,
    description: 'd',
    example: 'e',
  })
  name!: string;
  @Schema({ type: 'integer', minimum: 0, maximum: 9, format: 'int32', default: 1, requiredMode: 'AUTO' })
  age?: number;
  @Schema({ enum: ['RED', 'BLUE'] }) color?: 'RED' | 'BLUE';
  @Schema({ type: 'array', items: { type: Address }, minItems: 1, maxItems: 9, uniqueItems: true })
  homes?: Address[];
  @Schema({ title: 'Home address', type: Address, nullable: true, description: 'main' })
  home?: Address | null;
  @Schema({ type: 'object', additionalProperties: { type: 'number' } }) scores?: Record<string, number>;
  @Schema({ pattern: /^\w+$/u, readOnly: true, deprecated: true }) code?: string;
  @Schema({ type: () => Spec }) parent?: Spec;
  @Schema({ type: () => Later, requiredMode: 'NOT_REQUIRED' }) later?: Later;
  undeclared?: string;
}

class Later {
  @Schema({ format: 'int64' }) count?: number;
  @Schema({ type: () => Node }) node?: Node;
}

@GVK(gvk('Node'))
class Node extends AbstractExtension {
  @Schema({ type: Spec, requiredMode: 'REQUIRED' }) spec!: Spec;
}

const at = (schema: JsonObject, pointer: string): unknown => followPointer(schema, pointer)?.at(-1);

describe('the schema of a class with @Schema fields', () => {
  const schema = getSchema(Node);

  it('has the fields of the base type first, with all metadata declared', () => {
    expect(Object.keys(schema.properties as JsonObject)).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(schema.required).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(Object.keys(at(schema, '#/properties/metadata/properties') as JsonObject)).toEqual([
      'name',
      'generateName',
      'labels',
      'annotations',
      'finalizers',
      'ownerReferences',
      'version',
      'resourceVersion',
      'uid',
      'generation',
      'creationTimestamp',
      'updateTimestamp',
      'deletionTimestamp',
    ]);
  });

  it('puts nested classes under $defs, by their declared name', () => {
    expect(at(schema, '#/properties/spec')).toEqual({ $ref: '#/$defs/NodeSpec' });
    expect(Object.keys(schema.$defs as JsonObject)).toEqual(['NodeSpec', 'Address', 'Later', 'Node']);
    expect(at(schema, '#/$defs/NodeSpec/description')).toBe('A node.');
  });

  it('carries every attribute', () => {
    expect(at(schema, '#/$defs/NodeSpec/properties')).toEqual({
      name: { type: 'string', minLength: 1, maxLength: 9, description: 'd', example: 'e' },
      age: { type: 'integer', minimum: 0, maximum: 9, format: 'int32', default: 1 },
      color: { type: 'string', enum: ['RED', 'BLUE'] },
      homes: {
        type: 'array',
        items: { $ref: '#/$defs/Address' },
        minItems: 1,
        maxItems: 9,
        uniqueItems: true,
      },
      home: {
        allOf: [{ $ref: '#/$defs/Address' }],
        title: 'Home address',
        nullable: true,
        description: 'main',
      },
      scores: { type: 'object', additionalProperties: { type: 'number' } },
      code: { type: 'string', pattern: '^\\w+$', readOnly: true, deprecated: true },
      parent: { $ref: '#/$defs/NodeSpec' },
      later: { $ref: '#/$defs/Later' },
    });
    expect(at(schema, '#/$defs/NodeSpec/required')).toEqual(['name']);
  });

  it('is an array where only limits of arrays are given, and keeps the title of a class', () => {
    @Schema({ title: 'A box' })
    class Box {
      @Schema({ minItems: 1 }) least?: string[];
      @Schema({ maxItems: 2 }) most?: string[];
      @Schema({ uniqueItems: true }) distinct?: Set<string>;
    }
    expect(schemaOfType(Box)).toEqual({
      type: 'object',
      title: 'A box',
      properties: {
        least: { type: 'array', minItems: 1 },
        most: { type: 'array', maxItems: 2 },
        distinct: { type: 'array', uniqueItems: true },
      },
    });
  });

  it('shows a field of a model type as a whole object', () => {
    expect(Object.keys(at(schema, '#/$defs/Node/properties') as JsonObject)).toContain('metadata');
  });

  it('is JSON', () => {
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  it('inherits the fields of a base class without adding to it', () => {
    class Base {
      @Schema({ type: 'string' }) a?: string;
    }
    class Sub extends Base {
      @Schema({ type: 'string' }) b?: string;
    }
    class Bare extends Base {}
    expect([...getSchemaFields(Sub).keys()]).toEqual(['a', 'b']);
    expect([...getSchemaFields(Base).keys()]).toEqual(['a']);
    expect([...getSchemaFields(Bare).keys()]).toEqual(['a']);
  });

  it('does not inherit the name of a base class', () => {
    @Schema({ name: 'Renamed' })
    class Base {}
    class Sub extends Base {}
    class Holder {
      @Schema({ type: Base }) base?: Base;
      @Schema({ type: Sub }) sub?: Sub;
    }
    expect(Object.keys(schemaOfType(Holder).$defs as JsonObject)).toEqual(['Renamed', 'Sub']);
  });

  it('is refused when two classes have one name, and says how to help it', () => {
    @Schema({ name: 'Address' })
    class Other {
      @Schema({ type: 'integer' }) zip?: number;
    }
    class Holder {
      @Schema({ type: Address }) a?: Address;
      @Schema({ type: Other }) b?: Other;
    }
    expect(() => schemaOfType(Holder)).toThrow(
      /Holder: two different classes have the schema name Address; rename one/,
    );
  });

  it('is refused when a type is not there yet, or no class', () => {
    const missing = undefined as unknown as typeof Address;
    class Early {
      @Schema({ type: missing }) a?: Address;
    }
    class Wrong {
      @Schema({ type: () => missing }) a?: Address;
    }
    expect(() => schemaOfType(Early)).toThrow(/Early\.a: type is undefined; use \(\) => Class/);
    expect(() => schemaOfType(Wrong)).toThrow(/Wrong\.a: type must refer to a class/);
  });

  it('is refused when a pattern has flags that a schema cannot say', () => {
    class Flagged {
      @Schema({ pattern: /a/i }) a?: string;
    }
    expect(() => schemaOfType(Flagged)).toThrow(/Flagged\.a: the flags "i"/);
  });

  it('leaves no own properties on instances of the base type', () => {
    class Plain extends AbstractExtension {}
    expect(Object.keys(new Plain())).toEqual([]);
  });
});

describe('@Schema', () => {
  it('is refused on static and private fields', () => {
    expect(() => {
      class Bad {
        @Schema({ type: 'string' }) static a = '';
      }
      return Bad;
    }).toThrow(/a must be a public instance field/);
    expect(() => {
      class Bad {
        @Schema({ type: 'string' }) #a = '';
        read(): string {
          return this.#a;
        }
      }
      return Bad;
    }).toThrow(/#a must be a public instance field/);
  });

  it('checks at compile time that attributes fit the field', () => {
    class Fits {
      @Schema({ type: 'integer' }) a?: number | null;
      @Schema({ type: 'array' }) b?: Set<string>;
      @Schema({ type: () => Fits }) c?: Fits;
      @Schema({ description: 'anything' }) d?: unknown;
      // @ts-expect-error a length of a number
      @Schema({ minLength: 1 }) e?: number;
      // @ts-expect-error another type than the field's
      @Schema({ type: 'boolean' }) f?: string;
      // @ts-expect-error the enum misses a member
      @Schema({ enum: ['a'] }) g?: 'a' | 'b';
      // @ts-expect-error another class than the field's
      @Schema({ type: () => Address }) h?: Later[];
      // @ts-expect-error an option that does not exist
      @Schema({ type: 'string', minLenght: 1 }) i?: string;
      // @ts-expect-error a type that does not exist
      @Schema({ type: 'text' }) j?: string;
      // @ts-expect-error a bound of a string
      @Schema({ maximum: 1 }) k?: string;
      // @ts-expect-error a mode that does not exist
      @Schema({ requiredMode: 'YES' }) l?: string;
      // @ts-expect-error a limit of arrays
      @Schema({ minItems: 1 }) m?: string;
      // @ts-expect-error a flag as a text
      @Schema({ type: 'array', uniqueItems: 'yes' }) n?: string[];
    }
    expect(getSchemaFields(Fits).size).toBe(14);
  });
});

describe('a static schema', () => {
  const model = (schema: unknown): ModelClass => {
    class Foreign extends AbstractExtension {
      static schema = schema;
    }
    GVK(gvk('Foreign'))(Foreign);
    return Foreign;
  };

  it('is merged with the fields of the base type', () => {
    const schema = getSchema(
      model({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { spec: { type: 'object' }, kind: { const: 'x' } },
        required: ['spec'],
        additionalProperties: false,
      }),
    );
    expect(schema.$schema).toBeUndefined();
    expect(Object.keys(schema.properties as JsonObject)).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(at(schema, '#/properties/kind/type')).toBe('string');
    expect(schema.required).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
  });

  it('keeps definitions of the root, under both of their names', () => {
    const schema = getSchema(
      model({
        properties: { spec: { $ref: '#/$defs/S' }, status: { $ref: '#/definitions/T' } },
        $defs: { S: { properties: { next: { $ref: '#/$defs/S' } } } },
        definitions: { T: { type: 'object' } },
      }),
    );
    expect(schema.$defs).toEqual({
      S: { properties: { next: { $ref: '#/$defs/S' } } },
      T: { type: 'object' },
    });
    expect(schema.definitions).toBeUndefined();
  });

  it('may contain a part that is a separate document', () => {
    const spec = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { self: { $ref: '#' }, leaf: { $ref: '#/$defs/__schema0' } },
      $defs: { __schema0: { type: 'string' } },
    };
    const schema = getSchema(
      model({ properties: { spec, status: { ...spec, $defs: { __schema0: { type: 'number' } } } } }),
    );
    expect(at(schema, '#/properties/spec/properties/leaf')).toEqual({ $ref: '#/$defs/__schema0' });
    expect(at(schema, '#/properties/status/properties/leaf')).toEqual({ $ref: '#/$defs/__schema02' });
    expect(at(schema, '#/$defs/__schema02')).toEqual({ type: 'number' });
    expect(at(schema, '#/properties/spec/properties/self')).toEqual({ $ref: '#/$defs/Schema' });
  });

  it('may refer to a part by its $id', () => {
    const schema = getSchema(
      model({
        properties: {
          spec: { $id: 'Tree', properties: { kids: { type: 'array', items: { $ref: 'Tree' } } } },
        },
      }),
    );
    expect(at(schema, '#/$defs/Tree/properties/kids/items')).toEqual({ $ref: '#/$defs/Tree' });
  });

  it('leaves values alone that only look like schemas', () => {
    const value = { $ref: '#/nowhere' };
    const schema = getSchema(
      model({ properties: { spec: { default: value, enum: [value], example: value } } }),
    );
    expect(at(schema, '#/properties/spec')).toEqual({ default: value, enum: [value], example: value });
  });

  it.each([
    [
      'leads nowhere',
      { properties: { spec: { $ref: '#/$defs/X' } } },
      /Foreign: .*#\/\$defs\/X of the schema does not exist/,
    ],
    [
      'leads out',
      { properties: { spec: { $ref: 'https://example.com/x' } } },
      /example\.com\/x of the schema does not exist/,
    ],
    ['leads to itself', { $ref: '#' }, /refers to itself/],
    ['is a list', [], /Foreign: static schema must be a JSON schema object/],
    ['is a number that JSON lacks', { default: 1n }, /Foreign: static schema must be JSON/],
  ])('is refused when it %s', (_name, schema, message) => {
    expect(() => getSchema(model(schema))).toThrow(message);
  });
});

describe('@GVK', () => {
  it('is read back with its defaults', () => {
    expect(findGvk(Node)).toEqual({ ...gvk('Node'), shortNames: [], categories: [] });
  });

  it('works as a plain function', () => {
    class Plain {}
    GVK({ ...gvk('Plain'), shortNames: ['pl'] })(Plain);
    expect(findGvk(Plain)?.shortNames).toEqual(['pl']);
  });

  it('is not inherited', () => {
    class Sub extends Node {}
    expect(findGvk(Sub)).toBeUndefined();
  });

  it.each([
    ['group', 'Example.com'],
    ['version', 'V1'],
    ['version', ''],
    ['kind', 'person'],
    ['plural', 'Persons'],
    ['singular', 'Person'],
    ['singular', undefined],
    ['shortNames', ['P']],
    ['categories', [1]],
  ])('names class and attribute when %s is %j', (attribute, value) => {
    class Bad {}
    expect(() => {
      GVK({ ...gvk('Bad'), [attribute]: value })(Bad);
    }).toThrow(new RegExp(`class Bad: ${attribute} `));
  });
});
