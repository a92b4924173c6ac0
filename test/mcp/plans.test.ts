import { afterEach, describe, expect, it } from 'vitest';
import { sweepPlans, PLAN_MS } from '../../src/mcp/write/stored-plan.js';
import { metaKey, under } from '../../src/store/index/keys.js';
import { withSnapshot } from '../../src/store/with-snapshot.js';
import { closeAgents, connectAgent, namesOf, type CallResult, type TestAgent } from '../helpers/agents.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import { AUTHOR, BOOK, named } from '../helpers/library.js';

const library = useGuardedLibrary({ mcp: 'write' });
afterEach(closeAgents);

const EVERYTHING = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
const AUTHORS = 'authors.library.example.com';
const BOOKS = 'books.library.example.com';

async function writer(user = 'ada'): Promise<TestAgent> {
  return connectAgent(library.url(), await library.tokenFor(user, EVERYTHING));
}

async function plan(agent: TestAgent, items: readonly object[]): Promise<CallResult> {
  const answer = await agent.call('plan', { items });
  if (answer.isError) throw new Error(answer.text);
  return answer;
}

const create = (model: string, name: string, spec: object = {}): object => ({
  verb: 'create',
  model,
  object: named(name, spec),
});

const service = () => library.service();
const exists = async (ref: typeof AUTHOR, name: string): Promise<boolean> =>
  (await service().getMany(ref, [name]))[0] !== undefined;

describe('the tools that write', () => {
  it('are only there with --mcp write, and tell what they do', async () => {
    const { tools } = await (await writer()).client.listTools();
    expect(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]),
    ).toEqual([
      ...['models', 'schema', 'list', 'get', 'history'].map((name) => [name, true, false]),
      ['plan', true, false],
      ['apply', false, true],
      ['undo', false, true],
    ]);
  });
});

