import { describe, expect, it } from 'vitest';
import { PERSON, PET } from '../helpers/models.js';
import { created, expectCode, person, refusal, type DoorVerbs } from './verbs-helpers.js';

export function readCases(verbs: DoorVerbs): void {
  describe('reading', () => {
    it('lists the models that are served', async () => {
      const plurals = (await verbs().resources()).map((resource) => resource.plural);
      expect(plurals).toEqual(expect.arrayContaining(['persons', 'pets']));
    });

    it('gets an object by its name, as it is stored', async () => {
      const object = await created(verbs(), person('ann', { owner: 'x' }));
      expect(await verbs().get(PERSON, 'ann')).toEqual(object);
    });

    it.each(['bob', 'a'.repeat(254), 'a'.repeat(3000), 'Not-A-Name', 'ä'])(
      'answers NotFound for the name %.20s that nobody has',
      async (name) => {
        await created(verbs(), person('ann'));
        const error = await refusal(verbs().get(PERSON, name));
        expect(error.code).toBe('NotFound');
        expect(error.details).toMatchObject({ group: 'demo.example.com', kind: 'Person' });
      },
    );

    it('states the whole name with a slash that no object can have', async () => {
      const name = 'a/b';
      const { code, details } = await refusal(verbs().get(PERSON, name));
      expect([code, details.name]).toEqual(['NotFound', name]);
      const create = await refusal(verbs().create(PERSON, person(name)));
      expect([create.code, create.details.name]).toEqual(['Invalid', name]);
      const item = { verb: 'delete', resource: PERSON, name } as const;
      const requests: readonly (() => Promise<unknown>)[] = [
        () => verbs().update(PERSON, name, person(name)),
        () => verbs().patch(PERSON, name, { spec: {} }, 'merge'),
        () => verbs().delete(PERSON, name),
        () => verbs().batch([item]),
        () => verbs().history(PERSON, name),
        () => verbs().dependents(PERSON, name),
      ];
      for (const send of requests)
        expect((await refusal(send())).details).toMatchObject({ kind: 'Person', name });
      expect(await verbs().getMany(PERSON, [name])).toEqual([undefined]);
    });

    it('does not find an object of another model', async () => {
      await created(verbs(), person('ann'));
      await expectCode('NotFound', verbs().get(PET, 'ann'));
    });

    it('answers NotFound for a model that is not served', async () => {
      await expectCode('NotFound', verbs().get({ ...PERSON, plural: 'ghosts', kind: 'Ghost' }, 'ann'));
    });

    it('gets several by name in the order asked for, with gaps where there is none', async () => {
      await created(verbs(), person('ann'));
      await created(verbs(), person('bob'));
      const names = ['bob', 'zed', 'ann', 'a'.repeat(3000), 'bob'];
      const found = await verbs().getMany(PERSON, names);
      expect(found.map((object) => object?.metadata.name)).toEqual([
        'bob',
        undefined,
        'ann',
        undefined,
        'bob',
      ]);
    });

    it('walks all matches in order', async () => {
      for (const name of ['cid', 'ann', 'bob']) await created(verbs(), person(name, { owner: name }));
      const names: string[] = [];
      const all = verbs().listAll(PERSON, { fieldSelector: 'spec.owner!=bob', sort: 'metadata.name,desc' });
      for await (const { metadata } of all) names.push(metadata.name);
      expect(names).toEqual(['cid', 'ann']);
    });
  });
}
