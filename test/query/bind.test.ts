import { describe, expect, it } from 'vitest';
import { encodeValue } from '../../src/model/key-type.js';
import { bind } from '../../src/query/bind.js';
import { canonical } from '../../src/query/bound-condition.js';
import { NAME } from '../../src/query/fields.js';
import { Queries as Q } from '../../src/query/condition-builders.js';
import { at, PERSON } from './helpers.js';

const text = (value: string): Buffer => encodeValue('string', value);
const int = (value: number): Buffer => encodeValue('integer', value);

describe('bind', () => {
  it('resolves fields and encodes values by the key type of their index', () => {
    expect(bind(Q.equal('spec.age', '42'), PERSON)).toEqual({
      op: 'in',
      index: at('spec.age'),
      values: [int(42)],
    });
    expect(bind(Q.equal('name', 'ann'), PERSON)).toEqual({ op: 'in', index: NAME, values: [text('ann')] });
    expect(bind(Q.equal('spec.serial', 2n ** 63n - 1n), PERSON)).toEqual(
      bind(Q.equal('spec.serial', '9223372036854775807'), PERSON),
    );
    const date = '2026-11-20T08:00:00Z';
    expect(bind(Q.equal('metadata.creationTimestamp', new Date(date)), PERSON)).toEqual(
      bind(Q.equal('metadata.creationTimestamp', '2026-11-20T09:00:00+01:00'), PERSON),
    );
  });

  it('sorts the values of a set and keeps each once', () => {
    expect(bind(Q.in('spec.age', [3, '1', 2, 3, 1]), PERSON)).toEqual({
      op: 'in',
      index: at('spec.age'),
      values: [int(1), int(2), int(3)],
    });
    expect(bind(Q.in('spec.age', []), PERSON)).toEqual({ op: 'none' });
    expect(bind(Q.not(Q.in('spec.age', [])), PERSON)).toEqual({ op: 'all' });
  });

  it('turns labels into entries of the label index', () => {
    const index = at('metadata.labels');
    expect(bind(Q.labelIn('k', ['b', 'a']), PERSON)).toEqual({
      op: 'in',
      index,
      values: [text('k=a'), text('k=b')],
    });
    expect(bind(Q.labelExists('k'), PERSON)).toEqual({ op: 'prefix', index, prefix: text('k=') });
  });

  it('turns a start into a prefix, unless case does not count', () => {
    const index = at('spec.owner');
    expect(bind(Q.startsWith('spec.owner', 'Ab'), PERSON)).toEqual({
      op: 'prefix',
      index,
      prefix: text('Ab'),
    });
    expect(bind(Q.startsWith('spec.owner', 'Ab', { ignoreCase: true }), PERSON)).toEqual({
      op: 'text',
      kind: 'startsWith',
      index,
      text: 'ab',
      ignoreCase: true,
    });
  });

  it('sees that no value lies in a reversed range', () => {
    expect(bind(Q.between('spec.age', 5, true, 4, true), PERSON)).toEqual({ op: 'none' });
    expect(bind(Q.between('spec.age', 5, true, 5, false), PERSON)).toEqual({ op: 'none' });
    expect(bind(Q.between('spec.age', 5, true, 5, true), PERSON)).toMatchObject({ op: 'range' });
    expect(bind({ op: 'range', field: 'spec.age' }, PERSON)).toEqual({
      op: 'not',
      of: { op: 'isNull', index: at('spec.age') },
    });
  });

  it('flattens, drops what asks for nothing, and stops where nothing can match', () => {
    const a = Q.equal('spec.age', 1);
    const b = Q.isNull('spec.owner');
    const nested = Q.and(a, Q.and(Q.empty(), Q.and(b)), a);
    expect(bind(nested, PERSON)).toEqual({ op: 'and', of: [bind(a, PERSON), bind(b, PERSON)] });
    expect(bind(Q.and(Q.all('spec.age'), a), PERSON)).toEqual(bind(a, PERSON));
    expect(bind(Q.and(), PERSON)).toEqual({ op: 'all' });
    expect(bind(Q.or(), PERSON)).toEqual({ op: 'none' });
    expect(bind(Q.and(a, Q.or()), PERSON)).toEqual({ op: 'none' });
    expect(bind(Q.or(a, Q.empty()), PERSON)).toEqual({ op: 'all' });
  });

  it('pushes not through and and or, down to comparisons', () => {
    const a = Q.equal('spec.age', 1);
    const b = Q.isNotNull('spec.owner');
    expect(bind(Q.not(Q.and(a, b)), PERSON)).toEqual({
      op: 'or',
      of: [
        { op: 'not', of: bind(a, PERSON) },
        { op: 'isNull', index: at('spec.owner') },
      ],
    });
    expect(bind(Q.not(Q.not(a)), PERSON)).toEqual(bind(a, PERSON));
  });

  it.each([
    ['spec.age', 'abc'],
    ['spec.age', '2147483648'],
    ['spec.age', 1.5],
    ['spec.age', true],
    ['spec.active', 'yes'],
    ['spec.owner', 3],
    ['spec.serial', '9223372036854775808'],
    ['metadata.creationTimestamp', 'yesterday'],
    ['metadata.creationTimestamp', new Date(NaN)],
  ])('refuses as a value of %s: %s', (field, value) => {
    const type = PERSON.indexes[at(field)]?.keyType ?? '';
    expect(() => bind(Q.equal(field, value), PERSON)).toThrow(new RegExp(`is not a value of type ${type}`));
  });

  it('names the value that cannot be read', () => {
    expect(() => bind(Q.equal('spec.age', 'abc'), PERSON)).toThrow('"abc" is not a value of type integer');
  });

  it('refuses unknown fields, and text comparisons on other than strings', () => {
    expect(() => bind(Q.isNull('spec.x'), PERSON)).toThrow(
      /"spec\.x" is not indexed; indexed fields: metadata\.name/,
    );
    for (const condition of [
      Q.startsWith('spec.age', '1'),
      Q.endsWith('spec.age', '1'),
      Q.contains('spec.age', '1'),
    ]) {
      expect(() => bind(condition, PERSON)).toThrow(/needs a string index/);
    }
  });

  it('has one canonical text whatever the order', () => {
    const a = Q.equal('spec.age', 1);
    const b = Q.contains('spec.owner', 'x');
    expect(canonical(bind(Q.and(a, b), PERSON))).toBe(canonical(bind(Q.and(b, a), PERSON)));
    expect(canonical(bind(Q.and(a, b), PERSON))).not.toBe(canonical(bind(Q.or(b, a), PERSON)));
    expect(canonical(bind(Q.greaterThan('spec.age', 1), PERSON))).not.toBe(
      canonical(bind(Q.greaterThan('spec.age', 1, true), PERSON)),
    );
  });
});
