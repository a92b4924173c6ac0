import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.js';
import { ALL, type Condition } from '../../src/query/condition.js';
import { parseFieldSelector, parseLabelSelector } from '../../src/query/selector.js';

const labels = (text: string): Condition => parseLabelSelector([text]);
const fields = (text: string): Condition => parseFieldSelector([text]);
const not = (of: Condition): Condition => ({ op: 'not', of });
const label = (key: string, ...values: string[]): Condition => ({ op: 'labelIn', key, values });
const present = (key: string): Condition => ({ op: 'labelExists', key });
const field = (name: string, ...values: string[]): Condition => ({ op: 'in', field: name, values });

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error.code).toBe('BadRequest');
    return error.message;
  }
  return 'nothing was thrown';
}

describe('a label selector', () => {
  it.each<[string, Condition]>([
    ['k=v', label('k', 'v')],
    ['k==v', label('k', 'v')],
    [' k\t= v ', label('k', 'v')],
    ['k!=v', not(label('k', 'v'))],
    ['k != v', not(label('k', 'v'))],
    ['k', present('k')],
    ['!k', not(present('k'))],
    ['! k', not(present('k'))],
    ['k in (a,b)', label('k', 'a', 'b')],
    ['k in(a)', label('k', 'a')],
    ['k in ( a , b )', label('k', 'a', 'b')],
    ['k in (a,)', label('k', 'a', '')],
    ['k notin (a,b)', not(label('k', 'a', 'b'))],
    ['k=(a,b)', label('k', 'a', 'b')],
    ['k = (a)', label('k', 'a')],
    ['k=', label('k', '')],
    ['k= ', label('k', '')],
    ['k!=', not(label('k', ''))],
    ['in in (in)', label('in', 'in')],
    ['in', present('in')],
    ['notin', present('notin')],
    ['inner=v', label('inner', 'v')],
    ['example.com/Team=x.y_z-1', label('example.com/Team', 'x.y_z-1')],
  ])('reads %j', (text, condition) => {
    expect(labels(text)).toEqual(condition);
  });

  it('asks for nothing when it is empty', () => {
    expect(labels('')).toEqual(ALL);
    expect(labels('  ')).toEqual(ALL);
    expect(parseLabelSelector([])).toEqual(ALL);
  });

  it('joins its requirements and those of repeated texts, commas in parentheses aside', () => {
    const wanted = [label('a', '1'), label('b', 'x', 'y'), not(present('c'))];
    expect(labels('a=1,b in (x,y),!c')).toEqual({ op: 'and', of: wanted });
    expect(parseLabelSelector(['a=1', '', 'b in (x,y) , !c'])).toEqual({ op: 'and', of: wanted });
    expect(labels('a=,b')).toEqual({ op: 'and', of: [label('a', ''), present('b')] });
  });

  it.each<[string, number, string]>([
    [',', 1, 'expected a label key'],
    ['a,', 3, 'expected a label key'],
    ['a,,b', 3, 'expected a label key'],
    ['=v', 1, 'expected a label key'],
    ['!', 2, 'expected a label key'],
    ['!a=b', 3, 'expected ","'],
    ['a b', 3, 'expected "="'],
    ['a in', 5, 'expected "("'],
    ['a in b', 6, 'expected "("'],
    ['a in ()', 7, 'the set is empty'],
    ['a notin ( )', 11, 'the set is empty'],
    ['a=()', 4, 'the set is empty'],
    ['a in (b', 8, 'expected "," or ")"'],
    ['a in (b c)', 9, 'expected "," or ")"'],
    ['a in (b)c', 9, 'expected ","'],
    ['a=b=c', 4, 'expected ","'],
    ['a==(b)', 4, 'expected ","'],
    ['a!=(b)', 4, 'expected ","'],
    ['a=b c', 5, 'expected ","'],
    ['a>1', 1, 'is not a label key'],
    ['-a=b', 1, 'is not a label key'],
    ['A.com/x', 1, 'lowercase DNS subdomain'],
    ['a/b/c', 1, 'is not a label key'],
    ['/b', 1, 'is not a label key'],
    ['x,a=-b', 5, 'is not a label value'],
    ['a=ü', 3, 'is not a label value'],
  ])('refuses %j at position %d', (text, position, expected) => {
    const message = messageOf(() => labels(text));
    expect(message).toContain(`at position ${position} of`);
    expect(message).toContain(expected);
    expect(message).toMatch(/^labelSelector: /);
  });

  it('takes names and values of 63 characters and no more', () => {
    const long = 'a'.repeat(63);
    expect(labels(`${long}=${long}`)).toEqual(label(long, long));
    expect(messageOf(() => labels(`${long}a=b`))).toContain('position 1');
    expect(messageOf(() => labels(`b=${long}a`))).toContain('position 3');
  });
});

