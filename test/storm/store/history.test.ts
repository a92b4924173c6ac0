import { expect, it } from 'vitest';
import { cpuMs } from '../../helpers/cpu.js';
import { byColor, Thing, thing, THING, useStores } from '../../store/helpers.js';

const CHANGES = 100_000;
const BATCH = 5_000;

const stores = useStores();

it('the history of an object with 100,000 changes comes in parts, and others are answered meanwhile', async () => {
  const t = await stores.open();
  await t.register(Thing, byColor);
  await t.service.create(THING, thing('a', { size: 0 }));
  await t.service.create(THING, thing('b'));
  await t.service.delete(THING, 'b');
  for (let from = 1; from <= CHANGES; from += BATCH) {
    const items = Array.from({ length: BATCH }, (_, i) => ({
      verb: 'update' as const,
      resource: THING,
      name: 'a',
      object: thing('a', { size: from + i }),
    }));
    await t.service.batch(items);
  }
  const before = process.memoryUsage().heapUsed;
  let longestMs = 0;
  // In CPU time, which does not grow with what else runs.
  let last = cpuMs();
  let reported = 0;
  const ticks = setInterval(() => {
    const now = cpuMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  }, 1);
  try {
    let token: string | undefined;
    do {
      const page = await t.service.history(THING, 'a', token === undefined ? {} : { continue: token });
      expect(page.items.length).toBeLessThanOrEqual(500);
      for (const { changes } of page.items) if (reported++ < CHANGES) expect(changes).toHaveLength(1);
      token = page.metadata.continue;
    } while (token !== undefined);
    expect(reported).toBe(CHANGES + 1);
    // From the first state back from the last, and with a scan of the whole log for one that is gone.
    expect((await t.service.getAt(THING, 'a', '1')).spec).toEqual({ size: 0 });
    expect((await t.service.history(THING, 'b')).items.map(({ verb }) => verb)).toEqual(['delete', 'create']);
  } finally {
    clearInterval(ticks);
  }
  expect(longestMs).toBeLessThan(250);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024);
}, 300_000);