describe('a plan', () => {
  it('stores nothing, shows each change, and is applied in one commit', async () => {
    const agent = await writer();
    await service().create(AUTHOR, named('ann', { since: 1990 }));
    await service().create(BOOK, named('old', { pages: 3 }));
    const { data } = await plan(agent, [
      create('authors', 'bob'),
      {
        verb: 'create',
        object: { apiVersion: 'library.example.com/v1', kind: 'Book', ...named('new', { author: 'bob' }) },
      },
      { verb: 'patch', model: 'authors', name: 'ann', patch: { spec: { since: 1991 }, extra: 1 } },
      { verb: 'update', model: 'Book', name: 'old', object: named('old', { pages: 4 }) },
    ]);
    expect(data).toMatchObject({
      plan: expect.stringMatching(/^plan\./) as string,
      items: [
        { verb: 'create', model: AUTHORS, name: 'bob', warnings: [] },
        { verb: 'create', model: BOOKS, name: 'new', changes: [{ path: 'spec', to: { author: 'bob' } }] },
        {
          verb: 'patch',
          model: AUTHORS,
          name: 'ann',
          changes: expect.arrayContaining([{ path: 'spec.since', from: 1990, to: 1991 }]) as unknown,
        },
        { verb: 'update', model: BOOKS, name: 'old', changes: [{ path: 'spec.pages', from: 3, to: 4 }] },
      ],
      violations: [],
    });
    const leftMs = Date.parse(String(data.expires)) - Date.now();
    expect(leftMs).toBeGreaterThan(PLAN_MS - 60_000);
    expect(await exists(AUTHOR, 'bob')).toBe(false);
    const before = await service().store.revision();
    const applied = await agent.call('apply', { plan: data.plan });
    expect(applied.data).toEqual({ revision: String(before + 4) });
    expect((await service().get(AUTHOR, 'ann')).spec).toEqual({ since: 1991 });
    expect((await service().get(BOOK, 'new')).spec).toEqual({ author: 'bob' });
    expect((await service().history(BOOK, 'old')).items[0]).toMatchObject({
      user: 'ada',
      changes: [{ path: 'spec.pages' }],
    });
    expect(await agent.failure('apply', { plan: data.plan })).toMatch('was used before');
  });

  it('fixes generated names, and works on one object several times', async () => {
    const agent = await writer();
    const { data } = await plan(agent, [
      { verb: 'create', model: 'authors', object: { metadata: { generateName: 'a-' }, spec: { n: 1 } } },
      create('authors', 'two', { n: 1 }),
      { verb: 'patch', model: 'authors', name: 'two', patch: { spec: { n: 2 } } },
      {
        verb: 'patch',
        model: 'authors',
        name: 'two',
        contentType: 'application/json-patch+json',
        patch: [{ op: 'replace', path: '/spec/n', value: 3 }],
      },
      create('authors', 'gone'),
      { verb: 'delete', model: 'authors', name: 'gone' },
    ]);
    const name = String(data.items[0]?.name);
    expect(name).toMatch(/^a-\w{5,}$/);
    expect((await agent.call('apply', { plan: data.plan })).isError).toBe(false);
    expect(namesOf(await agent.call('list', { model: 'authors' }))).toEqual([name, 'two']);
    expect((await service().get(AUTHOR, 'two')).spec).toEqual({ n: 3 });
  });

  it('lists the deletions and changes that follow from others', async () => {
    const agent = await writer();
    await service().create(AUTHOR, named('ann'));
    await service().create(BOOK, named('owned', { owner: 'ann' }));
    await service().create(BOOK, named('sequel', { sequelOf: 'owned' }));
    await service().create(BOOK, named('edited', { editor: 'ann' }));
    const { data } = await plan(agent, [{ verb: 'delete', model: 'author', name: 'ann' }]);
    expect(data.items).toHaveLength(4);
    expect(data.items).toEqual(
      expect.arrayContaining([
        { verb: 'delete', model: AUTHORS, name: 'ann', changes: [], warnings: [] },
        { verb: 'delete', model: BOOKS, name: 'owned', cause: 'cascade', changes: [], warnings: [] },
        { verb: 'delete', model: BOOKS, name: 'sequel', cause: 'cascade', changes: [], warnings: [] },
        {
          verb: 'update',
          model: BOOKS,
          name: 'edited',
          cause: 'cascade',
          changes: [{ path: 'spec.editor', from: 'ann' }],
          warnings: [],
        },
      ]),
    );
    await service().create(BOOK, named('late', { owner: 'ann' }));
    expect(await agent.failure('apply', { plan: data.plan })).toMatch(/outdated.*409 Conflict/);
    expect(await exists(AUTHOR, 'ann')).toBe(true);
    const again = await plan(agent, [{ verb: 'delete', model: 'author', name: 'ann' }]);
    expect((await agent.call('apply', { plan: again.data.plan })).isError).toBe(false);
    expect(namesOf(await agent.call('list', { model: 'books' }))).toEqual(['edited']);
  });

  it('warns of objects that a deleted one owns', async () => {
    const agent = await writer();
    const { metadata } = (await service().create(AUTHOR, named('ann'))).object;
    const owner = { apiVersion: 'library.example.com/v1', kind: 'Author', name: 'ann', uid: metadata.uid };
    await service().create(BOOK, named('hers', {}, { ownerReferences: [owner] }));
    const { data } = await plan(agent, [{ verb: 'delete', model: 'authors', name: 'ann' }]);
    expect(data.items).toMatchObject([
      { warnings: [`the service then also deletes the objects that it owns: 1 of ${BOOKS}`] },
    ]);
  });

  it('is refused with 409 when an object has changed since, and stores nothing', async () => {
    const agent = await writer();
    for (const name of ['one', 'two', 'three', 'same']) await service().create(AUTHOR, named(name, { n: 1 }));
    const changes: readonly (readonly [object, () => Promise<unknown>])[] = [
      [
        { verb: 'patch', model: 'authors', name: 'one', patch: { spec: { n: 2 } } },
        () => service().update(AUTHOR, 'one', named('one', { n: 5 })),
      ],
      [
        { verb: 'delete', model: 'authors', name: 'two' },
        () => service().update(AUTHOR, 'two', named('two', { n: 5 })),
      ],
      [
        { verb: 'patch', model: 'authors', name: 'three', patch: { spec: { n: 2 } } },
        () => service().delete(AUTHOR, 'three'),
      ],
      [create('authors', 'new'), () => service().create(AUTHOR, named('new'))],
      [create('books', 'b', { author: 'one' }), async () => service().delete(AUTHOR, 'one')],
      [
        { verb: 'patch', model: 'authors', name: 'same', patch: { spec: { n: 1 } } },
        () => service().update(AUTHOR, 'same', named('same', { n: 5 })),
      ],
    ];
    for (const [item, change] of changes) {
      const { data } = await plan(agent, [create('authors', 'other'), item]);
      await change();
      expect(await agent.failure('apply', { plan: data.plan })).toMatch('(409 Conflict)');
      expect(await exists(AUTHOR, 'other')).toBe(false);
    }
  });

  it('that changes nothing is applied without a revision', async () => {
    const agent = await writer();
    await service().create(AUTHOR, named('one', { n: 1 }));
    const { data } = await plan(agent, [
      { verb: 'patch', model: 'authors', name: 'one', patch: { spec: { n: 1 } } },
    ]);
    expect(data.items).toMatchObject([{ changes: [] }]);
    const before = await service().store.revision();
    expect((await agent.call('apply', { plan: data.plan })).data).toEqual({ revision: String(before) });
  });

  it('keeps finalizers: a deletion only marks, and the last update removes', async () => {
    const agent = await writer();
    await service().create(AUTHOR, named('held', {}, { finalizers: ['x.example.com/f'] }));
    const marked = await plan(agent, [{ verb: 'delete', model: 'authors', name: 'held' }]);
    expect((await agent.call('apply', { plan: marked.data.plan })).isError).toBe(false);
    expect((await service().get(AUTHOR, 'held')).metadata.deletionTimestamp).toBeTypeOf('string');
    const removed = await plan(agent, [
      { verb: 'patch', model: 'authors', name: 'held', patch: { metadata: { finalizers: null } } },
    ]);
    expect((await agent.call('apply', { plan: removed.data.plan })).text).toMatch('revision');
    expect(await exists(AUTHOR, 'held')).toBe(false);
  });
});

