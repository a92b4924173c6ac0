import { describe, expect, it } from 'vitest';
import {
  evaluate,
  JsonPathError,
  parseJsonPath,
  readJsonPath,
  formatText,
  valuesAt,
} from '../../src/lib/json/json-path.js';
import { parseTemplate, perItem, renderTemplate } from '../../src/lib/json/json-path-template.js';

const OBJECT = {
  kind: 'Person',
  metadata: { name: 'ann', annotations: { 'demo.example.com/x': 'hi' } },
  spec: { age: 30, tags: ['a', 'b', 'c'], 'a.b': 1, none: null, flag: true, $ref: 'r' },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', count: 3 },
      { type: 'Old', status: 'False', count: 12 },
      { type: 'New' },
    ],
  },
};

function values(path: string): unknown[] {
  return evaluate(OBJECT, readJsonPath(path));
}

describe('evaluate', () => {
  it.each<[string, unknown[]]>([
    ['.spec.age', [30]],
    ['{.spec.age}', [30]],
    ['{ $.spec.age }', [30]],
    ['$', [OBJECT]],
    ['@', [OBJECT]],
    ['.', [OBJECT]],
    ['spec.age', [30]],
    ["['spec']['age']", [30]],
    ["['spec.age']", [30]],
    ['.metadata.annotations.demo\\.example\\.com/x', ['hi']],
    [".metadata.annotations['demo.example.com/x']", ['hi']],
    [".metadata.annotations['demo\\.example\\.com/x']", ['hi']],
    ["['metadata.name', 'spec.age']", ['ann', 30]],
    [".spec['a.b']", [1]],
    ['.spec.$ref', ['r']],
    ['.spec.none', [null]],
    ['.spec.missing.deep', []],
    ['.spec.constructor', []],
    ['.spec.tags.length', []],
    ['.spec.tags[0]', ['a']],
    ['.spec.tags[-1]', ['c']],
    ['.spec.tags[7]', []],
    ['.spec.tags[*]', ['a', 'b', 'c']],
    ['.spec.tags[0:2]', ['a', 'b']],
    ['.spec.tags[-2:]', ['b', 'c']],
    ['.spec.tags[::2]', ['a', 'c']],
    ['.spec.tags[0,2]', ['a', 'c']],
    ['.spec.tags[0, -1, 9]', ['a', 'c']],
    ['.metadata.*', ['ann', { 'demo.example.com/x': 'hi' }]],
    ['..status', [OBJECT.status, 'True', 'False']],
    ['..tags[1]', ['b']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type == 'Ready')].status", ['True']],
    ['.status.conditions[?(@.type==Ready)].status', ['True']],
    ['.status.conditions[?(@.type!="Ready")].type', ['Old', 'New']],
    ['.status.conditions[?(@.count>3)].type', ['Old']],
    ['.status.conditions[?(@.count>=3)].type', ['Ready', 'Old']],
    ['.status.conditions[?(@.count<12)].type', ['Ready']],
    ['.status.conditions[?(@.count<=12)].type', ['Ready', 'Old']],
    ['.status.conditions[?(@.count)].type', ['Ready', 'Old']],
    ['.status.conditions[?(@.count!=3)].type', ['Old']],
    ['.status.conditions[?(@.count=="3")].type', []],
    ['.status.conditions[?(3<@.count)].type', ['Old']],
    ['.status.conditions[?(@.type=="a)b]")].type', []],
    ['.spec.tags[?(@=="b")]', ['b']],
    ['.spec.tags[?($.spec.flag==true)]', ['a', 'b', 'c']],
  ])('follows %s', (path, expected) => {
    expect(values(path)).toEqual(expected);
  });

  it('gives no value for null', () => {
    expect(valuesAt(OBJECT, readJsonPath('.spec.none'))).toEqual([]);
  });
});

describe('readJsonPath', () => {
  it.each([
    ['', 'a path is missing', 1],
    ['{}', 'a path is missing', 2],
    ['{.spec', '"}" is missing', 7],
    ['.spec.', 'a name is missing after the dot', 7],
    ['..', 'a name is missing after the dot', 3],
    ['.spec[', 'a number, a slice', 7],
    ['.spec[name]', 'a number, a slice', 7],
    ['.spec[0', '"]" is missing', 8],
    ["['a", 'the quote is not closed', 2],
    ['.spec[::0]', 'the step of a slice must be at least 1', 7],
    ['.spec[?(@.a=~"x")]', 'is missing', 12],
    ['.spec[?(@.a==)]', 'a value is missing', 14],
    ['.spec[?(@.a=="b"]', 'is missing', 17],
    ['.spec .status', 'unexpected text in the path', 7],
    ['.spec}', 'unexpected text in the path', 6],
  ])('refuses %s and says where', (path, reason, position) => {
    const read = (): unknown => readJsonPath(path);
    expect(read).toThrow(JsonPathError);
    expect(read).toThrow(reason);
    expect(read).toThrow(new RegExp(`at position ${position}$`));
    expect(parseJsonPath(path)).toBeUndefined();
  });
});

