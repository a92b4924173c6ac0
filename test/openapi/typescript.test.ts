import { writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { Package } from '../../plugins/catalogue/package.js';
import { Person as ExamplePerson } from '../../plugins/person/person.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { emitTypes } from '../../src/openapi/types/typescript.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { manyModels, modelWith, person, pet, renamed } from './helpers.js';

afterAll(removeDirectories);

/** Errors of the compiler, in strict mode, for a program that uses the types. */
function compile(types: string, program = ''): string[] {
  const directory = temporaryDirectory();
  writeFileSync(path.join(directory, 'models.d.ts'), types);
  const main = path.join(directory, 'main.ts');
  writeFileSync(main, `import type * as m from './models.js';\n${program}\nexport type All = m.ModelMap;\n`);
  const built = ts.createProgram([main], {
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts'],
    types: [],
  });
  return ts.getPreEmitDiagnostics(built).map(({ messageText, file, start = 0 }) => {
    const at = file === undefined ? '' : file.text.slice(start, start + 60);
    return `${ts.flattenDiagnosticMessageText(messageText, '\n')} at ${at}`;
  });
}

/** Those of the example plugins. */
const examples = [ExamplePerson, Package].map(
  (model) => new SchemeRegistry().register(model, 'test').resource,
);

const nasty = modelWith(
  {
    type: 'object',
    description: 'Ends */ comments `and`\nhas "quotes" and ${templates}',
    required: ['class', 'not-declared', 'choice'],
    properties: {
      class: { type: 'string', description: 'a reserved word' },
      'with-dash': { type: 'integer' },
      'it\'s "quoted" \\ and\nbroken': { type: 'boolean' },
      empty: { type: 'object' },
      closed: { type: 'object', additionalProperties: false },
      map: { type: 'object', additionalProperties: { type: 'integer' } },
      patterns: {
        type: 'object',
        patternProperties: { '^x': { type: 'string' } },
        additionalProperties: false,
      },
      both: {
        type: 'object',
        properties: { a: { type: 'string' } },
        additionalProperties: { type: 'integer' },
      },
      choice: {
        oneOf: [{ $ref: '#/$defs/default' }, { type: 'null' }, { type: 'array', items: { enum: ['a', 1] } }],
      },
      many: { type: ['string', 'number', 'null'] },
      tuple: {
        type: 'array',
        prefixItems: [{ type: 'string' }, { type: 'integer' }],
        minItems: 1,
        items: false,
      },
      list: { type: 'array', items: { type: ['string', 'null'] } },
      all: {
        allOf: [{ $ref: '#/$defs/Tree' }, { properties: { more: { type: 'string' } } }],
        nullable: true,
      },
      fixed: { const: 'it is "so"' },
      never: false,
      any: true,
      old: { type: 'string', deprecated: true, readOnly: true },
    },
  },
  {
    default: { type: 'object', properties: { enum: { enum: ["it's", 'b"c', 'd\\e', null] } } },
    Tree: {
      type: 'object',
      properties: {
        children: { type: 'array', items: { $ref: '#/$defs/Tree' } },
        value: { $ref: '#/$defs/json-value' },
      },
    },
    'json-value': {
      anyOf: [
        { type: 'string' },
        { type: 'array', items: { $ref: '#/$defs/json-value' } },
        { type: 'object', additionalProperties: { $ref: '#/$defs/json-value' } },
      ],
    },
    '9 lives': { type: 'integer' },
    Metadata: { type: 'string' },
  },
  { kind: 'Page', plural: 'pages' },
);

describe('TypeScript types of models', () => {
  it('compile for nasty schemas, and mean what these say', () => {
    const types = emitTypes([
      ...examples,
      nasty,
      person,
      renamed(person, { group: 'other.example.com' }),
      pet,
    ]);
    const program = `
      type Nasty = m.ModelMap['demo.example.com/v1/Page'];
      type Spec = Nasty['spec'];
      export const spec: Spec = {
        class: 'x', 'not-declared': 1, choice: null, 'with-dash': 3, empty: { anything: 1 }, closed: {}, map: { a: 1 },
        patterns: { x: 'y' }, both: { a: 'b', other: 3 }, many: null, tuple: ['a', 1], list: ['a', null],
        all: { children: [{ children: [], value: [{ deep: ['x'] }] }], more: 'x' }, fixed: 'it is "so"',
      };
      export const choices: Spec['choice'][] = [null, ['a', 1], { enum: "it's" }];
      export const nasty: Nasty = {
        apiVersion: 'demo.example.com/v1', kind: 'Page', metadata: { name: 'a', labels: { 'a/b': 'c' } }, spec,
      };
      export function kindOf(any: m.ModelMap[keyof m.ModelMap]): string {
        if (any.apiVersion === 'other.example.com/v1') return String(any.spec.role);
        return any.kind === 'Pet' ? any.spec.species : any.kind;
      }
      export const ada: m.ModelMap['demo.example.com/v1alpha1/Person'] = {
        apiVersion: 'demo.example.com/v1alpha1', kind: 'Person', metadata: { name: 'ada' },
        spec: { name: 'Ada', gender: 'FEMALE', address: { city: 'London' } },
      };
      export const libc: m.Package['kind'] = 'Package';
      export const page: m.Page<m.Person> | undefined = undefined;
    `;
    expect(compile(types, program)).toEqual([]);
  });

  it('refuse what the schema refuses', () => {
    const wrong = [
      `{ choice: null, 'not-declared': 1 }`,
      `{ class: 1, choice: null, 'not-declared': 1 }`,
      `{ class: 'x', choice: ['z'], 'not-declared': 1 }`,
      `{ class: 'x', choice: null, 'not-declared': 1, tuple: ['a', 1, 2] }`,
      `{ class: 'x', choice: null, 'not-declared': 1, unknown: 1 }`,
    ];
    const lines = wrong.map((value) => `// @ts-expect-error\nvoid (${value} satisfies Spec);`);
    const program = `type Spec = m.ModelMap['demo.example.com/v1/Page']['spec'];\n${lines.join('\n')}`;
    // An expected error that is none is an error.
    expect(compile(emitTypes([nasty]), program)).toEqual([]);
  });

  it('have unique names, and are the same for the same models', () => {
    const text = emitTypes([nasty, ...manyModels(20), person]);
    const names = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map((match) => match[1]);
    expect(new Set(names).size).toBe(names.length);
    expect(emitTypes([nasty, ...manyModels(20), person])).toBe(text);
    expect(text).toContain('/** a reserved word */');
    expect(text).not.toContain('Ends */');
  });

  it('compile without any model', () => {
    expect(compile(emitTypes([]))).toEqual([]);
  });
});
