import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Package } from '../../plugins/catalogue/package.js';
import { Person as ExamplePerson } from '../../plugins/person/person.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { emitGo } from '../../src/openapi/types/go.js';
import { emitPython } from '../../src/openapi/types/python.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { manyModels, modelWith, person, pet, renamed } from './helpers.js';

afterAll(removeDirectories);

/** The compiler of Go may be installed without being in the path. */
const GO = ['go', '/usr/local/go/bin/go'].find((go) => has(go, 'version'));
const HAS_PYTHON = has('python3', '-c', 'from typing import NotRequired');

function has(command: string, ...args: readonly string[]): boolean {
  if (path.isAbsolute(command) && !existsSync(command)) return false;
  return spawnSync(command, args).status === 0;
}

if (GO === undefined) console.warn('there is no Go: its types are not compiled');
if (!HAS_PYTHON) console.warn('there is no Python 3.11: its types are not loaded');

const examples = [ExamplePerson, Package].map(
  (model) => new SchemeRegistry().register(model, 'test').resource,
);

const nasty = modelWith(
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

const MODELS = [
  ...examples,
  nasty,
  person,
  renamed(person, { group: 'other.example.com' }),
  pet,
  ...manyModels(9),
];

/** Runs a program in a directory with some files. */
function run(
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

describe.skipIf(!HAS_PYTHON)('Python types of models', () => {
  it('are compiled, and all of them are resolved', () => {
    const program = `
import json, py_compile, typing, models
py_compile.compile('models.py', doraise=True)
count = 0
for name, one in vars(models).items():
    if isinstance(one, type) and typing.is_typeddict(one):
        typing.get_type_hints(one, include_extras=True)
        count += 1
assert count > 20, count
hints = typing.get_type_hints(models.PageV1DemoExampleCom)
nasty = typing.get_type_hints(hints['spec'], include_extras=True)
print(json.dumps({
    'required': sorted(hints['spec'].__required_keys__),
    'from': str(nasty['from']), 'colour': str(nasty['colour']), 'level': str(nasty['level']),
    'metadata': sorted(models.Metadata.__required_keys__),
}))
`;
    const { status, output } = run(
      { 'models.py': emitPython(MODELS), 'main.py': program },
      'python3',
      'main.py',
    );
    expect([status, output]).toEqual([0, expect.stringMatching(/^\{.*\}\n$/)]);
    expect(JSON.parse(output)).toEqual({
      required: ['-', 'choice', 'class', 'not-declared'],
      from: 'typing.NotRequired[str]',
      colour: "typing.NotRequired[typing.Literal['', 'red', 'dark-red', 'darkRed', '9', 'None', 'grün']]",
      level: 'typing.NotRequired[typing.Optional[typing.Literal[1, 2, 3]]]',
      metadata: ['name'],
    });
  });

  it('keep descriptions, and are the same for the same models', () => {
    const text = emitPython(examples);
    expect(text).toContain('    # Age in years\n    age: NotRequired[int]\n');
    expect(text).toContain(
      'class Person(TypedDict):\n    apiVersion: Literal["demo.example.com/v1alpha1"]\n    kind: Literal["Person"]\n',
    );
    expect(text).toContain('PersonSpecGender = Literal["MALE", "FEMALE"]');
    expect(emitPython([...examples].reverse())).toBe(text);
  });
});

describe.skipIf(GO === undefined)('Go types of models', () => {
  const main = `package models

import (
	"encoding/json"
	"testing"
)

func TestRound(t *testing.T) {
	age := int64(30)
	gender := PersonSpecGenderFEMALE
	person := Person{ApiVersion: "demo.example.com/v1alpha1", Kind: "Person", Metadata: Metadata{Name: "ann"}, Spec: PersonSpec{Name: "Ann", Age: &age, Gender: &gender}}
	text, err := json.Marshal(Page[Person]{Items: []Person{person}, Total: 1})
	if err != nil {
		t.Fatal(err)
	}
	var page Page[Person]
	if err := json.Unmarshal(text, &page); err != nil {
		t.Fatal(err)
	}
	text, _ = json.Marshal(page.Items[0])
	println(string(text))
}
`;

  it('are compiled and checked, and read what they write', () => {
    const module = { 'go.mod': 'module example.com/models\n\ngo 1.21\n' };
    const checked = run({ ...module, 'models.go': emitGo(MODELS) }, GO ?? '', 'vet', './...');
    expect(checked).toEqual({ status: 0, output: '' });
    const used = { ...module, 'models.go': emitGo(examples), 'models_test.go': main };
    const { status, output } = run(used, GO ?? '', 'test', './...', '-v');
    expect(status, output).toBe(0);
    expect(output).toContain(
      '{"apiVersion":"demo.example.com/v1alpha1","kind":"Person","metadata":{"name":"ann"},"spec":{"name":"Ann","age":30,"gender":"FEMALE"}}',
    );
  });

  it('have pointers for what may be absent, tags, and constants for choices', () => {
    const text = emitGo([nasty]);
    expect(text).toContain('From *string `json:"from,omitempty"`');
    expect(text).toContain('Class string `json:"class"`');
    expect(text).toContain('NotDeclared any `json:"not-declared"`');
    expect(text).toContain('`json:"-,"`');
    expect(text).toContain('// The member "a \\"quoted\\", one" has no field');
    expect(text).toMatch(/Map map\[string\]\w+Map `json:"map,omitempty"`/);
    expect(text).toMatch(/\w+ColourEmpty \w+ = ""/);
    expect(emitGo([...MODELS].reverse())).toBe(emitGo(MODELS));
  });
});
