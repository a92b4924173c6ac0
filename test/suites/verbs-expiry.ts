import { describe, expect, it } from 'vitest';
import { EXPIRATION, EXPIRES_AT, TTL } from '../../src/model/expiration.js';
import { PERSON } from '../helpers/models.js';
import { created, namesOf, person, refusedFields, type DoorVerbs } from './verbs-helpers.js';

const FUTURE = '2999-01-01T00:00:00Z';
const AT = `metadata.annotations.${EXPIRES_AT}`;
const LIFE = `metadata.annotations.${TTL}`;

export function expiryCases(verbs: DoorVerbs): void {
  describe('the annotations with which objects expire', () => {
    it.each<[Record<string, unknown>, string[]]>([
      [{ [EXPIRES_AT]: 'tomorrow' }, [AT]],
      [{ [EXPIRES_AT]: '2999-01-01T00:00:00' }, [AT]],
      [{ [EXPIRES_AT]: '10000-01-01T00:00:00Z' }, [AT]],
      [{ [EXPIRES_AT]: '' }, [AT]],
      [{ [TTL]: '29s' }, [LIFE]],
      [{ [TTL]: '10001h' }, [LIFE]],
      [{ [TTL]: 'привет' }, [LIFE]],
      [{ [TTL]: '1w', [EXPIRES_AT]: '2026-06-30T23:59:60Z' }, [AT, LIFE]],
      [{ [TTL]: 3_600 }, [LIFE]],
      [{ [EXPIRES_AT]: [FUTURE] }, [AT]],
    ])('%j are refused with their fields', async (annotations, expected) => {
      const given = { metadata: { name: 'ann', annotations }, spec: {} };
      expect(await refusedFields('Invalid', verbs().create(PERSON, given as never))).toEqual(expected);
      await created(verbs(), person('ann', {}, { annotations: { [TTL]: '1h' } }));
      const patch = { metadata: { annotations } };
      const patched = verbs().patch(PERSON, 'ann', patch, 'merge');
      expect(await refusedFields('Invalid', patched)).toEqual(expected);
      expect((await verbs().get(PERSON, 'ann')).metadata.annotations).toEqual({ [TTL]: '1h' });
    });

    it('give a time that selects and sorts, the earlier one of both', async () => {
      const expiring = (name: string, annotations: Record<string, string>): Promise<unknown> =>
        created(verbs(), person(name, {}, { annotations }));
      await expiring('ann', { [EXPIRES_AT]: FUTURE });
      await expiring('bob', { [TTL]: '2h' });
      await expiring('cid', { [EXPIRES_AT]: FUTURE, [TTL]: '30m' });
      await expiring('dan', { 'example.com/ttl': '1h' });
      expect(await namesOf(verbs(), { fieldSelector: EXPIRATION, sort: [EXPIRATION] })).toEqual([
        'cid',
        'bob',
        'ann',
      ]);
      const soon = new Date(Date.now() + 3_600_000).toISOString();
      expect(await namesOf(verbs(), { fieldSelector: `${EXPIRATION}<${soon}` })).toEqual(['cid']);
      expect(await namesOf(verbs(), { fieldSelector: `!${EXPIRATION}` })).toEqual(['dan']);
      await verbs().patch(PERSON, 'cid', { metadata: { annotations: { [TTL]: null } } }, 'merge');
      expect(await namesOf(verbs(), { fieldSelector: `${EXPIRATION}=${FUTURE}` })).toEqual(['ann', 'cid']);
    });
  });
}
