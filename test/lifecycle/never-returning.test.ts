import { Script } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { InvalidObject } from '../../src/lifecycle/scan.js';
import type { TestService } from '../helpers/store.js';
import {
  bySubject,
  byTitle,
  COUNTED_TICKETS,
  CountedTicket,
  OLD_COUNTED_TICKETS,
  OLD_COUNTED_VERSION,
  OldCountedTicket,
} from '../helpers/tickets.js';
import { useStores } from '../store/helpers.js';

const stores = useStores();
/** All objects here have code that never returns: how soon it is ended changes nothing else. */
const LIMIT_MS = 100;
/** Code that nobody has ended by then has not been limited. */
const ENDLESS_MS = 10_000;

/** Of conversions that never return. */
const calls = { begun: 0, returned: 0 };

function neverUp(): object {
  calls.begun++;
  const until = performance.now() + ENDLESS_MS;
  while (performance.now() < until);
  calls.returned++;
  return { spec: { title: 'late' } };
}

const OPTIONS = { versions: [{ ...OLD_COUNTED_VERSION, up: neverUp }] as never };

function shortenLimits(): void {
  const run: unknown = Reflect.get(Script.prototype, 'runInThisContext');
  if (typeof run !== 'function') throw new Error('a script cannot be run');
  vi.spyOn(Script.prototype, 'runInThisContext').mockImplementation(function (this: Script, options) {
    return Reflect.apply(run, this, [{ ...options, timeout: LIMIT_MS }]) as unknown;
  });
}

async function openOldTickets(objects: number): Promise<TestService> {
  const t = await stores.open();
  await t.register(OldCountedTicket, bySubject);
  const items = Array.from({ length: objects }, (_, i) => ({
    verb: 'create' as const,
    resource: OLD_COUNTED_TICKETS,
    object: { metadata: { name: `t-${i}` }, spec: { subject: 's' } },
  }));
  await t.service.batch(items);
  await t.close();
  shortenLimits();
  Object.assign(calls, { begun: 0, returned: 0 });
  return stores.open(t.directory);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a conversion that never returns', () => {
  it('is waited for by a review until it has not returned for three objects, however many batches there are', async () => {
    const t = await openOldTickets(120);
    const scheme = t.registry.register(CountedTicket, 'test', byTitle, { model: OPTIONS });
    const found: InvalidObject[] = [];
    const { invalid } = await t.service.models.lifecycle.scan(scheme, {
      onInvalid: (object) => found.push(object),
    });
    // Once for the first batch as a whole, and for each of three objects. On a busy machine the time of one may pass before
    // it has begun.
    expect(calls.begun).toBeGreaterThan(0);
    expect(calls.begun).toBeLessThanOrEqual(4);
    expect(calls.returned).toBe(0);
    expect(invalid).toBe(120);
    expect(found.slice(2, 4)).toEqual([
      { name: 't-2', problem: 'the code that converts and checks it did not return within 2000 ms' },
      {
        name: 't-3',
        problem: 'the code that converts and checks it was skipped: it did not return in time for 3 others',
      },
    ]);
    expect(found.at(-1)?.problem).toContain('was skipped');
  });

  it('stops neither the building of indexes nor a check', async () => {
    const t = await openOldTickets(1);
    await t.register(CountedTicket, byTitle, OPTIONS);
    const built = calls.begun;
    expect(built).toBeGreaterThan(0);
    expect((await t.service.list(COUNTED_TICKETS, { fieldSelector: 'spec.title=late' })).total).toBe(0);
    expect(await t.check()).toEqual([]);
    expect(calls.begun).toBeGreaterThan(built);
    expect(calls.returned).toBe(0);
    await t.close();
  });
});