describe('a plan with violations', () => {
  it('names every violation of every item, and is no plan', async () => {
    const agent = await writer();
    await service().create(AUTHOR, named('ann'));
    await service().create(BOOK, named('b', { author: 'ann' }));
    const { data } = await plan(agent, [
      create('books', 'x', { pages: 0, author: 3 }),
      create('authors', 'good'),
      create('books', 'y', { author: 'good' }),
      create('books', 'z', { author: 'none' }),
      { verb: 'delete', model: 'authors', name: 'ann' },
      create('books', 'b'),
      { verb: 'patch', model: 'books', name: 'missing', patch: {} },
      { verb: 'patch', model: 'books', name: 'x', patch: { spec: { pages: 2 } } },
      { verb: 'patch', model: 'books', name: 'b', patch: { metadata: { resourceVersion: '1' } } },
      create('books', 'Bad Name'),
      create('books', 'sequel', { sequelOf: 'x' }),
    ]);
    expect(data.plan).toBeUndefined();
    expect(data.items).toEqual([]);
    expect(data.violations).toMatchObject([
      { item: 0, field: 'spec.author', reason: 'FieldValueInvalid' },
      { item: 0, field: 'spec.pages', reason: 'FieldValueInvalid' },
      { item: 3, field: 'spec.author', reason: 'FieldValueNotFound', message: 'Author "none" not found' },
      {
        item: 4,
        field: 'metadata.name',
        reason: 'Conflict',
        message: expect.stringMatching('1 object refers') as string,
      },
      { item: 4 },
      { item: 5, field: 'metadata.name', reason: 'FieldValueDuplicate' },
      { item: 6, field: 'metadata.name', reason: 'NotFound' },
      { item: 8, reason: 'Conflict' },
      { item: 9, field: 'metadata.name' },
    ]);
    expect(data.violations).toHaveLength(9);
    expect(await exists(AUTHOR, 'good')).toBe(false);
  });

  it('judges thousands of items at once', async () => {
    const agent = await writer();
    const items = Array.from({ length: 5_000 }, (_, i) => create('books', `b${i}`, { pages: 0 }));
    const { data, text } = await plan(agent, items);
    expect(text.length).toBeLessThanOrEqual(64 * 1024);
    const { violations, omittedViolations } = data as unknown as {
      violations: unknown[];
      omittedViolations: number;
    };
    expect(violations.length + omittedViolations).toBe(5_000);
  });
});

