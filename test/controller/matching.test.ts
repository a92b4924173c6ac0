import { describe, expect, it } from 'vitest';
import type { Matchers } from '../../src/controller/controller.js';
import { isReason } from '../../src/controller/matching.js';
import type { ObjectChange } from '../../src/controller/source.js';
import { changeOf, thing } from './helpers.js';

const live = thing('a');
const deleting: typeof live = {
  ...live,
  metadata: { ...live.metadata, deletionTimestamp: '2026-11-20T08:00:00.123Z' },
};

/** Which matcher is asked, by a change that each of them refuses. */
function asked(change: ObjectChange): string[] {
  const calls: string[] = [];
  const no = (name: string) => () => {
    calls.push(name);
    return false;
  };
  const reason = isReason(change, { onAdd: no('add'), onUpdate: no('update'), onDelete: no('delete') });
  return reason ? [...calls, 'reconciled'] : calls;
}

describe('matchers', () => {
  it('are asked by the kind of the change', () => {
    expect(asked(changeOf('ADDED', live))).toEqual(['add']);
    expect(asked(changeOf('MODIFIED', live, live))).toEqual(['update']);
    expect(asked(changeOf('DELETED', live))).toEqual(['delete']);
  });

  it('for deletion are asked when an object is declared deleted, and again when it is removed', () => {
    expect(asked(changeOf('MODIFIED', deleting, live))).toEqual(['delete']);
    expect(asked(changeOf('MODIFIED', deleting, deleting))).toEqual(['update']);
    expect(asked(changeOf('DELETED', deleting))).toEqual(['delete']);
  });

  it('are not asked about a change whose former state is unknown: it is reconciled', () => {
    expect(asked(changeOf('MODIFIED', deleting))).toEqual(['reconciled']);
  });

  it('that are absent accept everything, and nothing is read', () => {
    const unread = (): never => {
      throw new Error('read');
    };
    for (const type of ['ADDED', 'MODIFIED', 'DELETED'] as const) {
      expect(isReason({ type, name: 'a', object: unread, previous: unread }, {})).toBe(true);
    }
    expect(isReason(changeOf('MODIFIED', deleting, live), { onUpdate: () => false })).toBe(true);
    expect(isReason(changeOf('MODIFIED', live, live), { onDelete: () => false })).toBe(true);
  });

  it.each<[string, () => unknown]>([
    ['a promise', () => Promise.reject(new Error('nobody waits for it'))],
    ['nothing', () => undefined],
    ['a number', () => 1],
  ])('that answer %s are at fault', (_, answer) => {
    const matchers: Matchers = { onAdd: () => answer() as boolean };
    expect(() => isReason(changeOf('ADDED', live), matchers)).toThrow(
      'must return true or false synchronously',
    );
  });
});
