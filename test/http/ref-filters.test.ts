import { describe, expect, it } from 'vitest';
import type { HttpAnswer, Json } from '../helpers/http.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import { AUTHOR, BOOK, named, SHELF } from '../helpers/library.js';

const GROUP = BOOK.group;
const FILTER = 'ref(spec.author).metadata.labels["team"] == "red"';
const BOOKS = `/apis/${GROUP}/v1/books`;
/** More targets than are read one by one. */
const MANY = 50;

const library = useGuardedLibrary();

const rule = (...resources: readonly string[]) => ({ apiGroups: [GROUP], resources, verbs: ['list'] });
const target = (path: string, filter = FILTER, more = ''): string =>
  `${path}?filter=${encodeURIComponent(filter)}${more}`;

async function fill(): Promise<void> {
  const service = library.service();
  await service.create(AUTHOR, named('ann', {}, { labels: { team: 'red' } }));
  await service.create(AUTHOR, named('bob'));
  await service.create(BOOK, named('one', { author: 'ann' }));
  await service.create(BOOK, named('two', { author: 'bob' }));
  await service.create(SHELF, named('low', { books: ['one'] }));
}

const namesIn = (answer: HttpAnswer): readonly unknown[] =>
  answer.json().items.map(({ metadata }: Json) => metadata.name);

describe('a filter on the targets of references', () => {
  it('needs the right to list each model that it reads', async () => {
    await fill();
    const both = await library.tokenFor('both', rule('books', 'authors'));
    const one = await library.tokenFor('one', rule('books', 'shelves'));
    expect(namesIn(await library.as(both, 'GET', target(BOOKS)))).toEqual(['one']);
    for (const more of ['', '&explain=true', '&limit=1', '&size=1'])
      expect((await library.as(one, 'GET', target(BOOKS, FILTER, more))).json()).toMatchObject({
        code: 403,
        message: `user "one" may not list authors in group "${GROUP}"`,
      });
    const deep = 'ref(ref(spec.books).spec.author).metadata.name == "ann"';
    const refused = await library.as(one, 'GET', target(`/apis/${GROUP}/v1/shelves`, deep));
    expect(refused.status).toBe(403);
  });

  it('has no answer from a cache after a target has changed', async () => {
    await fill();
    const token = await library.tokenFor('both', rule('books', 'authors'));
    const list = async (): Promise<readonly unknown[]> =>
      namesIn(await library.as(token, 'GET', target(BOOKS, FILTER, '&size=10')));
    expect([await list(), await list()]).toEqual([['one'], ['one']]);
    await library.service().patch(AUTHOR, 'bob', { metadata: { labels: { team: 'red' } } }, 'merge');
    expect([await list(), await list()]).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ]);
    await library.service().create(SHELF, named('high', { books: ['two'] }));
    await library.service().patch(AUTHOR, 'ann', { metadata: { labels: { team: null } } }, 'merge');
    expect(await list()).toEqual(['two']);
  });

  it('may match many targets', async () => {
    await fill();
    const service = library.service();
    const object = (at: number) => named(`author${at}`, {}, { labels: { team: 'blue' } });
    await service.batch(
      Array.from({ length: MANY }, (_, at) => {
        return { verb: 'create', resource: AUTHOR, object: object(at) } as const;
      }),
    );
    await service.create(BOOK, named('three', { author: `author${MANY - 1}`, readers: ['ann', 'author7'] }));
    const filter = 'ref(spec.author).metadata.labels["team"] == "blue"';
    const found = await service.list(BOOK, { filter });
    expect(found.items.map(({ metadata }) => metadata.name)).toEqual(['three']);
    const readers = 'ref(spec.readers).metadata.labels["team"] != "blue"';
    expect(await service.listNames(BOOK, { filter: readers })).toEqual(['one', 'two']);
    await service.patch(BOOK, 'two', { spec: { author: 'author9' } }, 'merge');
    expect(await service.listNames(BOOK, { filter })).toEqual(['three', 'two']);
  });

  it('is refused in a watch', async () => {
    const token = await library.tokenFor('watcher', {
      ...rule('books', 'authors'),
      verbs: ['list', 'watch'],
    });
    const answer = await library.as(token, 'GET', target(BOOKS, FILTER, '&watch=true'));
    expect([answer.status, answer.json().message]).toEqual([
      400,
      'filter: only lists can have conditions with ref, at character 1',
    ]);
  });
});
