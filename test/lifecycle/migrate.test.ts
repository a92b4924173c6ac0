import { describe, expect, it } from 'vitest';
import { openAccessModels } from '../../src/access/models.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { ExtensionObject } from '../../src/model/object.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import type { MigrationOptions, ModelOptions } from '../../src/model/evolve/versions.js';
import { Models } from '../../src/service/models.js';
import { readCatalog } from '../../src/store/catalog.js';
import { storedVersionIn } from '../../src/store/stored-version.js';
import { countStoredVersions } from '../../src/lifecycle/stored-versions.js';
import { openTestModels, temporaryDirectory, type TestService } from '../helpers/store.js';
import { useStores } from '../store/helpers.js';
import {
  bySubject,
  byTitle,
  OLD_COUNTED_VERSION,
  CountedTicket,
  COUNTED_TICKETS,
  OLD_COUNTED_TICKETS,
  OldCountedTicket,
} from '../helpers/tickets.js';

const stores = useStores();
const OBJECTS = 230;

/** Not idempotent: an object that goes through it twice is seen. */
const COUNTED: MigrationOptions<CountedTicket> = {
  id: 'counted',
  up: (ticket) => ({ spec: { ...ticket.spec, count: (ticket.spec.count ?? 0) + 1 } }),
};

/** A closed store of tickets in their first version. */
async function storeOfOldTickets(objects = OBJECTS): Promise<string> {
  const directory = temporaryDirectory();
  const t = await stores.open(directory);
  await t.register(OldCountedTicket, bySubject);
  const items = Array.from({ length: objects }, (_, i) => ({
    verb: 'create' as const,
    resource: OLD_COUNTED_TICKETS,
    object: { metadata: { name: `t-${i}` }, spec: { subject: `s${i % 7}` } },
  }));
  await t.service.batch(items);
  await t.close();
  return directory;
}

async function opened(directory: string, options: ModelOptions<CountedTicket>): Promise<TestService> {
  const t = await stores.open(directory);
  await t.register(CountedTicket, byTitle, options);
  return t;
}

/** Titles are unique. */
async function openedUnique(directory: string, options: ModelOptions<CountedTicket>): Promise<TestService> {
  const t = await stores.open(directory);
  const declare: DeclareIndexes = (specs) => {
    const titles = IndexSpecs.single<CountedTicket, string>('spec.title', 'string').unique();
    specs.add(titles.indexFunc((ticket) => ticket.spec.title));
  };
  await t.register(CountedTicket, declare, options);
  return t;
}

/** Makes titles unique. */
const NAMED: MigrationOptions<CountedTicket> = {
  id: 'named',
  up: ({ metadata, spec }) => ({ spec: { ...spec, title: metadata.name } }),
};

async function all(t: TestService): Promise<ExtensionObject[]> {
  return (await t.service.list(COUNTED_TICKETS)).items as ExtensionObject[];
}

function tableOf(t: TestService): NonNullable<ReturnType<TestService['store']['findTable']>> {
  const table = t.store.findTable(COUNTED_TICKETS);
  if (table === undefined) throw new Error('no tickets');
  return table;
}

describe('a model whose storage version moved', () => {
  it('keeps its objects, with their indexes by what they are converted to', async () => {
    const t = await opened(await storeOfOldTickets(), { versions: [OLD_COUNTED_VERSION] });
    expect((await t.service.list(COUNTED_TICKETS, { fieldSelector: 'spec.title=s3' })).total).toBe(33);
    expect(await t.check()).toEqual([]);
    expect(tableOf(t).isMixed).toBe(true);
  });

  it('has its objects rewritten without events or new revisions', async () => {
    const t = await opened(await storeOfOldTickets(), { versions: [OLD_COUNTED_VERSION] });
    const revision = await t.store.revision();
    const { objects, left } = await t.service.models.lifecycle.rewrite(tableOf(t));
    expect({ objects, left }).toEqual({ objects: OBJECTS, left: 0 });
    expect(await t.store.revision()).toBe(revision);
    expect(tableOf(t).isMixed).toBe(false);
    const record = t.store.findRecord(tableOf(t).resource);
    expect(record && (await countStoredVersions(t.store.engine, record))).toEqual(new Map([['v1', OBJECTS]]));
    const [first] = await all(t);
    expect(first).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { title: 's0' },
      metadata: { version: 0 },
    });
    expect(await t.check()).toEqual([]);
  });

  it('leaves what cannot be converted as it is, and says why', async () => {
    const up = ({ metadata, spec }: OldCountedTicket): object => {
      if (metadata.name === 't-5') throw new Error('boom');
      return { spec: { title: spec.subject } };
    };
    const t = await opened(await storeOfOldTickets(), {
      versions: [{ ...OLD_COUNTED_VERSION, up }] as never,
    });
    expect(await t.service.models.lifecycle.rewrite(tableOf(t))).toEqual({
      objects: OBJECTS - 1,
      left: 1,
      reason: 't-5: Ticket "t-5" cannot be converted to v1: up() of version v1alpha1 failed: boom',
    });
    expect(tableOf(t).isMixed).toBe(true);
    expect(await t.check()).toEqual([]);
  });

  it('is attached though the code that converts an object never returns: that object is in no index', async () => {
    const up = ({ metadata, spec }: OldCountedTicket): object => {
      while (metadata.name === 't-5');
      return { spec: { title: spec.subject } };
    };
    const t = await opened(await storeOfOldTickets(40), {
      versions: [{ ...OLD_COUNTED_VERSION, up }] as never,
    });
    expect((await t.service.list(COUNTED_TICKETS, { fieldSelector: 'spec.title=s5', size: 1 })).total).toBe(
      4,
    );
  }, 30_000);

  it('is not attached while a version that objects are stored in is not declared', async () => {
    const directory = await storeOfOldTickets(3);
    await expect(opened(directory, {})).rejects.toThrow(
      '3 Ticket objects are stored in version v1alpha1, which no class declares; declare that version with up and down, ' +
        'or remove them with `xsvc model drop Ticket --version v1alpha1`',
    );
  });
});

