import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rightsOfPlugin } from '../../src/access/sender-rights.js';
import { openAccessModels, USERS } from '../../src/access/models.js';
import { GuardedVerbs } from '../../src/access/guarded-verbs.js';
import { AttemptEnded } from '../../src/lib/work/retry.js';
import { controllerUser, EXPIRY, pluginUser } from '../../src/model/system-users.js';
import type { Service } from '../../src/service/service.js';
import type { BatchItem } from '../../src/service/verbs.js';
import { fieldsOf, openTestAudit, type TestAudit } from '../helpers/audit.js';
import { AUTHOR, BOOK, named, registerLibrary } from '../helpers/library.js';
import { PERSON, registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { person, refusal } from '../suites/verbs-helpers.js';

let audit: TestAudit;
let t: TestService;
let service: Service;

const open = async (given: Parameters<typeof openTestService>[2] = {}): Promise<void> => {
  t = await openTestService(undefined, {}, { audit: audit.log, ...given });
  ({ service } = t);
};

beforeEach(async () => {
  audit = openTestAudit();
  await open();
  await registerModels(t);
  audit.next();
});
afterEach(async () => {
  await t.close();
  audit.target.close();
});
afterAll(removeDirectories);

const SUBJECT = { group: 'demo.example.com', version: 'v1', resource: 'persons' };

describe('a write in process', () => {
  it('has a line with its time, its object and its revision', async () => {
    const before = Date.now();
    const { metadata } = await service.create(PERSON, person('ada'), { user: 'ann' });
    const [line, ...others] = audit.next();
    expect(others).toEqual([]);
    const { time, ...rest } = line ?? {};
    expect(rest).toEqual({
      user: 'ann',
      via: 'service',
      verb: 'create',
      ...SUBJECT,
      name: 'ada',
      code: 201,
      revision: metadata.resourceVersion,
    });
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(String(time))).toBeGreaterThanOrEqual(before);
  });

  it('has one for each verb and subresource, also when it changes nothing', async () => {
    await service.create(PERSON, { metadata: { generateName: 'x-' }, spec: {} });
    const made = await service.create(PERSON, person('ada'));
    const written = [
      await service.update(PERSON, 'ada', { ...made.object, spec: { age: 7 } }),
      await service.patch(PERSON, 'ada', { status: { phase: 'on' } }, 'merge', {}, 'status'),
      await service.patch(PERSON, 'ada', { spec: { age: 7 } }, 'merge'),
      await service.delete(PERSON, 'ada'),
    ];
    const [first, second, ...lines] = audit.next();
    expect(first?.name).toMatch(/^x-./);
    expect([second?.name, second?.revision]).toEqual(['ada', made.metadata.resourceVersion]);
    expect(fieldsOf(lines, 'verb', 'subresource', 'code', 'revision')).toEqual([
      ['update', undefined, 200, written[0]?.metadata.resourceVersion],
      ['patch', 'status', 200, written[1]?.metadata.resourceVersion],
      ['patch', undefined, 200, undefined],
      ['delete', undefined, 200, String(await service.store.revision())],
    ]);
  });

  it('has one with code and reason when it fails', async () => {
    await service.create(PERSON, person('ada'));
    audit.next();
    await refusal(service.create(PERSON, person('ada')));
    await refusal(service.create(PERSON, person('bob', { level: 99 })));
    await refusal(service.update(PERSON, 'eve', person('eve')));
    await refusal(service.delete(PERSON, 'ada', { ifMatch: ['999'] }));
    expect(fieldsOf(audit.next(), 'verb', 'name', 'code', 'reason', 'revision')).toEqual([
      ['create', 'ada', 409, 'AlreadyExists', undefined],
      ['create', 'bob', 422, 'Invalid', undefined],
      ['update', 'eve', 404, 'NotFound', undefined],
      ['delete', 'ada', 412, 'PreconditionFailed', undefined],
    ]);
  });

  it('says through which part of the service it came', async () => {
    const senders = [
      { user: pluginUser('memo'), author: 'plugin' },
      { user: 'ann', author: 'plugin' },
      { user: pluginUser('memo') },
      { user: controllerUser('memo', 'stamper'), author: 'plugin' },
      { user: EXPIRY },
      {},
      { user: 'ann', origin: { via: 'mcp', source: '192.0.2.7', groups: ['staff'] } },
    ] as const;
    for (const [i, sender] of senders.entries()) await service.create(PERSON, person(`p${i}`), sender);
    expect(fieldsOf(audit.next(), 'via', 'user', 'source', 'groups')).toEqual([
      ['plugin', 'system:plugin:memo', undefined, undefined],
      ['plugin', 'ann', undefined, undefined],
      ['plugin', 'system:plugin:memo', undefined, undefined],
      ['controller', 'system:controller:memo/stamper', undefined, undefined],
      ['service', 'system:expiry', undefined, undefined],
      ['service', undefined, undefined, undefined],
      ['mcp', 'ann', '192.0.2.7', ['staff']],
    ]);
  });

  it('has none for a dry run, and none for an attempt that is made again', async () => {
    await service.create(PERSON, person('ada'), { dryRun: true });
    await refusal(service.update(PERSON, 'ada', person('ada'), { dryRun: true }));
    let attempts = 0;
    const admission = (): void => {
      if (attempts++ === 0) throw new AttemptEnded('again');
    };
    await expect(service.create(PERSON, person('ada'), { admission })).rejects.toThrow('again');
    expect(audit.next()).toEqual([]);
    await service.create(PERSON, person('ada'), { admission });
    expect(audit.next()).toHaveLength(1);
  });

  it('is one line for any name, and never has a part of a body', async () => {
    const names = ['a\nb', '"quoted"', '\u2028\u2029\u0000', 'ä'.repeat(253), '🛒'.repeat(126), '\ud800'];
    for (const name of names) await refusal(service.update(PERSON, name, person('x', { code: 'SECRET' })));
    await refusal(service.delete(PERSON, 'x'.repeat(100_000)));
    const lines = audit.next();
    expect(lines.map(({ name }) => name)).toEqual([...names, `${'x'.repeat(1_000)}...`]);
    await service.create(PERSON, person('ada', { code: 'ABC', owner: 'SECRET' }));
    await service.patch(PERSON, 'ada', { metadata: { annotations: { a: 'SECRET' } } }, 'merge');
    expect(JSON.stringify([lines, audit.next()])).not.toContain('SECRET');
  });

  it('has a reason that does not depend on a defect of its code', async () => {
    const admission = (): void => {
      throw new TypeError('a defect with SECRET');
    };
    await expect(service.create(PERSON, person('ada'), { admission })).rejects.toThrow('a defect');
    expect(fieldsOf(audit.next(), 'name', 'code', 'reason')).toEqual([['ada', 500, 'InternalError']]);
  });
});