describe('bad input', () => {
  it('of plan is refused and named', async () => {
    const agent = await writer();
    const fails = (items: unknown): Promise<string> => agent.failure('plan', { items });
    expect(await agent.failure('plan')).toMatch('plan: items is missing (400 BadRequest)');
    expect(await agent.failure('plan', { items: [], dry: true })).toMatch('dry is not known');
    expect(await fails('x')).toMatch('items must be a list of objects');
    expect(await fails([1])).toMatch('items must be a list of objects');
    expect(await fails([])).toMatch('at least one item');
    expect(await fails([{ verb: 'drop', model: 'books', name: 'x' }])).toMatch(
      'items[0]: verb must be create',
    );
    expect(await fails([{ verb: 'delete', model: 'books', name: 'x', objct: 1 }])).toMatch(
      'items[0].objct is not known, did you mean "object"?',
    );
    expect(await fails([{ verb: 'delete', model: 1, name: 'x' }])).toMatch('items[0].model must be a text');
    expect(await fails([{ verb: 'delete', model: 'boks', name: 'x' }])).toMatch(
      'there is no resource named "boks", did you mean',
    );
    expect(await fails([{ verb: 'delete', kind: 'Nope', apiVersion: 'a/v1', name: 'x' }])).toMatch(
      'no model Nope of a/v1',
    );
    expect(await fails([{ verb: 'delete', model: 'books', name: 'a/b' }])).toMatch(
      'needs a name without "/"',
    );
    expect(await fails([{ verb: 'delete', model: 'books' }])).toMatch('needs the name of an object');
    expect(await fails([{ verb: 'create', model: 'books', object: { kind: 'Author' } }])).toMatch(
      'items[0].object.kind is "Author", but the model "books" has "Book"',
    );
    const many = Array.from({ length: 10_001 }, () => ({ verb: 'delete', model: 'books', name: 'x' }));
    expect(await fails(many)).toMatch(/at most 10000 items, got 10001.*413/);
    await expect(fails([create('books', 'x', { text: 'x'.repeat(1024 * 1024) })])).rejects.toThrow(
      'larger than 1MiB',
    );
    let deep: unknown = 1;
    for (let i = 0; i < 200; i++) deep = { deep };
    await expect(fails([create('books', 'x', { deep })])).rejects.toThrow('deep');
  });

  it('of apply is refused: unknown, expired, foreign and used plans', async () => {
    const agent = await writer();
    const other = await writer('eve');
    const { data } = await plan(agent, [create('authors', 'new')]);
    const name = String(data.plan);
    const fails = (given: unknown, who = agent): Promise<string> => who.failure('apply', { plan: given });
    expect(await fails(undefined)).toMatch('plan is missing');
    expect(await fails(7)).toMatch('plan must be a text, not 7');
    expect(await fails('nonsense')).toMatch(/there is no such plan.*404/);
    expect(await fails(`${name.slice(0, -2)}xx`)).toMatch(/there is no such plan.*404/);
    expect(await fails(name.replace(/\d+/, '1700000000000'))).toMatch(/the plan has expired.*410/);
    expect(await fails(name, other)).toMatch(/made with another token.*403/);
    expect((await agent.call('apply', { plan: name })).isError).toBe(false);
    expect(await fails(name)).toMatch(/was used before.*409/);
  });

  it('does not fill the store: large plans are refused, old ones are removed', async () => {
    const agent = await writer();
    const text = 'x'.repeat(700_000);
    await service().create(AUTHOR, named('large', { text }));
    await service().create(AUTHOR, named('larger', { text }));
    const patches = ['large', 'larger'].map((name) => ({
      verb: 'patch',
      model: 'authors',
      name,
      patch: { spec: { n: 1 } },
    }));
    expect(await agent.failure('plan', { items: patches })).toMatch(/the plan takes .*at most 1MiB.*413/);
    for (let i = 0; i < 10; i++) await plan(agent, [create('authors', 'a')]);
    const { engine } = service().store;
    const count = () =>
      withSnapshot(
        engine,
        async (snapshot) => (await snapshot.scan(under(metaKey('plan/')), { limit: 100 })).length,
      );
    expect(await count()).toBeGreaterThan(5);
    await sweepPlans(engine);
    expect(await count()).toBeGreaterThan(5);
    await sweepPlans(engine, Date.now() + PLAN_MS + 600_000);
    expect(await count()).toBe(0);
  });
});

