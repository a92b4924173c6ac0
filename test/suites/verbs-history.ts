import { describe, expect, it } from 'vitest';
import type { HistoryItem, Verbs } from '../../src/service/verbs.js';
import { PERSON } from '../helpers/models.js';
import { created, expectCode, person, refusal, revisionOf, type DoorVerbs } from './verbs-helpers.js';

/** The log outlives the objects of a case, so each case has a unique name. */
let names = 0;
function freshName(): string {
  names += 1;
  return `told-${process.pid}-${names}`;
}

const HELD = { finalizers: ['example.com/hold'] };

async function reported(verbs: Verbs, name: string): Promise<readonly HistoryItem[]> {
  return (await verbs.history(PERSON, name)).items;
}

async function verbsOf(verbs: Verbs, name: string): Promise<string[]> {
  return (await reported(verbs, name)).map(({ verb }) => verb);
}

export function historyCases(verbs: DoorVerbs): void {
  describe('the history of an object', () => {
    it('tells each change with its verb and the fields that became others, newest first', async () => {
      const name = freshName();
      const first = await created(verbs(), person(name, { owner: 'x', level: 1 }));
      const labels = { 'demo.example.com/team': 'red' };
      const { object: second } = await verbs().update(
        PERSON,
        name,
        person(name, { owner: 'y', tags: ['a'] }, { labels }),
      );
      const patch = { spec: { tags: ['a', 'b'] }, metadata: { annotations: { note: 'n' } } };
      const { object: third } = await verbs().patch(PERSON, name, patch, 'merge');
      const status = { status: { phase: 'Ready' } };
      const { object: fourth } = await verbs().update(PERSON, name, status, {}, 'status');
      const { object: last } = await verbs().delete(PERSON, name);
      const page = await verbs().history(PERSON, name);
      expect(page).toMatchObject({ apiVersion: first.apiVersion, kind: 'PersonHistory', metadata: { name } });
      expect(page.metadata).not.toHaveProperty('continue');
      expect(page.items.map(({ time: _, ...rest }) => rest)).toEqual([
        { resourceVersion: last.metadata.resourceVersion, verb: 'delete', changes: [] },
        {
          resourceVersion: fourth.metadata.resourceVersion,
          verb: 'update',
          changes: [{ path: 'status', to: { phase: 'Ready' } }],
        },
        {
          resourceVersion: third.metadata.resourceVersion,
          verb: 'patch',
          changes: [
            { path: 'metadata.annotations.note', to: 'n' },
            { path: 'spec.tags[1]', to: 'b' },
          ],
        },
        {
          resourceVersion: second.metadata.resourceVersion,
          verb: 'update',
          changes: [
            { path: 'metadata.labels.demo.example.com/team', to: 'red' },
            { path: 'spec.owner', from: 'x', to: 'y' },
            { path: 'spec.level', from: 1 },
            { path: 'spec.tags', to: ['a'] },
          ],
        },
        { resourceVersion: first.metadata.resourceVersion, verb: 'create', changes: [] },
      ]);
      for (const { time } of page.items) expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000);
    });

    it('keeps the verb of the request: a delete that marks, an update that removes', async () => {
      const name = freshName();
      await created(verbs(), person(name, {}, HELD));
      await verbs().delete(PERSON, name);
      await verbs().update(PERSON, name, person(name));
      const items = await reported(verbs(), name);
      expect(items.map(({ verb }) => verb)).toEqual(['update', 'delete', 'create']);
      expect(items[0]?.changes).toEqual([{ path: 'metadata.finalizers', from: HELD.finalizers }]);
    });

    it('has changes of a batch with the verbs of its items, and none for an item that changed nothing', async () => {
      const [one, two] = [freshName(), freshName()];
      await created(verbs(), person(two, { level: 1 }));
      await verbs().batch([
        { verb: 'create', resource: PERSON, object: person(one) },
        { verb: 'patch', resource: PERSON, name: two, patch: { spec: { level: 1 } }, type: 'merge' },
        { verb: 'patch', resource: PERSON, name: one, patch: { spec: { level: 2 } }, type: 'merge' },
        { verb: 'update', resource: PERSON, name: two, object: person(two, { level: 3 }) },
      ]);
      expect(await verbsOf(verbs(), one)).toEqual(['patch', 'create']);
      expect(await verbsOf(verbs(), two)).toEqual(['update', 'create']);
    });

    it('goes on with the object that had the name before, and not with others', async () => {
      const [name, other] = [freshName(), freshName()];
      await created(verbs(), person(name, { level: 1 }));
      await verbs().delete(PERSON, name);
      await created(verbs(), person(other, { level: 1 }));
      await verbs().delete(PERSON, other);
      await created(verbs(), person(name, { level: 2 }));
      await verbs().patch(PERSON, name, { spec: { level: 3 } }, 'merge');
      expect(await verbsOf(verbs(), name)).toEqual(['patch', 'create', 'delete', 'create']);
      expect(await verbsOf(verbs(), other)).toEqual(['delete', 'create']);
    });

    it('comes in parts that go on where they ended, whatever is written between them', async () => {
      const name = freshName();
      await created(verbs(), person(name, { level: 1 }));
      await verbs().delete(PERSON, name);
      await created(verbs(), person(name, { level: 1 }));
      for (let level = 2; level <= 5; level++)
        await verbs().patch(PERSON, name, { spec: { level } }, 'merge');
      const whole = await reported(verbs(), name);
      expect(whole).toHaveLength(7);
      const parts: HistoryItem[][] = [];
      for (let token: string | undefined, first = true; first || token !== undefined; first = false) {
        const page = await verbs().history(PERSON, name, {
          limit: 2,
          ...(token !== undefined && { continue: token }),
        });
        parts.push([...page.items]);
        token = page.metadata.continue;
        await verbs().patch(PERSON, name, { spec: { level: 5 + parts.length } }, 'merge');
      }
      expect(parts.map((part) => part.length)).toEqual([2, 2, 2, 1]);
      expect(parts.flat()).toEqual(whole);
    });

    it.each([-1, 2147483648, 1e20])('refuses the limit %d', async (limit) => {
      const name = freshName();
      await created(verbs(), person(name));
      await expectCode('BadRequest', verbs().history(PERSON, name, { limit }));
      await expectCode('BadRequest', verbs().list(PERSON, { limit }));
      await expectCode('BadRequest', verbs().list(PERSON, { size: limit }));
    });

    it.each(['x', '0', '-1', '99999999999'])('refuses to go on at %s', async (token) => {
      const name = freshName();
      await created(verbs(), person(name));
      await expectCode('BadRequest', verbs().history(PERSON, name, { continue: token }));
    });

    it('refuses to go on where another object was changed', async () => {
      const [name, other] = [freshName(), freshName()];
      await created(verbs(), person(name));
      const { metadata } = await created(verbs(), person(other));
      await expectCode('BadRequest', verbs().history(PERSON, name, { continue: metadata.resourceVersion }));
    });

    it.each([-1, 1.5])('refuses the limit %s', async (limit) => {
      const name = freshName();
      await created(verbs(), person(name));
      await expectCode('BadRequest', verbs().history(PERSON, name, { limit }));
    });

    it.each([freshName(), 'a'.repeat(3000), 'Not-A-Name', 'ä'])(
      'answers NotFound for the name %.20s that nobody ever had',
      async (name) => {
        await created(verbs(), person(freshName()));
        await expectCode('NotFound', verbs().history(PERSON, name));
        await expectCode('NotFound', verbs().getAt(PERSON, name, await revisionOf(verbs())));
      },
    );
  });

  describe('the history of a model', () => {
    it('has the changes of its objects with their names, in parts, and the states before on request', async () => {
      const [one, two] = [freshName(), freshName()];
      await created(verbs(), person(one, { level: 1 }));
      await created(verbs(), person(two));
      await verbs().patch(PERSON, one, { spec: { level: 2 } }, 'merge');
      await verbs().delete(PERSON, one);
      const first = await verbs().modelHistory(PERSON, { limit: 2, before: true });
      expect(first.items).toMatchObject([
        { name: one, verb: 'delete', before: { spec: { level: 2 } } },
        {
          name: one,
          verb: 'patch',
          changes: [{ path: 'spec.level', from: 1, to: 2 }],
          before: { spec: { level: 1 } },
        },
      ]);
      const { continue: token = '' } = first.metadata;
      const rest = await verbs().modelHistory(PERSON, { limit: 2, continue: token });
      expect(rest.items).toMatchObject([
        { name: two, verb: 'create', changes: [] },
        { name: one, verb: 'create' },
      ]);
      expect((await verbs().modelHistory(PERSON, { since: '1h', user: 'nobody' })).items).toEqual([]);
      await expectCode('BadRequest', verbs().modelHistory(PERSON, { since: 'soon' }));
    });

    it('a delete in a batch may require the state that it deletes', async () => {
      const name = freshName();
      const { metadata } = await created(verbs(), person(name, { level: 1 }));
      await verbs().patch(PERSON, name, { spec: { level: 2 } }, 'merge');
      const { resourceVersion, uid } = metadata;
      const item = { verb: 'delete', resource: PERSON, name } as const;
      await expectCode('Conflict', verbs().batch([{ ...item, preconditions: { resourceVersion } }]));
      await expectCode('Conflict', verbs().batch([{ ...item, preconditions: { uid: 'other' } }]));
      await verbs().batch([{ ...item, preconditions: { uid } }]);
      await expectCode('NotFound', verbs().get(PERSON, name));
    });
  });

  describe('an object as of a revision', () => {
    it('is the object as it was answered then, until its next change', async () => {
      const name = freshName();
      const first = await created(verbs(), person(name, { level: 1 }));
      const other = await created(verbs(), person(freshName()));
      const { object: second } = await verbs().patch(PERSON, name, { spec: { level: 2 } }, 'merge');
      const { object: third } = await verbs().patch(PERSON, name, { spec: { level: 3 } }, 'merge');
      expect(await verbs().getAt(PERSON, name, first.metadata.resourceVersion)).toEqual(first);
      expect(await verbs().getAt(PERSON, name, other.metadata.resourceVersion)).toEqual(first);
      expect(await verbs().getAt(PERSON, name, second.metadata.resourceVersion)).toEqual(second);
      expect(await verbs().getAt(PERSON, name, third.metadata.resourceVersion)).toEqual(third);
      expect(await verbs().getAt(PERSON, name, await revisionOf(verbs()))).toEqual(third);
    });

    it('is not there before its creation, after its deletion, and between two lives of a name', async () => {
      const [name, between] = [freshName(), freshName()];
      const before = await created(verbs(), person(between));
      const first = await created(verbs(), person(name, { level: 1 }));
      const { object: last } = await verbs().delete(PERSON, name);
      const gone = await created(verbs(), person(freshName()));
      const second = await created(verbs(), person(name, { level: 2 }));
      const at = (object: typeof first) => verbs().getAt(PERSON, name, object.metadata.resourceVersion);
      await expectCode('NotFound', at(before));
      expect(await at(first)).toEqual(first);
      await expectCode('NotFound', at(last));
      await expectCode('NotFound', at(gone));
      expect(await at(second)).toEqual(second);
      expect((await at(second)).metadata.uid).not.toBe((await at(first)).metadata.uid);
      await verbs().delete(PERSON, name);
      expect(await at(second)).toEqual(second);
      await expectCode('NotFound', verbs().getAt(PERSON, name, await revisionOf(verbs())));
    });

    it.each(['0', '', '-1', '1.5', 'x', '99999999999', '99999999999999999999'])(
      'refuses %s, which is no revision or yet to come',
      async (revision) => {
        const name = freshName();
        await created(verbs(), person(name));
        const error = await refusal(verbs().getAt(PERSON, name, revision));
        expect(error.code).toBe('BadRequest');
        expect(error.message).toMatch(/resourceVersion/);
      },
    );
  });
}
