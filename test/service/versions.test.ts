import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';
import {
  byTitle,
  CountedTicket,
  COUNTED_TICKETS,
  declareTicketIndexes,
  MIDDLE_TICKET,
  OLD_COUNTED_TICKETS,
  OLD_COUNTED_VERSION,
  OLD_TICKET,
  OLD_VERSION,
  registerOldTickets,
  registerTickets,
  Ticket,
  TICKET,
} from '../helpers/tickets.js';
import { expectCode, refusal } from '../suites/verbs-helpers.js';

let test: TestService;
const ticket = (
  name: string,
  title: string,
  spec: object = {},
): { metadata: { name: string }; spec: object } => ({
  metadata: { name },
  spec: { title, ...spec },
});

/** An object as it is stored, in whatever version. */
async function storedBytes(name: string): Promise<Buffer | undefined> {
  return (await test.store.find(test.service.models.table(TICKET), name))?.bytes;
}

beforeEach(async () => {
  test = await openTestService();
  await registerTickets(test);
});

afterEach(async () => {
  expect(await test.check()).toEqual([]);
  await test.close();
});
afterAll(removeDirectories);

describe('reading an object in another version', () => {
  it('converts it; the stored version goes out as it is stored', async () => {
    await test.service.create(
      TICKET,
      ticket('a', 'Help', { priority: 5, place: { city: 'Rome', zip: '1' } }),
    );
    const stored = await test.service.get(TICKET, 'a');
    const old = await test.service.get(OLD_TICKET, 'a');
    expect(old).toEqual({
      apiVersion: 'desk.example.com/v1alpha1',
      kind: 'Ticket',
      metadata: stored.metadata,
      spec: { subject: 'Help', urgent: true, city: 'Rome' },
    });
    const raw = await test.service.getRaw(TICKET, 'a');
    expect(raw.json).toEqual(await storedBytes('a'));
    expect((await test.service.getMany(MIDDLE_TICKET, ['a', 'b'])).map((one) => one?.spec)).toEqual([
      { headline: 'Help', priority: 5, place: { city: 'Rome', zip: '1' } },
      undefined,
    ]);
  });

  it('every served version is a separate resource, and all go when the model goes', async () => {
    const versions = async (): Promise<string[]> =>
      (await test.service.resources()).map(({ version }) => version);
    expect(await versions()).toEqual(['v1', 'v1alpha1', 'v1beta1']);
    const [model] = await test.service.resources();
    if (model !== undefined) test.service.models.close(model);
    expect(await versions()).toEqual([]);
    await expectCode('NotFound', test.service.get(OLD_TICKET, 'a'));
    await expectCode('NotFound', test.service.get({ ...TICKET, version: 'v9' }, 'a'));
  });

  it('a version that is not served is not found, and converts what is stored in it', async () => {
    await test.close();
    const directory = temporaryDirectory();
    test = await openTestService(directory);
    await registerOldTickets(test);
    await test.service.create(OLD_TICKET, { metadata: { name: 'a' }, spec: { subject: 'First' } });
    await test.close();
    test = await openTestService(directory);
    await test.register(Ticket, declareTicketIndexes, { versions: [{ ...OLD_VERSION, served: false }] });
    expect((await test.service.resources()).map(({ version }) => version)).toEqual(['v1']);
    await expectCode('NotFound', test.service.get(OLD_TICKET, 'a'));
    expect((await test.service.get(TICKET, 'a')).spec).toEqual({ title: 'First', priority: 2 });
  });

  it('lists find and sort by the names that fields have in the version', async () => {
    for (const [name, title, priority] of [
      ['a', 'Zoo', 1],
      ['b', 'Air', 5],
      ['c', 'Car', 5],
    ] as const)
      await test.service.create(TICKET, ticket(name, title, { priority }));
    const list = await test.service.list(OLD_TICKET, { sort: ['spec.subject,desc'] });
    expect(list.apiVersion).toBe('desk.example.com/v1alpha1');
    expect(list.items.map(({ spec }) => spec)).toEqual([
      { subject: 'Zoo', urgent: false },
      { subject: 'Car', urgent: true },
      { subject: 'Air', urgent: true },
    ]);
    expect(await test.service.listNames(OLD_TICKET, { fieldSelector: ['spec.subject=Car'] })).toEqual(['c']);
    expect(await test.service.count(MIDDLE_TICKET, { fieldSelector: ['spec.headline=Car'] })).toBe(1);
    await expectCode('BadRequest', test.service.count(OLD_TICKET, { fieldSelector: ['spec.title=Car'] }));
    const { index, condition, resource } = await test.service.explain(OLD_TICKET, {
      sort: ['spec.subject'],
      fieldSelector: ['spec.subject!=Car'],
      size: 2,
    });
    expect(resource).toBe('tickets.desk.example.com/v1alpha1');
    expect([index, condition].join(' ')).not.toContain('title');
    expect(condition).toContain('spec.subject');
    const first = await test.service.list(OLD_TICKET, { limit: 2, sort: ['spec.subject'] });
    const next = await test.service.list(OLD_TICKET, {
      limit: 2,
      sort: ['spec.subject'],
      continue: first.metadata.continue ?? '',
    });
    expect([...first.items, ...next.items].map(({ metadata }) => metadata.name)).toEqual(['b', 'c', 'a']);
  });
});