describe('a template', () => {
  const LIST = {
    kind: 'PersonList',
    total: 2,
    items: [OBJECT, { metadata: { name: 'bob' }, spec: { age: 4 } }],
  };
  const render = (text: string, value: unknown = LIST): string => renderTemplate(parseTemplate(text), value);

  it.each([
    ['{.kind}', 'PersonList'],
    ['.kind', 'PersonList'],
    ['plain text', 'plain text'],
    ['a}b', 'a}b'],
    ['{.items[*].metadata.name}', 'ann bob'],
    ['{.items[*].spec.tags[*]}', 'a b c'],
    ['kind: {.kind}, first: {.items[0].metadata.name}!', 'kind: PersonList, first: ann!'],
    ['{range .items[*]}{.metadata.name}{"\\t"}{.spec.age}{"\\n"}{end}', 'ann\t30\nbob\t4\n'],
    ["{range .items[*]}{.metadata.name}{' - '}{end}.", 'ann - bob - .'],
    ['{range .items[*]}{$.kind}/{@.metadata.name} {end}', 'PersonList/ann PersonList/bob '],
    ['{range .items[*]}{.metadata.name}:{range .spec.tags[*]}<{@}>{end};{end}', 'ann:<a><b><c>;bob:;'],
    ['{.items[?(@.spec.age>10)].metadata.name}', 'ann'],
    ['{"\\u00e4\\\\{}"}', 'ä\\{}'],
    ['{.missing}', ''],
    ['{range .missing[*]}x{end}', ''],
  ])('renders %s', (text, expected) => {
    expect(render(text)).toBe(expected);
  });

  it('prints maps and lists as JSON', () => {
    expect(
      render('{.spec} {.spec.tags} {.spec.none} {.spec.flag}', {
        spec: { tags: [1, 'x'], none: null, flag: true },
      }),
    ).toBe('{"tags":[1,"x"],"none":null,"flag":true} [1,"x"] null true');
    expect(formatText({ a: 1 })).toBe('{"a":1}');
  });

  it.each([
    ['{.a', '"}" is missing at position 4'],
    ['{range .items[*]}{.a}', '{range} without {end} at position 2'],
    ['x{end}', '{end} without {range} at position 3'],
    ['{"a}', 'the quote is not closed at position 2'],
    ['{range}', 'a path is missing'],
    ['{.a} {.b[}', 'at position 10'],
    ['{.a .b}', '"}" is missing at position 5'],
  ])('refuses %s', (text, message) => {
    expect(() => parseTemplate(text)).toThrow(message);
  });

  describe('of a list, item by item', () => {
    const oneByOne = (text: string): string | undefined => {
      const each = perItem(parseTemplate(text));
      if (each === undefined) return undefined;
      const { items, ...head } = LIST;
      const texts = items.map((item) => each.ofItem(item)).filter((one) => one !== '');
      return each.before(head) + texts.join(each.separator) + each.after(head);
    };

    it.each([
      '{.items[*].metadata.name}',
      '{.items[*].spec.tags[*]}',
      '{.kind}: {range .items[*]}{.metadata.name}{"\\n"}{end}total {.total}\n',
      '{$.items[*].spec.age}',
      '{range .items[*]}{range .spec.tags[*]}{@},{end}{end}',
      '{range .items[*].spec.tags[*]}{@};{end}',
    ])('says the same of %s', (text) => {
      expect(oneByOne(text)).toBe(render(text));
    });

    it.each([
      '{.items[0].metadata.name}',
      '{.items[?(@.spec.age>3)].metadata.name}',
      '{..name}',
      '{.items}',
      '{.items[*].metadata.name}{.items[*].spec.age}',
      '{range .items[*]}{$.kind}{end}',
      '{.items[*].spec.tags[?($.total==2)]}',
      '{.kind}',
      "{['kind']}{['items']}",
    ])('is not possible for %s', (text) => {
      expect(oneByOne(text)).toBeUndefined();
    });
  });
});
