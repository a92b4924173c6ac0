import { describe, expect, it } from 'vitest';
import type { ExtensionObject } from '../../src/model/object.js';
import { PERSON } from '../helpers/models.js';
import { created, namesOf, person, type DoorVerbs } from './verbs-helpers.js';

const EARLY = '2001-01-01T00:00:00.000Z';

/** Waits until the clock has moved on, so that the next change gets a later time. */
async function nextInstant({ metadata }: ExtensionObject): Promise<void> {
  await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(Date.parse(metadata.updateTimestamp));
}

export function timeCases(verbs: DoorVerbs): void {
  describe('the time of the last change', () => {
    it('is that of the last update, patch or status, and never what a client sends', async () => {
      let before = await created(verbs(), person('ann', { age: 1 }));
      const { creationTimestamp } = before.metadata;
      const changes: readonly (() => Promise<{ readonly object: ExtensionObject }>)[] = [
        () => verbs().update(PERSON, 'ann', person('ann', { age: 2 }, { updateTimestamp: EARLY })),
        () => verbs().patch(PERSON, 'ann', { spec: { age: 3 } }, 'merge'),
        () =>
          verbs().patch(
            PERSON,
            'ann',
            [
              { op: 'replace', path: '/metadata/updateTimestamp', value: EARLY },
              { op: 'replace', path: '/spec/age', value: 4 },
            ],
            'json',
          ),
        () => verbs().patch(PERSON, 'ann', { status: { seen: 1 } }, 'merge', {}, 'status'),
        () => verbs().patch(PERSON, 'ann', { metadata: { labels: { a: 'b' } } }, 'merge'),
      ];
      for (const change of changes) {
        await nextInstant(before);
        const { object } = await change();
        expect(object.metadata.updateTimestamp > before.metadata.updateTimestamp).toBe(true);
        expect(object.metadata.creationTimestamp).toBe(creationTimestamp);
        expect(await verbs().get(PERSON, 'ann')).toEqual(object);
        before = object;
      }
    });

    it('stays when a write changes nothing, also one that states another time', async () => {
      const before = await created(verbs(), person('ann', { age: 1 }));
      await nextInstant(before);
      const metadata = { updateTimestamp: EARLY };
      const updated = await verbs().update(PERSON, 'ann', person('ann', { age: 1 }, metadata));
      expect(updated.object).toEqual(before);
      const patched = await verbs().patch(PERSON, 'ann', { metadata }, 'merge');
      expect(patched.object).toEqual(before);
    });

    it('selects and sorts', async () => {
      let last = await created(verbs(), person('ann'));
      for (const name of ['bob', 'cid']) {
        await nextInstant(last);
        last = await created(verbs(), person(name));
      }
      await nextInstant(last);
      const { object } = await verbs().patch(PERSON, 'ann', { spec: { age: 3 } }, 'merge');
      expect(await namesOf(verbs(), { sort: ['metadata.updateTimestamp,desc'] })).toEqual([
        'ann',
        'cid',
        'bob',
      ]);
      const since = object.metadata.updateTimestamp;
      expect(await namesOf(verbs(), { fieldSelector: `metadata.updateTimestamp>=${since}` })).toEqual([
        'ann',
      ]);
      expect(await namesOf(verbs(), { filter: `metadata.updateTimestamp < timestamp("${since}")` })).toEqual([
        'bob',
        'cid',
      ]);
    });

    it('is no change in the history', async () => {
      const before = await created(verbs(), person('ann', { age: 1 }));
      await nextInstant(before);
      await verbs().patch(PERSON, 'ann', { spec: { age: 2 } }, 'merge');
      const { items } = await verbs().history(PERSON, 'ann');
      expect(items[0]?.changes.map(({ path }) => path)).toEqual(['spec.age']);
    });
  });
}
