import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessRule } from '../../src/access/rules.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import { AUTHOR, BOOK, named, SHELF } from '../helpers/library.js';

const LIBRARY = '/apis/library.example.com/v1';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const rule = (verbs: readonly string[], ...resources: readonly string[]): AccessRule => ({
  apiGroups: ['library.example.com'],
  resources: [...resources],
  verbs: [...verbs],
});

const { service, as, tokenFor } = useGuardedLibrary();
/** May delete authors and books, but sees neither books nor shelves. */
let blind: string;
/** May list books besides. */
let reader: string;

beforeEach(async () => {
  const mayDelete = rule(['delete'], 'authors', 'books');
  blind = await tokenFor('blind', mayDelete);
  reader = await tokenFor('reader', mayDelete, rule(['list'], 'books'));
});

async function refusal(token: string, target: string, method = 'DELETE', body?: unknown): Promise<string> {
  const answer = await as(token, method, target, body);
  expect(answer.status).toBe(409);
  return answer.text;
}

async function makeBooks(count: number, spec: object): Promise<void> {
  const resource = BOOK;
  const item = (i: number) => ({ verb: 'create' as const, resource, object: named(`secret-${i}`, spec) });
  for (let i = 0; i < count; i += 500)
    await service().batch(Array.from({ length: Math.min(500, count - i) }, (_, j) => item(i + j)));
}

describe('the refusal to delete an object that others refer to', () => {
  it('names those that the sender may list, and counts the others by model', async () => {
    await service().create(AUTHOR, named('ann'));
    await service().create(BOOK, named('secret-tale', { author: 'ann' }));
    await service().create(BOOK, named('secret-song', { author: 'ann' }));
    const counted = '2 objects of books.library.example.com refer to it in spec.author';
    for (const target of [`${LIBRARY}/authors/ann`, `${LIBRARY}/authors/ann?dryRun=All`]) {
      const [hidden, shown] = [await refusal(blind, target), await refusal(reader, target)];
      expect(hidden).not.toContain('secret');
      expect(JSON.parse(hidden)).toMatchObject({
        message: expect.stringContaining('2 objects refer to it') as unknown,
        details: { causes: [{ field: 'metadata.name', message: counted }] },
      });
      expect(shown).toContain(
        'Book \\"secret-song\\" (books.library.example.com) refers to it in spec.author',
      );
      expect(shown).toContain('secret-tale');
    }
  });

  it('does so in a batch', async () => {
    await service().create(AUTHOR, named('ann'));
    await service().create(BOOK, named('secret-tale', { author: 'ann' }));
    const item = { verb: 'delete', apiVersion: 'library.example.com/v1', kind: 'Author', name: 'ann' };
    expect(await refusal(blind, BATCHES, 'POST', { items: [item] })).not.toContain('secret');
    expect(await refusal(reader, BATCHES, 'POST', { items: [item] })).toContain('secret');
  });

  it('does so when more refer than a commit looks at', async () => {
    await service().create(AUTHOR, named('ann'));
    await makeBooks(1_200, { author: 'ann' });
    const hidden = await refusal(blind, `${LIBRARY}/authors/ann`);
    expect(hidden).not.toContain('secret');
    expect(hidden).toContain('1200 objects of books.library.example.com refer to it in spec.author');
    expect(await refusal(reader, `${LIBRARY}/authors/ann`)).toContain('secret-0');
  });

  it.each([1, 1_200])('does so of %i objects that would go along, and of what keeps them', async (count) => {
    await service().create(AUTHOR, named('ann'));
    await makeBooks(count, { owner: 'ann' });
    await service().create(SHELF, named('secret-shelf', { books: [`secret-${count - 1}`] }));
    const [hidden, shown] = [
      await refusal(blind, `${LIBRARY}/authors/ann`),
      await refusal(reader, `${LIBRARY}/authors/ann`),
    ];
    expect(hidden).not.toContain('secret');
    expect(hidden).toContain('an object of books.library.example.com, which would be deleted with it');
    expect(hidden).toContain(
      '1 object of shelves.library.example.com refers to an object that would be deleted with it',
    );
    expect(shown).toContain(`Book \\"secret-${count - 1}\\", which would be deleted with it`);
    expect(shown).not.toContain('secret-shelf');
  });
});