describe('an agent with few rights', () => {
  it('plans and applies only what its token may write', async () => {
    const rules = [
      { apiGroups: ['library.example.com'], resources: ['authors'], verbs: ['list', 'create', 'delete'] },
    ];
    const token = await library.tokenFor('bob', ...rules);
    const agent = await connectAgent(library.url(), token);
    await service().create(AUTHOR, named('ann'));
    await service().create(BOOK, named('secret-book', { owner: 'ann' }));
    expect(await agent.failure('plan', { items: [create('books', 'x')] })).toMatch(
      'may not create books in group',
    );
    expect(
      await agent.failure('plan', { items: [{ verb: 'patch', model: 'authors', name: 'ann', patch: {} }] }),
    ).toMatch('may not patch authors "ann"');
    const { data, text } = await plan(agent, [{ verb: 'delete', model: 'authors', name: 'ann' }]);
    expect(data).toMatchObject({ items: [{ verb: 'delete', name: 'ann' }], hiddenItems: 1 });
    expect(text).not.toMatch('secret-book');
    await service().create(BOOK, named('secret-late', { author: 'ann' }));
    const failed = await agent.failure('apply', { plan: data.plan });
    expect(failed).toMatch('409 Conflict');
    expect(failed).not.toMatch('secret');
    const refused = await plan(agent, [{ verb: 'delete', model: 'authors', name: 'ann' }]);
    expect(refused.data.violations).toMatchObject([{ item: 0, reason: 'Conflict' }, { item: 0 }]);
    expect(refused.text).not.toMatch('secret-late');
  });

  it('cannot apply a plan after it has lost the right', async () => {
    const rights = { apiGroups: ['library.example.com'], resources: ['authors'], verbs: ['create'] };
    const token = await library.tokenFor('bob', rights);
    const agent = await connectAgent(library.url(), token);
    const { data } = await plan(agent, [create('authors', 'x')]);
    const ROLES = { group: 'access.platform.run', version: 'v1alpha1', kind: 'Role', plural: 'roles' };
    await service().update(ROLES, 'bob', { metadata: { name: 'bob' }, rules: [] });
    expect(await agent.failure('apply', { plan: data.plan })).toMatch('403 Forbidden');
    expect(await exists(AUTHOR, 'x')).toBe(false);
  });
});

describe('undo', () => {
  it('takes the commit of a plan back, and needs the right to each change', async () => {
    await service().create(AUTHOR, named('ann'));
    await service().create(BOOK, named('owned', { owner: 'ann' }));
    const ada = await writer();
    const { data: planned } = await plan(ada, [{ verb: 'delete', model: 'authors', name: 'ann' }]);
    const { data: applied } = await ada.call('apply', { plan: planned.plan });
    expect([await exists(AUTHOR, 'ann'), await exists(BOOK, 'owned')]).toEqual([false, false]);
    expect((await service().history(AUTHOR, 'ann')).items[0]).toMatchObject({ user: 'ada', via: 'mcp' });

    const rights = { apiGroups: ['library.example.com'], resources: ['authors'], verbs: ['list', 'create'] };
    const bob = await connectAgent(library.url(), await library.tokenFor('bob', rights));
    expect(await bob.failure('undo', { revision: applied.revision })).toMatch(/may not create books.*403/);
    expect(await exists(AUTHOR, 'ann')).toBe(false);

    const { data } = await ada.call('undo', { revision: applied.revision });
    expect(data.items).toEqual([
      { verb: 'create', model: AUTHORS, name: 'ann' },
      { verb: 'create', model: BOOKS, name: 'owned' },
    ]);
    expect([await exists(AUTHOR, 'ann'), await exists(BOOK, 'owned')]).toEqual([true, true]);
    expect((await service().history(AUTHOR, 'ann')).items[0]).toMatchObject({ user: 'ada', via: 'mcp' });
  });

  it('is refused with the names of objects that were changed since, unless it is forced', async () => {
    const ada = await writer();
    const { data: planned } = await plan(ada, [create('authors', 'bob')]);
    const { data: applied } = await ada.call('apply', { plan: planned.plan });
    await service().update(AUTHOR, 'bob', named('bob', { since: 1 }));
    expect(await ada.failure('undo', { revision: applied.revision })).toMatch(/Author "bob".*409/);
    const { data } = await ada.call('undo', { revision: applied.revision, force: true });
    expect(data.items).toEqual([{ verb: 'delete', model: AUTHORS, name: 'bob', isOverwritten: true }]);
    expect(await ada.failure('undo', { revision: {}, force: 'yes' })).toMatch(
      /revision must be .*force must be true or false/,
    );
  });
});