describe('writing through another version', () => {
  const specOf = async (name: string): Promise<unknown> => (await test.service.get(TICKET, name)).spec;

  it('a create is judged by both schemas, with the defaults of both, and answers in its version', async () => {
    const { object, warnings } = await test.service.create(OLD_TICKET, {
      metadata: { name: 'a' },
      spec: { subject: 'Help', tags: ['x'] },
    });
    expect(warnings).toEqual([]);
    expect(object).toMatchObject({
      apiVersion: 'desk.example.com/v1alpha1',
      metadata: { name: 'a', generation: 1, version: 0 },
      spec: { subject: 'Help', urgent: false, tags: ['x'] },
    });
    expect(object).toEqual(await test.service.get(OLD_TICKET, 'a'));
    expect(await specOf('a')).toEqual({ title: 'Help', priority: 2, tags: ['x'] });
    const refused = await refusal(
      test.service.create(OLD_TICKET, { metadata: { name: 'b' }, spec: { subject: 'x'.repeat(41) } }),
    );
    expect([refused.code, refused.details.causes?.[0]?.field]).toEqual(['Invalid', 'spec.subject']);
    const short = await refusal(
      test.service.create(OLD_TICKET, { metadata: { name: 'b' }, spec: { subject: 'x' } }),
    );
    expect([short.code, short.details.causes?.[0]?.field]).toEqual(['Invalid', 'spec.title']);
    expect(short.message).toContain('converted to the stored version v1');
    await expectCode(
      'BadRequest',
      test.service.create(OLD_TICKET, { apiVersion: 'desk.example.com/v1', ...ticket('b', 'Help') }),
    );
  });

  it('an update keeps the fields that its version cannot express', async () => {
    await test.service.create(
      TICKET,
      ticket('a', 'Help', { priority: 3, place: { city: 'Rome', zip: '1' } }),
    );
    const { object } = await test.service.update(OLD_TICKET, 'a', {
      spec: { subject: 'Help!', urgent: false, city: 'Rome' },
    });
    expect(object).toMatchObject({ spec: { subject: 'Help!' }, metadata: { generation: 2, version: 1 } });
    expect(await specOf('a')).toEqual({ title: 'Help!', priority: 3, place: { city: 'Rome', zip: '1' } });
    await test.service.patch(OLD_TICKET, 'a', { spec: { city: 'Oslo' } }, 'merge');
    expect(await specOf('a')).toEqual({ title: 'Help!', priority: 3, place: { city: 'Oslo', zip: '1' } });
    await test.service.patch(OLD_TICKET, 'a', [{ op: 'replace', path: '/spec/urgent', value: true }], 'json');
    expect(await specOf('a')).toMatchObject({ priority: 5, place: { zip: '1' } });
    await test.service.patch(OLD_TICKET, 'a', { metadata: { labels: { team: 'x' } } }, 'merge');
    expect((await test.service.get(TICKET, 'a')).metadata).toMatchObject({
      labels: { team: 'x' },
      generation: 4,
    });
  });

  it('a write without a change stores nothing, and locks hold', async () => {
    await test.service.create(TICKET, ticket('a', 'Help', { priority: 3 }));
    const old = await test.service.get(OLD_TICKET, 'a');
    const same = await test.service.update(OLD_TICKET, 'a', old);
    expect(same).toMatchObject({ changed: false, object: old });
    await test.service.patch(TICKET, 'a', { spec: { priority: 1 } }, 'merge');
    await expectCode('Conflict', test.service.update(OLD_TICKET, 'a', old));
    await expectCode('PreconditionFailed', test.service.update(OLD_TICKET, 'a', {}, { ifMatch: ['1'] }));
  });

  it('the status alone is written by its subresource', async () => {
    await test.service.create(TICKET, ticket('a', 'Help', { priority: 3, place: { zip: '1' } }));
    const { object } = await test.service.update(
      OLD_TICKET,
      'a',
      { spec: { subject: 'ignored' }, status: { phase: 'Open' } },
      {},
      'status',
    );
    expect(object).toMatchObject({
      spec: { subject: 'Help' },
      status: { phase: 'Open' },
      metadata: { generation: 1 },
    });
    expect(await test.service.get(TICKET, 'a')).toMatchObject({
      spec: { title: 'Help', priority: 3, place: { zip: '1' } },
      status: { phase: 'Open' },
    });
  });

  it('the status is kept by conversions that return only a spec', async () => {
    await test.close();
    test = await openTestService();
    await test.register(CountedTicket, byTitle, { versions: [OLD_COUNTED_VERSION] });
    const status = { phase: 'Open' };
    await test.service.create(COUNTED_TICKETS, ticket('a', 'Help'));
    await test.service.patch(OLD_COUNTED_TICKETS, 'a', { status }, 'merge', {}, 'status');
    for (const version of [COUNTED_TICKETS, OLD_COUNTED_TICKETS])
      expect((await test.service.get(version, 'a')).status).toEqual(status);
    await test.service.patch(OLD_COUNTED_TICKETS, 'a', { spec: { subject: 'Now' } }, 'merge');
    expect(await test.service.get(COUNTED_TICKETS, 'a')).toMatchObject({ spec: { title: 'Now' }, status });
    await test.service.patch(OLD_COUNTED_TICKETS, 'a', { status: null }, 'merge', {}, 'status');
    expect((await test.service.get(COUNTED_TICKETS, 'a')).status).toBeUndefined();
  });

  it('unknown fields are those of the version that is written', async () => {
    const draft = { metadata: { name: 'a' }, spec: { subject: 'Help', title: 'x' } };
    await expectCode('Invalid', test.service.create(OLD_TICKET, draft, { fieldValidation: 'Strict' }));
    const { warnings } = await test.service.create(OLD_TICKET, draft);
    expect(warnings).toEqual(['unknown field "spec.title"']);
  });

  it('declared objects may be of any served version', async () => {
    const object = {
      apiVersion: 'desk.example.com/v1alpha1',
      kind: 'Ticket',
      metadata: { name: 'a' },
      spec: { subject: 'Declared' },
    };
    await test.service.declare([{ object, place: 'a.yaml:1' }]);
    await test.service.patch(TICKET, 'a', { spec: { place: { zip: '1' } } }, 'merge');
    await test.service.declare([{ object: { ...object, spec: { subject: 'Again' } }, place: 'a.yaml:1' }]);
    expect(await specOf('a')).toEqual({ title: 'Again', priority: 2, place: { zip: '1' } });
  });

  it.each(['down-throws', 'down-hangs'])('deleting needs no conversion: %s', async (title) => {
    await test.service.create(TICKET, ticket('a', title));
    const { object, warnings } = await test.service.delete(OLD_TICKET, 'a');
    expect(object).toMatchObject({ apiVersion: 'desk.example.com/v1', spec: { title } });
    expect(warnings[0]).toMatch(/^the answer is the stored form: Ticket "a" cannot be converted to /);
    await expectCode('NotFound', test.service.get(TICKET, 'a'));
  });
});

