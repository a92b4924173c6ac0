import { describe, expect, it, vi } from 'vitest';

type Change = (parameters: URLSearchParams) => URLSearchParams;

/** Its file needs the types of a browser. */
interface ParametersModule {
  readonly getConditions: Change;
  readonly getRequest: Change;
  readonly getWatched: Change;
  readonly getWholeList: Change;
  readonly withoutConditions: Change;
  readonly withParameter: (parameters: URLSearchParams, name: string, value: string) => URLSearchParams;
  readonly isSameSearch: (one: URLSearchParams, other: URLSearchParams) => boolean;
}

const {
  getConditions,
  getRequest,
  getWatched,
  getWholeList,
  isSameSearch,
  withoutConditions,
  withParameter,
} = await vi.importActual<ParametersModule>('../../src/console/pages/list/parameters.ts');

const list = (text: string): URLSearchParams => new URLSearchParams(text);

describe('the beginning of the names in the URL of a list', () => {
  const named = list('filter=spec.a == 1&namePrefix=ad"a&sort=spec.a&page=2&facets=spec.a');
  const filters = ['spec.a == 1', 'metadata.name.startsWith("ad\\"a")'];

  it('is a filter of its own in every request', () => {
    expect(getConditions(named).getAll('filter')).toEqual(filters);
    expect(getWholeList(named).getAll('filter')).toEqual(filters);
    const request = getRequest(named);
    expect([...request.keys()].sort()).toEqual(['filter', 'filter', 'page', 'size', 'sort']);
    expect(request.getAll('filter')).toEqual(filters);
  });

  it('is no condition when it is empty', () => {
    expect(getConditions(list('namePrefix=')).size).toBe(0);
  });

  it('is removed with all conditions', () => {
    expect(withoutConditions(named).toString()).toBe('sort=spec.a&facets=spec.a');
  });

  it('leads to one step of the history, however it is typed', () => {
    const [one, other] = [list('namePrefix=a&page=2'), list('namePrefix=ad')];
    expect(isSameSearch(one, other)).toBe(true);
    expect(isSameSearch(list(''), other)).toBe(false);
    expect(isSameSearch(one, list(''))).toBe(false);
    expect(isSameSearch(one, withParameter(other, 'filter', 'spec.a == 1'))).toBe(false);
  });
});

describe('the words of a search in the URL of a list', () => {
  const searched = list('search=disk+&filter=spec.a == 1&page=2');

  it('are sent as they are typed, but not to a watch', () => {
    expect(getRequest(searched).get('search')).toBe('disk ');
    expect(getConditions(searched).get('search')).toBe('disk ');
    expect(getWatched(searched).toString()).toBe(list('filter=spec.a == 1').toString());
    expect(getConditions(list('search=+')).size).toBe(0);
  });

  it('give no order to a list that is read by cursor: scores may change between its parts', () => {
    expect(getWholeList(searched).getAll('sort')).toEqual(['metadata.name']);
    expect(getWholeList(list('search=disk&sort=spec.a')).getAll('sort')).toEqual(['spec.a']);
    expect(getWholeList(list('sort=')).getAll('sort')).toEqual(['']);
  });

  it('are removed with all conditions, and are one step of the history', () => {
    expect(withoutConditions(searched).size).toBe(0);
    expect(isSameSearch(searched, withParameter(searched, 'search', 'disk full'))).toBe(true);
  });
});
