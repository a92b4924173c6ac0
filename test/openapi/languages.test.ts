import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { emitGo } from '../../src/openapi/types/go.js';
import { emitPython } from '../../src/openapi/types/python.js';
import { removeDirectories } from '../helpers/store.js';
import { examples, MODELS, nasty, run } from './nasty-models.js';

afterAll(removeDirectories);

const HAS_PYTHON = spawnSync('python3', ['-c', 'from typing import NotRequired']).status === 0;
if (!HAS_PYTHON) console.warn('there is no Python 3.11: its types are not loaded');

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

/** They are compiled in test/clients. */
describe('Go types of models', () => {
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