describe('code that converts objects', () => {
  it.each([
    ['throws', 'down() of version v1alpha1 failed: no way'],
    ['promise', 'down() of version v1alpha1 returned a promise; it must be synchronous'],
    ['nothing', 'down() of version v1alpha1 must return an object, got null'],
    ['hangs', 'its code did not return within'],
  ])(
    'when it %s, the object is left out of lists and refused by name',
    async (word, reason) => {
      await test.service.create(TICKET, ticket('a', `down-${word}`));
      await test.service.create(TICKET, ticket('b', 'Fine'));
      const list = await test.service.list(OLD_TICKET);
      expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['b']);
      expect(list.total).toBe(2);
      expect(list.warnings).toEqual([expect.stringContaining(reason)]);
      const refused = await refusal(test.service.get(OLD_TICKET, 'a'));
      expect(refused.code).toBe('InternalError');
      expect(refused.message).toContain(reason);
      expect(refused.details).toMatchObject({ kind: 'Ticket', name: 'a' });
      const write = await refusal(test.service.patch(OLD_TICKET, 'a', { spec: { urgent: true } }, 'merge'));
      expect([write.code, write.message]).toEqual(['Invalid', expect.stringContaining(reason)]);
      const all: string[] = [];
      const listing = (async () => {
        for await (const { metadata } of test.service.listAll(OLD_TICKET)) all.push(metadata.name);
      })();
      expect((await refusal(listing)).message).toContain(reason);
      expect(all).toEqual(['b']);
    },
    30_000,
  );

  it.each(['throws', 'promise', 'nothing', 'hangs'])(
    'when up() %s, a write is refused',
    async (word) => {
      const made = test.service.create(OLD_TICKET, {
        metadata: { name: 'a' },
        spec: { subject: `up-${word}` },
      });
      await expectCode('Invalid', made);
      await expectCode('NotFound', test.service.get(TICKET, 'a'));
    },
    30_000,
  );

  it('a write whose answer cannot be converted is refused before anything is stored', async () => {
    await test.service.create(OLD_TICKET, { metadata: { name: 'a' }, spec: { subject: 'Fine' } });
    const write = test.service.patch(OLD_TICKET, 'a', { spec: { subject: 'down-throws' } }, 'merge');
    await expectCode('Invalid', write);
    expect((await test.service.get(TICKET, 'a')).metadata.version).toBe(0);
  });

  it('a watch in process reports an object that cannot be converted, and goes on', async () => {
    const errors: string[] = [];
    const seen: string[] = [];
    const { metadata } = await test.service.list(TICKET);
    const end = new AbortController();
    await test.service.create(TICKET, ticket('a', 'down-throws'));
    await test.service.create(TICKET, ticket('b', 'Fine'));
    for await (const { type, object } of test.service.watch(OLD_TICKET, {
      resourceVersion: metadata.resourceVersion === '0' ? '' : metadata.resourceVersion,
      signal: end.signal,
      onError: ({ message }) => errors.push(message),
    })) {
      if (type !== 'BOOKMARK') seen.push(`${type} ${object.metadata.name}`);
      if (seen.length === 1) end.abort();
    }
    expect(seen).toEqual(['ADDED b']);
    expect(errors).toEqual([expect.stringContaining('Ticket "a" cannot be converted')]);
  });
});

