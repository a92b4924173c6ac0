import { Package } from '../../plugins/catalogue/package.js';
import { Person as ExamplePerson } from '../../plugins/person/person.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from '../helpers/store.js';
import { manyModels, modelWith, person, pet, renamed } from './helpers.js';

/** Those of the example plugins. */
export const examples = [ExamplePerson, Package].map(
  (model) => new SchemeRegistry().register(model, 'test').resource,
);

export const nasty = modelWith(
  {
    type: 'object',
    description: 'Ends """ and */ comments \\\nhas "quotes"\r\nand \u2028 more',
    required: ['class', 'not-declared', 'choice', '-'],
    properties: {
      class: { type: 'string', description: 'a reserved word' },
      from: { type: 'string' },
      __private: { type: 'string' },
      func: { type: 'integer' },
      'with-dash': { type: 'integer' },
      with_dash: { type: 'integer' },
      '-': { type: 'string' },
      '9': { type: 'string' },
      ключ: { type: 'string' },
      'a "quoted", one': { type: 'boolean' },
      empty: { type: 'object' },
      closed: { type: 'object', additionalProperties: false },
      map: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { a: { type: 'string', format: 'date-time' } } },
      },
      patterns: {
        type: 'object',
        patternProperties: { '^x': { type: 'string' } },
        additionalProperties: false,
      },
      choice: {
        oneOf: [{ $ref: '#/$defs/default' }, { type: 'null' }, { type: 'array', items: { enum: ['a', 1] } }],
      },
      many: { type: ['string', 'number', 'null'] },
      maybe: { type: 'string', nullable: true },
      tuple: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
      list: { type: 'array', items: { type: ['string', 'null'] } },
      all: {
        allOf: [{ $ref: '#/$defs/Tree' }, { properties: { more: { type: 'string' } } }],
        nullable: true,
      },
      one: { allOf: [{ $ref: '#/$defs/Tree' }], description: 'A tree' },
      fixed: { const: 'it is "so"' },
      colour: { type: 'string', enum: ['', 'red', 'dark-red', 'darkRed', '9', 'None', 'grün'] },
      level: { enum: [1, 2, 3, null] },
      mixed: { enum: ['a', 2, true] },
      ratio: { enum: [0.5, 1.5] },
      flag: { enum: [true] },
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
        left: { $ref: '#/$defs/Tree' },
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
    Same: { $ref: '#/$defs/9 lives' },
    Metadata: { type: 'string' },
    None: { type: 'boolean' },
    Any: { type: 'object', properties: { Literal: { type: 'string' } } },
  },
  { kind: 'Page', plural: 'pages' },
);

export const MODELS = [
  ...examples,
  nasty,
  person,
  renamed(person, { group: 'other.example.com' }),
  pet,
  ...manyModels(9),
];

/** Runs a program in a directory with some files. */
export function run(
  files: Readonly<Record<string, string>>,
  command: string,
  ...args: readonly string[]
): { status: number | null; output: string } {
  const cwd = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(cwd, name), text);
  const env = {
    ...process.env,
    GOFLAGS: '-mod=mod',
    GOTOOLCHAIN: 'local',
    GOPROXY: 'off',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}
