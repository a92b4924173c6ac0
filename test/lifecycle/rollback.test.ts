import { describe, expect, it } from 'vitest';
import type { ExtensionObject } from '../../src/model/object.js';
import type { MigrationOptions } from '../../src/model/evolve/versions.js';
import type { RollbackPlan } from '../../src/lifecycle/rollback-plan.js';
import { temporaryDirectory, type TestService } from '../helpers/store.js';
import { byTitle, CountedTicket, COUNTED_TICKETS } from '../helpers/tickets.js';
import { useStores } from '../store/helpers.js';

const stores = useStores();
const OBJECTS = 230;

/** Not idempotent: an object that goes through one twice, in either direction, is seen. */
function counting(id: string, by: number, seen = { breaksAt: 0, calls: 0 }): MigrationOptions<CountedTicket> {
  const add = (ticket: CountedTicket, more: number): object => {
    if (++seen.calls === seen.breaksAt) throw new Error('the process dies here');
    return { spec: { ...ticket.spec, count: (ticket.spec.count ?? 0) + more } };
  };
  return { id, up: (ticket) => add(ticket, by), down: (ticket) => add(ticket, -by) };
}

async function opened(
  directory: string,
  migrations: readonly MigrationOptions<CountedTicket>[],
): Promise<TestService> {
  const t = await stores.open(directory);
  await t.register(CountedTicket, byTitle, { migrations });
  return t;
}

/** A closed store of tickets without migrations. */
async function storeOfTickets(): Promise<string> {
  const directory = temporaryDirectory();
  const t = await opened(directory, []);
  const items = Array.from({ length: OBJECTS }, (_, i) => ({
    verb: 'create' as const,
    resource: COUNTED_TICKETS,
    object: { metadata: { name: `t-${i}` }, spec: { title: `s${i}`, count: 0 } },
  }));
  await t.service.batch(items);
  await t.close();
  return directory;
}

function rollBack(t: TestService, to: string): Promise<RollbackPlan> {
  const scheme = t.store.findTable(COUNTED_TICKETS)?.scheme;
  if (scheme === undefined) throw new Error('no tickets');
  return t.service.models.lifecycle.rollBack(scheme, { to });
}

async function counts(t: TestService): Promise<ReadonlySet<number | undefined>> {
  const items = (await t.service.list(COUNTED_TICKETS)).items as ExtensionObject[];
  expect(items).toHaveLength(OBJECTS);
  expect(await t.check()).toEqual([]);
  return new Set(items.map(({ spec }) => (spec as CountedTicket['spec']).count));
}

describe('a rollback', () => {
  it('that was interrupted goes on where it was, or forward again', async () => {
    for (const goesOn of [true, false]) {
      const directory = await storeOfTickets();
      const seen = { breaksAt: 0, calls: 0 };
      const migrations = [counting('one', 1), counting('ten', 10, seen)];
      const t = await opened(directory, migrations);
      expect(await counts(t)).toEqual(new Set([11]));
      // Once for the check, then while it is written.
      Object.assign(seen, { calls: 0, breaksAt: OBJECTS + 120 });
      await expect(rollBack(t, 'one')).rejects.toThrow('dies here');
      await expect(t.service.list(COUNTED_TICKETS)).rejects.toThrow(
        'the rollback of Ticket to "one" was interrupted; run `xsvc model rollback Ticket --to one` to finish it',
      );
      const write = { metadata: { name: 'new' }, spec: { title: 'new' } };
      await expect(t.service.create(COUNTED_TICKETS, write)).rejects.toThrow('was interrupted');
      await expect(rollBack(t, 'ten')).rejects.toThrow('"ten" is applied to some objects only');
      if (goesOn) expect(await rollBack(t, 'one')).toMatchObject({ problems: [] });
      await t.close();
      const next = await opened(directory, goesOn ? [counting('one', 1)] : migrations);
      expect(await counts(next)).toEqual(new Set([goesOn ? 1 : 11]));
      await next.close();
    }
  });

  it('that was interrupted is finished before an older release starts', async () => {
    const directory = await storeOfTickets();
    const seen = { breaksAt: 0, calls: 0 };
    const migrations = [counting('one', 1), counting('ten', 10, seen)];
    const t = await opened(directory, migrations);
    Object.assign(seen, { calls: 0, breaksAt: OBJECTS + 120 });
    await expect(rollBack(t, 'one')).rejects.toThrow('dies here');
    await t.close();
    await expect(opened(directory, [counting('one', 1)])).rejects.toThrow(
      'the rollback of Ticket to "one" was interrupted before the migration "ten" was undone; finish it with `xsvc model rollback Ticket --to one`',
    );
    const again = await opened(directory, migrations);
    expect(await counts(again)).toEqual(new Set([11]));
  });

  it('undoes a migration that was interrupted, and those before it', async () => {
    const directory = await storeOfTickets();
    await (await opened(directory, [counting('one', 1)])).close();
    const seen = { breaksAt: OBJECTS + 120, calls: 0 };
    const migrations = [counting('one', 1), counting('ten', 10, seen)];
    const t = await stores.open(directory);
    await expect(t.register(CountedTicket, byTitle, { migrations })).rejects.toThrow('dies here');
    const scheme = t.registry.find(COUNTED_TICKETS.group, COUNTED_TICKETS.version, COUNTED_TICKETS.plural);
    if (scheme === undefined) throw new Error('no tickets');
    expect(await t.service.models.lifecycle.rollBack(scheme, { to: 'none' })).toMatchObject({
      migrations: [{ id: 'ten' }, { id: 'one' }],
      changed: OBJECTS,
    });
    await t.close();
    const first = await opened(directory, []);
    expect(await counts(first)).toEqual(new Set([0]));
    await first.close();
    const last = await opened(directory, [counting('one', 1), counting('ten', 10)]);
    expect(await counts(last)).toEqual(new Set([11]));
  });

  it('changes an object once, by the user of the migration, and writes no object that stays the same', async () => {
    const directory = await storeOfTickets();
    const odd: MigrationOptions<CountedTicket> = {
      id: 'odd',
      up: (ticket) => ticket,
      down: ({ metadata, spec }) => ({ spec: metadata.name === 't-1' ? { ...spec, count: 7 } : spec }),
    };
    const t = await opened(directory, [odd]);
    const revision = await t.store.revision();
    expect(await rollBack(t, 'none')).toMatchObject({ changed: 1, objects: OBJECTS });
    expect(await t.store.revision()).toBe(revision + 1);
    await t.close();
    const before = await opened(directory, []);
    const { items } = await before.service.history(COUNTED_TICKETS, 't-1');
    expect(items[0]).toMatchObject({
      user: 'system:migration:odd',
      changes: [{ path: 'spec.count', from: 0, to: 7 }],
    });
  });
});