describe('a store that was written by an older version of a plugin', () => {
  async function reopened(): Promise<void> {
    await test.close();
    const directory = temporaryDirectory();
    test = await openTestService(directory);
    await registerOldTickets(test);
    await test.service.create(OLD_TICKET, {
      metadata: { name: 'a' },
      spec: { subject: 'First', urgent: true },
    });
    await test.close();
    test = await openTestService(directory);
    await registerTickets(test);
  }

  it('shows each object in every version, and as it is stored in the one it is stored in', async () => {
    await reopened();
    expect((await test.service.get(TICKET, 'a')).spec).toEqual({ title: 'First', priority: 5 });
    expect((await test.service.get(MIDDLE_TICKET, 'a')).spec).toEqual({ headline: 'First', priority: 5 });
    expect((await test.service.getRaw(OLD_TICKET, 'a')).json).toEqual(await storedBytes('a'));
    expect((await test.service.list(TICKET)).items.map(({ spec }) => spec)).toEqual([
      { title: 'First', priority: 5 },
    ]);
  });

  it('writes of an object that is stored in an older version store it in the newest', async () => {
    await reopened();
    expect(
      (await test.service.update(OLD_TICKET, 'a', await test.service.get(OLD_TICKET, 'a'))).changed,
    ).toBe(false);
    expect((await test.service.getRaw(OLD_TICKET, 'a')).json).toEqual(await storedBytes('a'));
    await test.service.patch(OLD_TICKET, 'a', { metadata: { labels: { team: 'x' } } }, 'merge');
    expect((await test.service.getRaw(TICKET, 'a')).json).toEqual(await storedBytes('a'));
    expect(await test.service.get(OLD_TICKET, 'a')).toMatchObject({
      spec: { subject: 'First', urgent: true },
    });
    expect(await test.service.listNames(TICKET, { fieldSelector: ['spec.title=First'] })).toEqual(['a']);
  });

  it('the log has the old objects in the version of a watch, also when all was rewritten', async () => {
    await reopened();
    await test.service.patch(OLD_TICKET, 'a', { spec: { subject: 'Second' } }, 'merge');
    await test.service.delete(OLD_TICKET, 'a');
    await test.service.models.lifecycle.rewrite(test.service.models.table(TICKET));
    expect(test.service.models.table(TICKET).isMixed).toBe(false);
    for (const [ref, field] of [
      [TICKET, 'title'],
      [OLD_TICKET, 'subject'],
    ] as const) {
      const end = new AbortController();
      const reported: unknown[] = [];
      const watch = test.service.watch(ref, {
        resourceVersion: '1',
        fieldSelector: [`spec.${field}!=Second`],
        signal: end.signal,
      });
      for await (const { type, object } of watch) {
        reported.push([object.apiVersion, type, (object as { spec?: unknown }).spec]);
        end.abort();
      }
      // The object goes out of sight as it was when it was stored in the oldest version.
      expect(reported).toMatchObject([[`${ref.group}/${ref.version}`, 'DELETED', { [field]: 'First' }]]);
    }
  });

  it('an object that cannot be converted is left out and named, and can be deleted', async () => {
    await test.close();
    const directory = temporaryDirectory();
    test = await openTestService(directory);
    await registerOldTickets(test);
    for (const [name, subject, finalizers] of [
      ['a', 'up-throws', []],
      ['b', 'up-throws', ['example.com/hold']],
      ['d', 'Fine', []],
    ] as const)
      await test.service.create(OLD_TICKET, {
        metadata: { name, finalizers: [...finalizers] },
        spec: { subject },
      });
    await test.close();
    test = await openTestService(directory);
    await registerTickets(test);
    await expectCode('InternalError', test.service.get(TICKET, 'a'));
    expect((await test.service.get(OLD_TICKET, 'a')).spec).toMatchObject({ subject: 'up-throws' });
    const { items, total, warnings } = await test.service.list(TICKET);
    expect([items.length, total, warnings?.length]).toEqual([1, 3, 2]);
    expect((await test.service.list(OLD_TICKET)).items).toHaveLength(3);
    const labels = { metadata: { labels: { a: 'b' } } };
    await expectCode('Invalid', test.service.patch(TICKET, 'a', labels, 'merge'));
    for (const name of ['a', 'b']) await test.service.delete(TICKET, name);
    expect(await test.service.listNames(TICKET)).toEqual(['b', 'd']);
    expect((await test.service.get(OLD_TICKET, 'b')).metadata.deletionTimestamp).toBeDefined();
    await test.service.delete(OLD_TICKET, 'b', { forceFinalizers: true });
    expect(await test.service.listNames(TICKET)).toEqual(['d']);
  }, 30_000);

  /** A store of tickets that were stored before `up` of their version fails on them. */
  async function openWithUnconvertible(names: readonly string[], subject: string): Promise<void> {
    await test.close();
    const directory = temporaryDirectory();
    test = await openTestService(directory);
    await registerOldTickets(test);
    const finalizers = ['example.com/one', 'example.com/two'];
    for (const name of names)
      await test.service.create(OLD_TICKET, { metadata: { name, finalizers }, spec: { subject } });
    await test.close();
    test = await openTestService(directory);
    await registerTickets(test);
  }

  const without = { metadata: { finalizers: null } };

  it('an object that cannot be converted loses its finalizers while it is being deleted, and is gone then', async () => {
    await openWithUnconvertible(['a', 'b', 'c', 'd'], 'up-throws');
    const { service } = test;
    await expectCode('Invalid', service.patch(TICKET, 'a', without, 'merge'));
    for (const name of ['a', 'b', 'c', 'd']) await service.delete(TICKET, name);

    await service.patch(TICKET, 'a', without, 'merge');
    const first = [{ op: 'remove', path: '/metadata/finalizers/0' }];
    const { object } = await service.patch(TICKET, 'b', first, 'json');
    expect(object).toMatchObject({ metadata: { finalizers: ['example.com/two'], version: 2 } });
    expect((await service.patch(TICKET, 'b', {}, 'merge')).changed).toBe(false);
    const stale = { metadata: { finalizers: [], version: 1 } };
    await expectCode('Conflict', service.patch(TICKET, 'b', stale, 'merge'));
    for (const refused of [{ spec: { title: 'other' } }, { metadata: { finalizers: ['example.com/new'] } }])
      await expectCode('Invalid', service.patch(TICKET, 'b', refused, 'merge'));
    await service.patch(OLD_TICKET, 'b', without, 'merge');
    const read = await service.get(OLD_TICKET, 'c');
    await service.update(OLD_TICKET, 'c', { ...read, metadata: { ...read.metadata, finalizers: [] } });
    await service.batch([{ verb: 'patch', resource: TICKET, name: 'd', patch: without, type: 'merge' }]);
    expect(await service.listNames(TICKET)).toEqual([]);
  });

  it('so does what is not brought up in time', async () => {
    await openWithUnconvertible(['a'], 'up-hangs');
    await test.service.delete(TICKET, 'a');
    await test.service.patch(TICKET, 'a', without, 'merge');
    expect(await test.service.listNames(TICKET)).toEqual([]);
  }, 30_000);
});
