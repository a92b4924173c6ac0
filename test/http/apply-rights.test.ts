import { beforeEach, describe, expect, it } from 'vitest';
import { getApiVersion } from '../../src/model/resource.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import type { HttpAnswer } from '../helpers/http.js';
import { MEMO, MEMOS, memoRule, registerNotes } from '../helpers/limited-notes.js';

const t = useGuardedLibrary({ register: registerNotes });
const OWN = { filter: 'spec.owner == user' };

function apply(token: string, name: string, spec: object): Promise<HttpAnswer> {
  const target = `${MEMOS}/${name}?fieldManager=m&force=true`;
  const body = { apiVersion: getApiVersion(MEMO), kind: MEMO.kind, metadata: { name }, spec };
  return t.as(token, 'PATCH', target, body, 'application/apply-patch+yaml');
}

beforeEach(async () => {
  const spec = { owner: 'bob', team: 'red', title: 'three', salary: 's3' };
  await t.service().create(MEMO, { metadata: { name: 'b1' }, spec });
});

describe('server-side apply', () => {
  it('creates an object only with the right to create', async () => {
    const patching = await t.tokenFor('ann', memoRule(['get', 'patch']));
    expect((await apply(patching, 'new', { owner: 'ann', title: 'x' })).status).toBe(403);
    expect((await apply(patching, 'b1', { title: 'x' })).json().spec.title).toBe('x');
    const creating = await t.tokenFor('cid', memoRule(['get', 'patch', 'create']));
    expect((await apply(creating, 'new', { owner: 'cid', title: 'x' })).status).toBe(201);
  });

  it('changes only objects of the rule', async () => {
    const ann = await t.tokenFor('ann', memoRule(['get', 'patch', 'create'], OWN));
    expect((await apply(ann, 'b1', { title: 'x' })).status).toBe(404);
    expect((await apply(ann, 'new', { owner: 'bob', title: 'x' })).status).toBe(403);
    expect((await apply(ann, 'new', { owner: 'ann', title: 'x' })).status).toBe(201);
    expect((await apply(ann, 'new', { owner: 'bob', title: 'x' })).status).toBe(403);
  });

  it('needs the right to all fields, and shows no managers to who sees some', async () => {
    const ann = await t.tokenFor('ann', memoRule(['get', 'patch'], { fields: { write: ['spec.title'] } }));
    expect((await apply(ann, 'b1', { title: 'x' })).status).toBe(403);
    const all = await t.tokenFor('cid', memoRule(['get', 'patch']));
    expect((await apply(all, 'b1', { title: 'y' })).json().metadata.managedFields).toBeDefined();
    const some = await t.tokenFor('eve', memoRule(['get'], { fields: { read: ['spec.title'] } }));
    const { metadata, spec } = (await t.as(some, 'GET', `${MEMOS}/b1`)).json();
    expect([spec, metadata.managedFields]).toEqual([{ title: 'y' }, undefined]);
  });
});
