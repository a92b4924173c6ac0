import { describe, expect, it, vi } from 'vitest';

type Change = (parameters: URLSearchParams) => URLSearchParams;

/** Its file needs the types of a browser. */
interface ParametersModule {
  readonly getConditions: Change;
  readonly getRequest: Change;
  readonly getWholeList: Change;
  readonly withoutConditions: Change;
  readonly withParameter: (parameters: URLSearchParams, name: string, value: string) => URLSearchParams;
  readonly isSameSearch: (one: URLSearchParams, other: URLSearchParams) => boolean;
}

const { getConditions, getRequest, getWholeList, isSameSearch, withoutConditions, withParameter } =
  await vi.importActual<ParametersModule>('../../src/console/pages/list/parameters.ts');

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
