import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRoutePath } from '../../src/endpoint/path.js';
import { RouteTree } from '../../src/endpoint/route-tree.js';

function treeOf(...routes: string[]): RouteTree<string> {
  const tree = new RouteTree<string>();
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ');
    tree.insert(method, parseRoutePath(path, route), route);
  }
  return tree;
}

const at = (path: string): string[] => path.slice(1).split('/');

/** The same by trying every route: the first in the order of literals before variables. */
function findByTrying(
  routes: readonly string[],
  method: string,
  path: readonly string[],
): string | undefined {
  const fitting = routes.filter((route) => {
    const [own, pattern = ''] = route.split(' ');
    const parts = at(pattern);
    const fits =
      parts.length === path.length && parts.every((part, i) => part.startsWith('{') || part === path[i]);
    return own === method && fits;
  });
  const rank = (route: string): string =>
    at(route.split(' ')[1] ?? '')
      .map((part) => (part.startsWith('{') ? '1' : '0'))
      .join('');
  return fitting.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))[0];
}

describe('RouteTree', () => {
  it('prefers literal segments to variables, whatever the order', () => {
    const tree = treeOf('GET /persons/{name}', 'GET /persons/me', 'GET /{kind}/x');
    expect(tree.find('GET', at('/persons/me'))).toMatchObject({ entry: 'GET /persons/me', values: [] });
    expect(tree.find('GET', at('/persons/ann'))).toMatchObject({
      entry: 'GET /persons/{name}',
      values: ['ann'],
    });
    expect(tree.find('GET', at('/cars/x'))).toMatchObject({ entry: 'GET /{kind}/x', values: ['cars'] });
  });

  it('tries the variable when the literal leads to nothing for the method', () => {
    const tree = treeOf('GET /persons/me', 'DELETE /persons/{name}', 'GET /{a}/{b}/c', 'PUT /persons/me/d');
    expect(tree.find('DELETE', at('/persons/me'))).toMatchObject({ values: ['me'] });
    expect(tree.find('GET', at('/persons/me/c'))).toMatchObject({ entry: 'GET /{a}/{b}/c' });
    expect(tree.find('POST', at('/persons/me'))).toEqual({
      kind: 'other-method',
      allowed: ['GET', 'DELETE'],
    });
    expect(tree.find('GET', at('/persons'))).toBeUndefined();
    expect(tree.find('GET', at('/persons/me/e/f'))).toBeUndefined();
  });

  it('finds the same route as a search through all routes', () => {
    const part = fc.constantFrom('a', 'b', 'c', '{x}');
    const route = fc
      .tuple(fc.constantFrom('GET', 'PUT'), fc.array(part, { minLength: 1, maxLength: 4 }))
      .map(
        ([method, parts]) =>
          `${method} /${parts.map((one, i) => (one === '{x}' ? `{x${i}}` : one)).join('/')}`,
      );
    const path = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.uniqueArray(route, { maxLength: 12 }), path, (routes, wanted) => {
        const found = treeOf(...routes).find('GET', wanted);
        const entry = found?.kind === 'entry' ? found.entry : undefined;
        expect(entry).toBe(findByTrying(routes, 'GET', wanted));
      }),
    );
  });

  it('treats routes as equal when only the names of variables differ', () => {
    const tree = treeOf('GET /a/{x}');
    expect(tree.findSame('GET', parseRoutePath('/a/{y}', ''))).toBe('GET /a/{x}');
    expect(tree.findSame('POST', parseRoutePath('/a/{y}', ''))).toBeUndefined();
    expect(tree.findSame('GET', parseRoutePath('/a/b', ''))).toBeUndefined();
  });

  it('forgets removed routes', () => {
    const tree = treeOf('GET /a/{x}', 'GET /a/b', 'POST /a/b');
    tree.remove((entry) => entry.startsWith('GET'));
    expect(tree.size).toBe(1);
    expect(tree.find('GET', at('/a/z'))).toBeUndefined();
    expect(tree.find('POST', at('/a/b'))).toMatchObject({ entry: 'POST /a/b' });
  });
});
