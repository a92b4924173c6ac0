import { describe, expect, it } from 'vitest';
import type { ExtensionObject } from '../../src/model/object.js';
import { openTestModels } from '../helpers/store.js';
import { useStores } from '../store/helpers.js';
import { bySubject, OLD_COUNTED_TICKETS, OldCountedTicket } from '../helpers/tickets.js';
import type { Store } from '../../src/store/store.js';
import type { Table } from '../../src/store/table.js';

const stores = useStores();
const OBJECTS = 250;

/** A closed store of tickets, which all have a finalizer. */
async function storeOfTickets(): Promise<string> {
  const t = await stores.open();
  await t.register(OldCountedTicket, bySubject);
  await t.service.batch(
    Array.from({ length: OBJECTS }, (_, i) => ({
      verb: 'create' as const,
      resource: OLD_COUNTED_TICKETS,
      object: {
        metadata: { name: `t-${i}`, finalizers: ['example.com/hold'] },
        spec: { subject: `s${i % 7}` },
      },
    })),
  );
  await t.close();
  return t.directory;
}

function ticketsIn(store: Store): Table {
  const table = store.findTable(OLD_COUNTED_TICKETS);
  if (table === undefined) throw new Error('no tickets');
  return table;
}

describe('a model that is dropped without its code', () => {
  it('tells those who watch that its objects are gone, with their last state', async () => {
    const directory = await storeOfTickets();
    const watcher = await stores.open(directory);
    watcher.service.models.openStored();
    const resourceVersion = String(await watcher.store.revision());
    const lifecycle = await openTestModels(directory);
    const { store } = lifecycle;
    const events = watcher.service.watch(OLD_COUNTED_TICKETS, { resourceVersion });
    expect(await lifecycle.dropObjects(ticketsIn(store))).toBe(OBJECTS);
    const names = new Set<string>();
    for await (const { type, object } of events) {
      expect(type).toBe('DELETED');
      expect(object).toMatchObject({ spec: {}, metadata: { version: 1 } });
      names.add((object as ExtensionObject).metadata.name);
      if (names.size === OBJECTS) break;
    }
    await lifecycle.forget(ticketsIn(store));
    expect(store.findTable(OLD_COUNTED_TICKETS)).toBeUndefined();
    await store.close();
  });

  it('can be dropped again when that was interrupted, and leaves nothing behind', async () => {
    const directory = await storeOfTickets();
    const first = await openTestModels(directory);
    const dying = first.dropObjects(ticketsIn(first.store), {
      progress: () => {
        throw new Error('the process dies here');
      },
    });
    await expect(dying).rejects.toThrow('dies here');
    await expect(first.forget(ticketsIn(first.store))).rejects.toThrow('objects of Ticket are being written');
    await first.store.close();
    const t = await stores.open(directory);
    const { store } = t;
    const { lifecycle } = t.service.models;
    const indexes = ticketsIn(store).indexes.length;
    expect(indexes).toBeGreaterThan(0);
    expect(await lifecycle.dropObjects(ticketsIn(store))).toBe(OBJECTS - 100);
    await lifecycle.forget(ticketsIn(store));
    expect(await t.check()).toEqual([]);
    await t.register(OldCountedTicket, bySubject);
    await t.service.create(OLD_COUNTED_TICKETS, { metadata: { name: 'new' }, spec: { subject: 's' } });
    expect((await t.service.list(OLD_COUNTED_TICKETS, { fieldSelector: 'spec.subject=s' })).total).toBe(1);
    expect(await t.check()).toEqual([]);
  });
});