describe('migrations', () => {
  it('change each object once, with one revision, and count their generation', async () => {
    const directory = await storeOfOldTickets();
    const labelled: MigrationOptions<CountedTicket> = {
      id: 'labelled',
      up: ({ metadata, spec }) => ({ spec, metadata: { labels: { ...metadata.labels, moved: 'yes' } } }),
    };
    const before = await stores.open(directory);
    const revision = await before.store.revision();
    await before.close();
    const options = { versions: [OLD_COUNTED_VERSION], migrations: [COUNTED, labelled] };
    const t = await opened(directory, options);
    const objects = await all(t);
    expect(new Set(objects.map(({ spec }) => (spec as CountedTicket['spec']).count))).toEqual(new Set([1]));
    expect(new Set(objects.map(({ metadata }) => metadata.labels?.moved))).toEqual(new Set(['yes']));
    expect(new Set(objects.map(({ metadata }) => metadata.generation))).toEqual(new Set([2]));
    expect(new Set(objects.map(({ metadata }) => metadata.version))).toEqual(new Set([1]));
    expect(await t.store.revision()).toBe(revision + OBJECTS);
    expect(
      (await t.service.list(COUNTED_TICKETS, { fieldSelector: 'spec.count=1', labelSelector: 'moved=yes' }))
        .total,
    ).toBe(OBJECTS);
    expect(await t.check()).toEqual([]);
    await t.close();
    const again = await opened(directory, options);
    expect(await again.store.revision()).toBe(revision + OBJECTS);
  });

  it('keep the status, which they do not return, and history shows no change of it', async () => {
    const directory = await storeOfOldTickets(2);
    const versions = [OLD_COUNTED_VERSION];
    const before = await opened(directory, { versions });
    const status = { phase: 'open' };
    await before.service.update(COUNTED_TICKETS, 't-1', { spec: { title: 's1' }, status }, {}, 'status');
    await before.close();
    const t = await opened(directory, { versions, migrations: [COUNTED] });
    expect(await t.service.get(COUNTED_TICKETS, 't-1')).toMatchObject({ spec: { count: 1 }, status });
    expect((await t.service.get(COUNTED_TICKETS, 't-0')).status).toBeUndefined();
  });

  it('count as done for a model without objects', async () => {
    const directory = temporaryDirectory();
    const t = await opened(directory, { migrations: [COUNTED] });
    await t.service.create(COUNTED_TICKETS, { metadata: { name: 'new' }, spec: { title: 'x' } });
    await t.close();
    const again = await opened(directory, { migrations: [COUNTED] });
    expect((await all(again))[0]?.spec).toEqual({ title: 'x' });
  });

  it('write nothing when an object would be invalid, and name those that do not', async () => {
    const directory = await storeOfOldTickets();
    const bad: MigrationOptions<CountedTicket> = {
      id: 'bad',
      up: ({ metadata, spec }) => ({
        spec: { ...spec, channel: metadata.name.endsWith('9') ? 'fax' : 'mail' },
      }),
    };
    await expect(opened(directory, { versions: [OLD_COUNTED_VERSION], migrations: [bad] })).rejects.toThrow(
      /after the migration "bad" 23 objects of Ticket would be invalid, so nothing was written: t-9: spec\.channel: .*; and 13 more/,
    );
    const t = await opened(directory, { versions: [OLD_COUNTED_VERSION] });
    expect(new Set((await all(t)).map(({ metadata }) => metadata.version))).toEqual(new Set([0]));
  });

  it('write nothing when objects would share a value that must be unique', async () => {
    const directory = await storeOfOldTickets();
    const versions = [OLD_COUNTED_VERSION];
    const same: MigrationOptions<CountedTicket> = {
      id: 'same',
      up: ({ metadata, spec }) => ({ spec: { ...spec, title: metadata.name.replace(/\d$/, 'x') } }),
    };
    await expect(openedUnique(directory, { versions, migrations: [NAMED, same] })).rejects.toThrow(
      /after the migration "named", "same" objects of Ticket would share values that must be unique, so nothing was written: spec\.title "t-x" of "t-0" and "t-1", .*, and 13 more$/,
    );
    const t = await opened(directory, { versions });
    expect(new Set((await all(t)).map(({ metadata }) => metadata.version))).toEqual(new Set([0]));
  });

  it('may give an object the unique value that another leaves', async () => {
    const directory = await storeOfOldTickets();
    const versions = [OLD_COUNTED_VERSION];
    await (await openedUnique(directory, { versions, migrations: [NAMED] })).close();
    const next: MigrationOptions<CountedTicket> = {
      id: 'next',
      up: ({ spec }) => ({ spec: { ...spec, title: `t-${Number(spec.title.slice(2)) + 1}` } }),
    };
    const t = await openedUnique(directory, { versions, migrations: [NAMED, next] });
    expect(
      (await t.service.list(COUNTED_TICKETS, { fieldSelector: 'spec.title=t-230' })).items,
    ).toMatchObject([{ metadata: { name: 't-229' } }]);
    const twice = { metadata: { name: 'twice' }, spec: { title: 't-1' } };
    await expect(t.service.create(COUNTED_TICKETS, twice)).rejects.toThrow('is already used by Ticket "t-0"');
    expect(await t.check()).toEqual([]);
  });

  it('that were interrupted are checked with the objects that they have written', async () => {
    const directory = await storeOfOldTickets();
    const versions = [OLD_COUNTED_VERSION];
    const seen = { calls: 0, dies: true, last: '' };
    const breaking: MigrationOptions<CountedTicket> = {
      id: 'breaking',
      up: ({ metadata, spec }) => {
        if (seen.dies && ++seen.calls === OBJECTS + 120) throw new Error('the process dies here');
        return { spec: { ...spec, title: metadata.name === 't-229' ? seen.last || 't-229' : metadata.name } };
      },
    };
    await expect(openedUnique(directory, { versions, migrations: [breaking] })).rejects.toThrow('dies here');
    Object.assign(seen, { dies: false, last: 't-3' });
    await expect(openedUnique(directory, { versions, migrations: [breaking] })).rejects.toThrow(
      'spec.title "t-3" of "t-3" and "t-229"',
    );
    seen.last = '';
    const t = await openedUnique(directory, { versions, migrations: [breaking] });
    expect(await t.check()).toEqual([]);
  });

  it('that never return are ended, and the object is named', async () => {
    const endless: MigrationOptions<CountedTicket> = {
      id: 'endless',
      up: (ticket) => {
        while (ticket.metadata.name === 't-1');
        return ticket;
      },
    };
    const directory = await storeOfOldTickets(2);
    await expect(
      opened(directory, { versions: [OLD_COUNTED_VERSION], migrations: [endless] }),
    ).rejects.toThrow('t-1: the code that converts and checks it did not return within 2000 ms');
  }, 20_000);

  it('that were interrupted go on where they were, and none is done twice', async () => {
    const directory = await storeOfOldTickets();
    const seen = { calls: 0 };
    const breaking: MigrationOptions<CountedTicket> = {
      ...COUNTED,
      up: (ticket) => {
        // Once for the check, then while it is written.
        if (++seen.calls === OBJECTS + 120) throw new Error('the process dies here');
        return COUNTED.up(ticket);
      },
    };
    const versions = [OLD_COUNTED_VERSION];
    await expect(opened(directory, { versions, migrations: [breaking] })).rejects.toThrow('dies here');
    const second: MigrationOptions<CountedTicket> = { ...COUNTED, id: 'second' };
    await expect(opened(directory, { versions, migrations: [second] })).rejects.toThrow(
      'the migration "counted" of Ticket was interrupted and is no longer declared; declare it again unchanged',
    );
    const t = await opened(directory, { versions, migrations: [COUNTED, second] });
    expect(new Set((await all(t)).map(({ spec }) => (spec as CountedTicket['spec']).count))).toEqual(
      new Set([2]),
    );
    expect(await t.check()).toEqual([]);
    expect([...(await readCatalog(t.store.engine)).models.values()].at(-1)?.migrations).toEqual([
      'counted',
      'second',
    ]);
  });

  it('are left to others: the model is read, not written', async () => {
    const directory = await storeOfOldTickets(3);
    const first = await opened(directory, { versions: [OLD_COUNTED_VERSION] });
    await first.close();
    const t = await stores.open(directory);
    await t.register(CountedTicket, byTitle, {
      versions: [OLD_COUNTED_VERSION],
      migrations: [COUNTED] as never,
      attach: { migrate: 'later' },
    });
    expect(await all(t)).toHaveLength(3);
    await expect(t.service.delete(COUNTED_TICKETS, 't-1')).rejects.toThrow('run `xsvc model migrate Ticket`');
  });

  it('are refused where they are not to run', async () => {
    const directory = await storeOfOldTickets(3);
    const t = await stores.open(directory);
    await expect(
      t.register(CountedTicket, byTitle, {
        versions: [OLD_COUNTED_VERSION],
        migrations: [COUNTED] as never,
        attach: { migrate: 'refuse' },
      }),
    ).rejects.toThrow('run `xsvc model migrate Ticket`, or start with --migrate auto');
  });
});