describe('a field selector', () => {
  it.each<[string, Condition]>([
    ['f=v', field('f', 'v')],
    ['f==v', field('f', 'v')],
    ['f!=v', not(field('f', 'v'))],
    ['f = v w ', field('f', 'v w')],
    ['f=(a,b)', field('f', 'a', 'b')],
    ['f = ( a , b )', field('f', 'a', 'b')],
    ['f in (a,b)', field('f', 'a', 'b')],
    ['f notin (a,b)', not(field('f', 'a', 'b'))],
    ['f=', field('f', '')],
    ['f!=', not(field('f', ''))],
    ['f=(a,)', field('f', 'a', '')],
    ['name=x', field('metadata.name', 'x')],
    ['metadata.name=x', field('metadata.name', 'x')],
    ['f=a=b', field('f', 'a=b')],
    ['f===b', field('f', '=b')],
    ['f=a!=b', field('f', 'a!=b')],
    ['f=a(b)c', field('f', 'a(b)c')],
    ['f=a)b', field('f', 'a)b')],
    ['f=a(b', field('f', 'a(b')],
    ['f=a\\,b', field('f', 'a,b')],
    ['f=\\(a\\)', field('f', '(a)')],
    ['f=\\=\\\\', field('f', '=\\')],
    ['f!=\\(a,g=b', { op: 'and', of: [not(field('f', '(a')), field('g', 'b')] }],
    ['f=(a\\,b,\\),c(d))', field('f', 'a,b', ')', 'c(d)')],
    ['f=(a=b)', field('f', 'a=b')],
    ['f=:(,g=1', { op: 'and', of: [field('f', ':('), field('g', '1')] }],
    ['f=in (a)', field('f', 'in (a)')],
    ['f>3', { op: 'range', field: 'f', from: { value: '3', inclusive: false } }],
    ['f >= 3 ', { op: 'range', field: 'f', from: { value: '3', inclusive: true } }],
    ['f<3', { op: 'range', field: 'f', to: { value: '3', inclusive: false } }],
    ['f<=a=b<c', { op: 'range', field: 'f', to: { value: 'a=b<c', inclusive: true } }],
    ['f<\\=3', { op: 'range', field: 'f', to: { value: '=3', inclusive: false } }],
    ['f>', { op: 'range', field: 'f', from: { value: '', inclusive: false } }],
    ['f=<3', field('f', '<3')],
    ['f', not({ op: 'isNull', field: 'f' })],
    ['!f', { op: 'isNull', field: 'f' }],
    ['! name', { op: 'isNull', field: 'metadata.name' }],
    [
      'f , !g,h<1',
      {
        op: 'and',
        of: [
          not({ op: 'isNull', field: 'f' }),
          { op: 'isNull', field: 'g' },
          { op: 'range', field: 'h', to: { value: '1', inclusive: false } },
        ],
      },
    ],
  ])('reads %j', (text, condition) => {
    expect(fields(text)).toEqual(condition);
  });

  it('asks for nothing when it is empty', () => {
    expect(parseFieldSelector(['', ' '])).toEqual(ALL);
  });

  it('joins its requirements', () => {
    expect(parseFieldSelector(['a=1,b=(x,y)', 'c!=2'])).toEqual({
      op: 'and',
      of: [field('a', '1'), field('b', 'x', 'y'), not(field('c', '2'))],
    });
    expect(fields('a=,b=')).toEqual({ op: 'and', of: [field('a', ''), field('b', '')] });
  });

  it.each<[string, number, string]>([
    ['!', 2, 'a field'],
    ['!=3', 2, 'a field'],
    ['!f=3', 3, '","'],
    ['!!f', 2, 'a field'],
    ['>3', 1, 'a field'],
    ['f!>3', 2, '">="'],
    ['f>(3)', 3, 'a value'],
    ['f<=(3,4)', 4, 'a value'],
    ['f=1,', 5, 'a field'],
    ['f in', 5, '"("'],
    ['f in x', 6, '"("'],
    ['f=()', 4, 'the set is empty'],
    ['f in ( )', 8, 'the set is empty'],
    ['f=(a', 5, '"," or ")"'],
    ['f=(a)b', 6, '","'],
    ['f==(a)', 4, 'a value'],
    ['f!=(a,b)', 4, 'a value'],
    ['f=a(b,c)', 6, 'must be escaped'],
    ['f=(a(b,c))', 7, 'must be escaped'],
    ['f=a\\', 5, 'after the escape'],
    ['f=a\\n', 5, 'after the escape'],
    ['f 3', 3, '"="'],
  ])('refuses %j at position %d', (text, position, expected) => {
    const message = messageOf(() => fields(text));
    expect(message).toContain(`at position ${position} of`);
    expect(message).toContain(expected);
    expect(message).toMatch(/^fieldSelector: expected/);
  });
});
