import { expect } from 'vitest';
import { getApiVersion } from '../../src/model/resource.js';
import type { HttpAnswer } from '../helpers/http.js';
import { MEMO, MEMOS } from '../helpers/limited-notes.js';
import { expectMarks, last, marksNow, type Door, type Visit } from './role-doors.js';
import { seenOf, sees, seesWhole, type Seen } from './role-oracle.js';
import type { Known } from './role-world.js';

/** Writes that store nothing must not tell more than reads. */

const TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;
const SALARY = 'spec.salary';
const OTHER = 'other';

interface Rights {
  /** Undefined for an object that the member does not see. */
  readonly seen: Seen | undefined;
  /** Undefined for an object that the member may not write. */
  readonly writable: Seen | undefined;
}

function rightsOf({ member }: Visit, memo: Known): Rights {
  return { seen: seenOf(member.memos, last(memo)), writable: seenOf(member.writes, last(memo)) };
}

function send(
  { world, member, count }: Visit,
  method: string,
  target: string,
  body?: unknown,
  type = 'application/json',
): Promise<HttpAnswer> {
  count();
  return world.opened.as(member.token, method, target, body, type);
}

/** The status of a write that states what the member sees, or else one that the rules refuse. */
function statusOf({ member }: Visit, { seen, writable }: Rights, isAllowed: boolean): number {
  if (member.writes.length === 0) return 403;
  if (writable === undefined) return seen === undefined ? 404 : 403;
  return isAllowed ? 200 : 403;
}

const valuesOf = (memo: Known): readonly string[] => [last(memo).fields.get(SALARY) ?? '', OTHER];

/** A hidden value can neither be tried nor compared. */
const patches: Door = async (visit) => {
  for (const memo of visit.world.memos) {
    const rights = rightsOf(visit, memo);
    for (const salary of valuesOf(memo)) {
      const isSame = salary !== OTHER && sees(rights.seen, SALARY);
      const isAllowed = isSame || sees(rights.writable, SALARY);
      const target = `${MEMOS}/${memo.name}?dryRun=All`;
      const merged = await send(visit, 'PATCH', target, { spec: { salary } }, TYPES.merge);
      expect([memo.name, salary, merged.status]).toEqual([
        memo.name,
        salary,
        statusOf(visit, rights, isAllowed),
      ]);
      expectMarks(merged.text, marksNow(visit), [salary]);
      const test = [{ op: 'test', path: '/spec/salary', value: salary }];
      const tested = await send(visit, 'PATCH', target, test, TYPES.json);
      const isTrue = isSame ? 200 : 422;
      expect(tested.status).toBe(rights.writable === undefined ? statusOf(visit, rights, false) : isTrue);
      expectMarks(tested.text, marksNow(visit), [salary]);
    }
  }
};

/** What a member reads can be written back. */
const puts: Door = async (visit) => {
  for (const memo of visit.world.memos) {
    const target = `${MEMOS}/${memo.name}`;
    const read = await send(visit, 'GET', target);
    if (read.status !== 200) continue;
    const answer = await send(visit, 'PUT', `${target}?dryRun=All`, read.json());
    expect([memo.name, answer.status]).toEqual([memo.name, statusOf(visit, rightsOf(visit, memo), true)]);
    expectMarks(answer.text, marksNow(visit));
  }
};

/** Conflicts name fields, so they are only for who sees all of them. */
const applies: Door = async (visit) => {
  for (const memo of visit.world.memos) {
    const rights = rightsOf(visit, memo);
    const isWhole = rights.seen === 'all' && rights.writable === 'all';
    for (const salary of valuesOf(memo)) {
      const object = {
        apiVersion: getApiVersion(MEMO),
        kind: MEMO.kind,
        metadata: { name: memo.name },
        spec: { salary },
      };
      const target = `${MEMOS}/${memo.name}?dryRun=All&fieldManager=probe`;
      const answer = await send(visit, 'PATCH', target, object, TYPES.apply);
      const status = salary === OTHER && isWhole ? 409 : statusOf(visit, rights, isWhole);
      expect([memo.name, salary, answer.status]).toEqual([memo.name, salary, status]);
      if (!isWhole) expect(answer.text).not.toMatch(/conflict|managedFields/);
      expectMarks(answer.text, marksNow(visit), [salary]);
    }
  }
};

const undos: Door = async (visit) => {
  for (const memo of visit.world.memos)
    for (const { revision } of memo.states) {
      const target = '/apis/api.platform.run/v1alpha1/undos?dryRun=All';
      const answer = await send(visit, 'POST', target, { revision });
      expectMarks(answer.text, new Set());
      const isWhole = seesWhole(visit.member.writes);
      if (!isWhole) expect(answer.status).toBe(403);
      if (!isWhole && !seesWhole(visit.member.memos)) expect(answer.text).not.toContain(memo.name);
    }
};

const plans: Door = async (visit) => {
  for (const memo of visit.world.memos)
    for (const salary of valuesOf(memo)) {
      const items = [{ verb: 'patch', model: 'memos', name: memo.name, patch: { spec: { salary } } }];
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'plan', arguments: { items } },
      };
      const { text } = await send(visit, 'POST', '/mcp', message);
      expectMarks(text, marksNow(visit), [salary]);
      const { seen, writable } = rightsOf(visit, memo);
      if (writable === undefined) expect(text).not.toContain('"plan"');
      if (seen !== 'all') expect(text).not.toContain('managedFields');
    }
};

const deletions: Door = async (visit) => {
  for (const memo of visit.world.memos) {
    const answer = await send(visit, 'DELETE', `${MEMOS}/${memo.name}?dryRun=All`);
    expect([memo.name, answer.status]).toEqual([memo.name, statusOf(visit, rightsOf(visit, memo), true)]);
    expectMarks(answer.text, marksNow(visit));
  }
};

export const WRITE_DOORS: Readonly<Record<string, Door>> = {
  patches,
  puts,
  applies,
  undos,
  plans,
  deletions,
};
