import { describe, expect, it } from 'vitest';
import { Max, Schema, ServiceError, SortableRequest } from '../../src/index.js';

const request = (query: Record<string, string | string[]>, language?: string) => ({
  query,
  headers: language === undefined ? {} : { 'accept-language': language },
});

class ItemQuery extends SortableRequest {
  @Schema({ type: 'integer', minimum: 1 }) @Max(100) minPrice?: number;
  @Schema({ type: 'boolean' }) inStock?: boolean;
  @Schema({ type: 'array', items: { type: 'number' } }) sizes?: number[];
  @Schema({ type: 'string', default: 'any' }) shop?: string;
}

describe('SortableRequest', () => {
  it('reads the parameters of generated lists', () => {
    const query = new SortableRequest(
      request({
        page: '2',
        size: '10',
        sort: ['spec.age,desc', 'metadata.name'],
        labelSelector: ['a=b', '!c'],
        fieldSelector: 'spec.age=3',
        filter: 'spec.age > 3',
        other: 'x',
      }),
    );
    expect(query.toListOptions()).toEqual({
      page: 2,
      size: 10,
      sort: ['spec.age,desc', 'metadata.name'],
      labelSelector: 'a=b,!c',
      fieldSelector: 'spec.age=3',
      filter: 'spec.age > 3',
    });
    expect(query.toPageRequest()).toEqual({ page: 2, size: 10, sort: ['spec.age,desc', 'metadata.name'] });
  });

  it('keeps several filters apart, for each must be an expression by itself', () => {
    const filter = ['spec.age > 3', 'has(spec.email)'];
    expect(new SortableRequest(request({ filter })).toListOptions()).toMatchObject({ filter });
    expect(new SortableRequest(request({ filter: ['', ' '] })).filter).toBeUndefined();
  });

  it('has the defaults of generated lists', () => {
    const query = new SortableRequest(request({}));
    expect(query.toListOptions()).toEqual({ page: 1, size: 0 });
    expect([query.sort, query.labelSelector, query.fieldSelector, query.filter]).toEqual([
      [],
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    [{ page: '0' }, 'page: 0 is not an integer from 1'],
    [{ page: 'x' }, 'page: "x" is not an integer'],
    [{ size: '-1' }, 'size: -1 is not an integer from 0'],
    [{ size: ['1', '2'] }, 'size occurs more than once'],
  ])('refuses %j', (query, message) => {
    expect(() => new SortableRequest(request(query))).toThrow(message);
    expect(() => new SortableRequest(request(query))).toThrow(ServiceError);
  });

  it('fills the fields of a subclass', () => {
    const query = ItemQuery.from(request({ page: '3', minPrice: '5', inStock: 'true', sizes: ['1.5', '2'] }));
    expect(query).toBeInstanceOf(ItemQuery);
    expect(query).toMatchObject({ page: 3, minPrice: 5, inStock: true, sizes: [1.5, 2], shop: 'any' });
    expect(ItemQuery.from(request({ sizes: '7' })).sizes).toEqual([7]);
    expect(ItemQuery.from(request({})).minPrice).toBeUndefined();
  });

  it('reports all wrong parameters at once, in the language of the request', () => {
    const attempt = (language?: string) => () =>
      ItemQuery.from(request({ minPrice: '101', inStock: 'maybe', sizes: ['a'] }, language));
    expect(attempt()).toThrow(
      /inStock: must be a boolean.*sizes\[0\]: must be a number.*minPrice: must be less/s,
    );
    expect(attempt('de')).toThrow(/minPrice: muss kleiner oder gleich 100 sein/);
    expect(() => ItemQuery.from(request({ minPrice: ['1', '2'] }))).toThrow('minPrice occurs more than once');
  });

  it('can be subclassed with a constructor of one’s own', () => {
    class Own extends SortableRequest {
      readonly keyword: string;
      constructor(req: ConstructorParameters<typeof SortableRequest>[0]) {
        super(req);
        this.keyword = typeof req.query.keyword === 'string' ? req.query.keyword : '';
      }
      override toListOptions() {
        return { ...super.toListOptions(), fieldSelector: `spec.name=${this.keyword}` };
      }
    }
    expect(new Own(request({ keyword: 'ann', size: '1' })).toListOptions()).toEqual({
      page: 1,
      size: 1,
      fieldSelector: 'spec.name=ann',
    });
  });
});