describe('a model that another living process serves', () => {
  it('is not written any more by a process that does not know its newest migration', async () => {
    const directory = await storeOfOldTickets(3);
    const versions = [OLD_COUNTED_VERSION];
    const older = await opened(directory, { versions, migrations: [COUNTED] });
    const given = (name: string): object => ({ metadata: { name }, spec: { title: name, count: 1 } });
    await older.service.create(COUNTED_TICKETS, given('before'));
    const second: MigrationOptions<CountedTicket> = {
      id: 'second',
      up: (t) => ({ spec: { ...t.spec, count: 2 } }),
    };
    const newer = await opened(directory, { versions, migrations: [COUNTED, second] });
    const refused = 'another process declared Ticket differently';
    await expect(older.service.create(COUNTED_TICKETS, given('after'))).rejects.toThrow(refused);
    const label = { metadata: { labels: { a: 'b' } } };
    await expect(older.service.patch(COUNTED_TICKETS, 'before', label, 'merge')).rejects.toThrow(refused);
    await newer.service.create(COUNTED_TICKETS, { ...given('after'), spec: { title: 'after', count: 2 } });
    expect((await all(newer)).map(({ spec }) => (spec as CountedTicket['spec']).count)).toEqual([
      2, 2, 2, 2, 2,
    ]);
  });

  it('keeps its declaration, unless it is taken over', async () => {
    const directory = await storeOfOldTickets(3);
    const holder = await openTestModels(directory, undefined, 'elsewhere/7/x');
    const t = await stores.open(directory);
    const scheme = t.registry.register(OldCountedTicket, 'test', bySubject);
    await holder.attach(scheme);
    const other = await stores.open(directory);
    const given = { versions: [OLD_COUNTED_VERSION] };
    const message = /process 7 on elsewhere serves Ticket with another declaration.*--takeover/;
    await expect(other.register(CountedTicket, byTitle, given)).rejects.toThrow(message);
    const taking = await stores.open(directory);
    await taking.register(CountedTicket, byTitle, { ...given, attach: { takeover: true } });
    expect((await taking.service.list(COUNTED_TICKETS)).total).toBe(3);
    await holder.store.close();
  });

  it('is known as such once it is attached, also when several are attached at once', async () => {
    const directory = temporaryDirectory();
    const holder = await openTestModels(directory, undefined, 'elsewhere/7/x');
    const registry = new SchemeRegistry();
    await openAccessModels(new Models(holder), registry);
    const other = await openTestModels(directory);
    const holders = registry.schemes().map(({ resource }) => other.cluster.findHolder(resource));
    expect(await Promise.all(holders)).toEqual(holders.map(() => 'elsewhere/7/x'));
    await other.store.close();
    await holder.store.close();
  });
});

describe('the version that an object is stored in', () => {
  it('is read from its first bytes', () => {
    const json = Buffer.from('{"apiVersion":"example.com/v1beta2","kind":"Ticket"}');
    expect(storedVersionIn({ group: 'example.com' }, json)).toBe('v1beta2');
    expect(storedVersionIn({ group: '' }, Buffer.from('{"apiVersion":"v1","kind":"X"}'))).toBe('v1');
  });
});