describe('a batch', () => {
  const items = (count: number): BatchItem[] =>
    Array.from({ length: count }, (_, i) => ({ verb: 'create', resource: PERSON, object: person(`p${i}`) }));

  it('has a line for each item', async () => {
    const { items: done } = await service.batch([
      ...items(2),
      { verb: 'patch', resource: PERSON, name: 'p0', patch: { spec: { age: 1 } }, type: 'merge' },
      { verb: 'patch', resource: PERSON, name: 'p0', patch: { spec: { age: 1 } }, type: 'merge' },
      { verb: 'delete', resource: PERSON, name: 'p1' },
    ]);
    const revisions = done.map(({ metadata, changed }) => (changed ? metadata.resourceVersion : undefined));
    expect(fieldsOf(audit.next(), 'verb', 'name', 'code', 'revision')).toEqual([
      ['create', 'p0', 201, revisions[0]],
      ['create', 'p1', 201, revisions[1]],
      ['patch', 'p0', 200, revisions[2]],
      ['patch', 'p0', 200, undefined],
      ['delete', 'p1', 200, revisions[4]],
    ]);
  });

  it('that fails has a line for each item, with the failure of the batch', async () => {
    await service.create(PERSON, person('p1'));
    audit.next();
    await refusal(service.batch(items(3)));
    expect(fieldsOf(audit.next(), 'name', 'code', 'reason')).toEqual([
      ['p0', 409, 'AlreadyExists'],
      ['p1', 409, 'AlreadyExists'],
      ['p2', 409, 'AlreadyExists'],
    ]);
  });

  it('of 10,000 items has 10,000 lines, each whole, before it resolves', async () => {
    await service.batch(items(10_000));
    const lines = audit.next();
    expect(lines.map(({ name }) => name)).toEqual(Array.from({ length: 10_000 }, (_, i) => `p${i}`));
    expect(new Set(lines.map(({ revision }) => revision)).size).toBe(10_000);
  });
});

