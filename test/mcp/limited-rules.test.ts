import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeAgents, connectAgent } from '../helpers/agents.js';
import { useGuardedLibrary } from '../helpers/guarded-library.js';
import { MEMO, memoRule, registerNotes } from '../helpers/limited-notes.js';

const t = useGuardedLibrary({ register: registerNotes, mcp: 'write' });
const ALL = ['get', 'list', 'create', 'update', 'patch', 'delete'];
const OWN = { filter: 'spec.owner == user' };

afterEach(closeAgents);

beforeEach(async () => {
  const create = (name: string, owner: string): Promise<unknown> =>
    t.service().create(MEMO, { metadata: { name }, spec: { owner, title: 'old', salary: 's1' } });
  await create('a1', 'ann');
  await create('b1', 'bob');
});

const patch = (name: string, spec: object): object => ({
  verb: 'patch',
  model: 'memos',
  name,
  patch: { spec },
});

it('an agent plans and applies only what the rules of its user allow', async () => {
  const agent = await connectAgent(t.url(), await t.tokenFor('ann', memoRule(ALL, OWN)));
  const planned = await agent.call('plan', { items: [patch('a1', { title: 'new' })] });
  expect(planned.data.items).toMatchObject([{ changes: [{ path: 'spec.title', from: 'old', to: 'new' }] }]);
  await agent.call('apply', { plan: planned.data.plan });
  expect((await t.service().get(MEMO, 'a1')).spec).toMatchObject({ title: 'new' });
  const hidden = await agent.call('plan', { items: [patch('b1', { title: 'new' })] });
  expect(hidden.data.violations).toMatchObject([{ reason: 'NotFound' }]);
  const missing = await agent.call('plan', { items: [patch('b2', { title: 'new' })] });
  expect(JSON.stringify(hidden.data)).toBe(JSON.stringify(missing.data).replaceAll('b2', 'b1'));
  expect(await agent.failure('plan', { items: [patch('a1', { owner: 'bob' })] })).toContain(
    'may not patch memos',
  );
});

it('a plan shows no fields that the user may not read, and needs the right to write all', async () => {
  const fields = { read: ['spec.owner', 'spec.title'] };
  const agent = await connectAgent(t.url(), await t.tokenFor('ann', memoRule(ALL, { ...OWN, fields })));
  const planned = await agent.call('plan', { items: [patch('a1', { title: 'new', salary: 's2' })] });
  expect(planned.text).not.toMatch(/s1|salary/);
  await agent.call('apply', { plan: planned.data.plan });
  expect((await t.service().get(MEMO, 'a1')).spec).toMatchObject({ title: 'new', salary: 's2' });
  const some = await connectAgent(
    t.url(),
    await t.tokenFor('bob', memoRule(ALL, { fields: { write: ['spec.title'] } })),
  );
  expect(await some.failure('plan', { items: [patch('b1', { title: 'x' })] })).toContain(
    'a plan needs the right to write all fields',
  );
});

it('a plan keeps fields in the items of lists that its user may not read', async () => {
  const parts = [{ open: 'o1', closed: 'c1' }, { open: 'o2' }];
  await t.service().create(MEMO, { metadata: { name: 'a2' }, spec: { owner: 'ann', title: 'old', parts } });
  const fields = { read: ['spec.owner', 'spec.title', 'spec.parts.open'] };
  const agent = await connectAgent(t.url(), await t.tokenFor('ann', memoRule(ALL, { ...OWN, fields })));
  const planned = await agent.call('plan', { items: [patch('a2', { title: 'new' })] });
  expect(planned.text).not.toContain('c1');
  await agent.call('apply', { plan: planned.data.plan });
  expect((await t.service().get(MEMO, 'a2')).spec).toMatchObject({ title: 'new', parts });
  expect(
    await agent.failure('plan', { items: [patch('a2', { parts: [{ open: 'o3' }, { open: 'o2' }] })] }),
  ).toContain('you may not read all fields of the items of spec.parts');
});
