import { describe, expect, it } from 'vitest';
import { ALL } from '../../src/query/condition.js';
import { PAGE_MAX } from '../../src/query/list-parameters.js';
import { readListOptions, readListQuery } from '../../src/query/list-request.js';
import { Queries } from '../../src/query/condition-builders.js';
import { PERSON } from './helpers.js';

describe('list options', () => {
  it('default to the first page of everything by name', () => {
    const identity = { condition: ALL, filters: [] };
    const nothing = { sort: [], page: 1, size: 0, facets: [], facetLimit: 20, grouping: undefined };
    expect(readListOptions({}, PERSON)).toEqual({ condition: ALL, identity, ...nothing });
  });

  it('combine both selectors and the query', () => {
    const query = Queries.greaterThan('spec.age', 3);
    const request = readListOptions(
      { labelSelector: 'a=b', fieldSelector: ['spec.owner=x', ''], query },
      PERSON,
    );
    expect(request.condition).toEqual({
      op: 'and',
      of: [
        { op: 'labelIn', key: 'a', values: ['b'] },
        { op: 'in', field: 'spec.owner', values: ['x'] },
        query,
      ],
    });
  });

  it('read sorts, with the declared order when they have no direction', () => {
    const sort = ['spec.age', 'spec.owner,desc', 'name , ASC', 'metadata.creationTimestamp', 'spec.age,asc'];
    expect(readListOptions({ sort }, PERSON).sort).toEqual([
      { field: 'spec.age', direction: 'desc' },
      { field: 'spec.owner', direction: 'desc' },
      { field: 'metadata.name', direction: 'asc' },
      { field: 'metadata.creationTimestamp', direction: 'asc' },
    ]);
  });

  it.each(['spec.age,up', 'spec.age,asc,desc', ',asc', 'spec.age,'])('refuse the sort %j', (sort) => {
    expect(() => readListOptions({ sort }, PERSON)).toThrow(/<field>\[,asc\|desc\]/);
  });

  it('refuse to sort by labels', () => {
    expect(() => readListOptions({ sort: 'metadata.labels' }, PERSON)).toThrow(/metadata\.labels/);
  });

  it('name the indexed fields when one is unknown, wherever it stands', () => {
    const message =
      /"spec\.x" is not indexed; indexed fields: metadata\.name, metadata\.labels, .*spec\.serial$/;
    expect(() => readListOptions({ sort: 'spec.x,asc' }, PERSON)).toThrow(message);
    expect(() => readListOptions({ fieldSelector: 'spec.x!=1' }, PERSON)).toThrow(message);
    const query = Queries.or(Queries.and(Queries.not(Queries.isNull('spec.x'))));
    expect(() => readListOptions({ query }, PERSON)).toThrow(message);
  });

  it('take any page, size and limit of 31 bits, and refuse others', () => {
    const limits = { page: PAGE_MAX, size: PAGE_MAX };
    expect(readListOptions(limits, PERSON)).toMatchObject(limits);
    expect(readListOptions({ limit: PAGE_MAX }, PERSON)).toMatchObject({ limit: PAGE_MAX });
    for (const wrong of [-1, 1.5, NaN, Infinity, PAGE_MAX + 1, Number('99999999999999999999')]) {
      for (const name of ['page', 'size', 'limit'])
        expect(() => readListOptions({ [name]: wrong }, PERSON)).toThrow(
          `${name}: ${wrong} is not an integer from ${name === 'page' ? 1 : 0} to 2147483647`,
        );
    }
    expect(() => readListOptions({ page: 0 }, PERSON)).toThrow(/^page: /);
  });

  it('refuse a query nested without end', () => {
    let query = Queries.isNull('spec.age');
    for (let i = 0; i < 100_000; i += 1) query = Queries.not(query);
    expect(() => readListOptions({ query }, PERSON)).toThrow(/nests deeper/);
  });
});

describe('URL parameters', () => {
  it('become list options; others are left alone', () => {
    const query = {
      page: '2',
      size: '10',
      sort: ['a', 'b,desc'],
      labelSelector: 'x',
      watch: 'true',
      limit: undefined,
    };
    expect(readListQuery(query)).toEqual({ page: 2, size: 10, sort: ['a', 'b,desc'], labelSelector: ['x'] });
    expect(readListQuery({})).toEqual({});
  });

  it.each(['', 'x', '1.5', '1e3', ' 1', '0x1', '0', '-1'])('refuse the page %j', (page) => {
    expect(() => readListQuery({ page })).toThrow(/^page: /);
  });

  it('name the value that is no integer, and a number given twice', () => {
    expect(() => readListQuery({ size: 'ten' })).toThrow('size: "ten" is not an integer');
    expect(() => readListQuery({ size: ['1', '2'] })).toThrow('size occurs more than once');
  });
});
