import { expect, it } from 'vitest';
import type { InvalidObject } from '../../../src/lifecycle/scan.js';
import { useStores } from '../../store/helpers.js';
import {
  bySubject,
  byTitle,
  CountedTicket,
  OLD_COUNTED_TICKETS,
  OldCountedTicket,
  OLD_COUNTED_VERSION,
} from '../../helpers/tickets.js';

const stores = useStores();

it('does not wait for each of many objects whose conversion never returns', async () => {
  const t = await stores.open();
  await t.register(OldCountedTicket, bySubject);
  const items = Array.from({ length: 300 }, (_, i) => ({
    verb: 'create' as const,
    resource: OLD_COUNTED_TICKETS,
    object: { metadata: { name: `t-${i}` }, spec: { subject: 's' } },
  }));
  await t.service.batch(items);
  await t.close();
  const other = await stores.open(t.directory);
  const up = (): object => {
    for (;;);
  };
  const scheme = other.registry.register(CountedTicket, 'test', byTitle, {
    model: { versions: [{ ...OLD_COUNTED_VERSION, up }] as never },
  });
  const found: InvalidObject[] = [];
  const began = performance.now();
  const { invalid } = await other.service.models.lifecycle.scan(scheme, {
    onInvalid: (object) => found.push(object),
  });
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(invalid).toBe(300);
  expect(found[2]?.problem).toBe('the code that converts and checks it did not return within 2000 ms');
  expect(found[3]).toEqual({
    name: 't-3',
    problem: 'the code that converts and checks it was skipped: it did not return in time for 3 others',
  });
}, 60_000);