describe('consequences of a write', () => {
  beforeEach(async () => {
    await t.close();
    await open({ cascadeMax: 3 });
    await registerLibrary(t);
  });

  const write = async (author: string, books: readonly string[]): Promise<void> => {
    await service.create(AUTHOR, named(author));
    for (const book of books) await service.create(BOOK, named(book, { owner: author }));
    audit.next();
  };

  it('have lines, with the user of the write', async () => {
    await write('ann', ['one', 'two']);
    await service.create(BOOK, named('edited', { editor: 'ann' }));
    audit.next();
    await service.delete(AUTHOR, 'ann', { user: 'eve', origin: { via: 'http', source: '192.0.2.7' } });
    const [first, ...others] = fieldsOf(audit.next(), 'user', 'via', 'verb', 'resource', 'name', 'code');
    expect(first).toEqual(['eve', 'http', 'delete', 'authors', 'ann', 200]);
    expect(others).toEqual(
      expect.arrayContaining([
        ['eve', 'service', 'delete', 'books', 'one', 200],
        ['eve', 'service', 'delete', 'books', 'two', 200],
        ['eve', 'service', 'update', 'books', 'edited', 200],
      ]),
    );
  });

  it('have lines when later commits do them, and each change of the store has exactly one line', async () => {
    const books = Array.from({ length: 10 }, (_, i) => `book-${i}`);
    await write('ann', books);
    const before = await service.store.revision();
    await service.delete(AUTHOR, 'ann');
    await service.finishCascades();
    const lines = audit.next();
    const revisions = lines.map(({ revision }) => Number(revision));
    const after = await service.store.revision();
    expect(revisions).toEqual(Array.from({ length: after - before }, (_, i) => before + 1 + i));
    const deleted = lines.filter(({ verb, resource }) => verb === 'delete' && resource === 'books');
    expect(deleted.map(({ name }) => name).sort()).toEqual(books);
  });

  it('together with others have lines too', async () => {
    await openAccessModels(service.models, t.registry);
    await service.createTogether((create) => {
      create(USERS, { metadata: { name: 'first' } });
      create(USERS, { metadata: { name: 'second' } });
    });
    expect(fieldsOf(audit.next(), 'via', 'verb', 'resource', 'name', 'code')).toEqual([
      ['service', 'create', 'users', 'first', 201],
      ['service', 'create', 'users', 'second', 201],
    ]);
  });

  it('of the removal of a model have lines', async () => {
    await write('ann', ['one']);
    await service.models.lifecycle.dropObjects(service.models.table(BOOK));
    expect(fieldsOf(audit.next(), 'via', 'verb', 'resource', 'name')).toEqual([
      ['service', 'delete', 'books', 'one'],
    ]);
  });
});

it('refused actions of a plugin have their own way into the log', async () => {
  const refused: unknown[] = [];
  const rights = rightsOfPlugin(service, 'memo', [
    { apiGroups: ['*'], resources: ['persons'], verbs: ['create'] },
  ]);
  const verbs = new GuardedVerbs(
    service,
    () => rights,
    async (action, error) => {
      refused.push([action, error instanceof Error && error.message.includes('may not')]);
      return Promise.resolve();
    },
  );
  await verbs.create(PERSON, person('ada'));
  await refusal(verbs.delete(PERSON, 'ada'));
  await refusal(
    verbs.batch([
      { verb: 'create', resource: PERSON, object: person('bob') },
      { verb: 'delete', resource: PERSON, name: 'ada' },
    ]),
  );
  const action = { ...SUBJECT, verb: 'delete', name: 'ada' };
  expect(refused).toEqual([
    [action, true],
    [action, true],
  ]);
});

it('strictness refuses writes in process too, and stores nothing', async () => {
  await t.close();
  const full = openTestAudit('/dev/full', { isStrict: true });
  await open({ audit: full.log });
  await registerModels(t);
  const error = await refusal(service.create(PERSON, person('ada')));
  expect([error.code, error.message]).toEqual([
    'ServiceUnavailable',
    expect.stringContaining('(--audit-strict)'),
  ]);
  expect((await service.list(PERSON)).items).toEqual([]);
  expect((await service.create(PERSON, person('ada'), { dryRun: true })).changed).toBe(true);
});
