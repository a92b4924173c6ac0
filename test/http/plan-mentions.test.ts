import { describe, expect, it } from 'vitest';
import { withMentions } from '../../src/http/platform/plans/plan-mentions.js';
import type { ModelPlan, PlanChangeKind } from '../../src/lifecycle/model-plan.js';
import type { ExtensionObject } from '../../src/model/object.js';

const MODEL = { group: 'desk.example.com', kind: 'Ticket', plural: 'tickets' };

function planWith(...changes: readonly (readonly [PlanChangeKind, string])[]): { models: ModelPlan[] } {
  const made = changes.map(([kind, path]) => ({ kind, path, text: 'removed', isTighter: false }));
  const counts = { version: 'v1', plugin: 'desk', objects: 0, problems: [], warnings: ['before'] };
  return { models: [{ ...MODEL, ...counts, changes: made }] };
}

/** The warnings of a plan in a store with one object. */
async function warningsOf(plan: { models: ModelPlan[] }, object: object): Promise<readonly string[]> {
  const { kind } = object as ExtensionObject;
  const stored = { metadata: { name: 'one' }, ...object } as ExtensionObject;
  const { models } = await withMentions(plan, (ref) => (ref.kind === kind ? [stored] : []));
  return models[0]?.warnings.slice(1) ?? [];
}

const role = (...rules: readonly object[]): object => ({
  kind: 'Role',
  rules: rules.map((rule) => ({ apiGroups: [MODEL.group], resources: ['tickets'], ...rule })),
});
const webhook = (spec: object, model: object = MODEL): object => ({
  kind: 'Webhook',
  spec: { models: [{ group: 'x', kind: 'Y' }, model], ...spec },
});
const view = (parameters: string, more: object = {}): object => ({
  kind: 'View',
  spec: { model: { group: MODEL.group, plural: MODEL.plural }, parameters, ...more },
});

const AGE = planWith(['field-removed', 'spec.age'], ['index-removed', 'spec.age']);

describe('a plan that removes a field and its index', () => {
  it.each([
    ['the fields that a role reads', role({ fields: { read: ['spec.title', 'spec.age'] } })],
    [
      'the fields that a role writes, in two rules',
      role({ fields: { write: ['spec.age'] } }, { filter: 'spec.age > 3' }),
    ],
    ['a part of the field', role({ fields: { read: ['spec.age.years'] } })],
    ['a filter of a role', role({ filter: 'spec.owner == user || has(spec.age)' })],
    ['a rule about all models', role({ apiGroups: ['*'], resources: ['*'], fields: { read: ['spec.age'] } })],
    ['a rule about a subresource', role({ resources: ['tickets/history'], filter: 'spec.age>3' })],
    ['a method in a filter', role({ filter: 'spec.age.startsWith("1")' })],
    ['a filter of a webhook', webhook({ filter: '3 in spec.age' })],
    ['a field selector of a webhook', webhook({ fieldSelector: 'spec.title=a,spec.age!=3' })],
    ['the columns of a view', view('', { columns: ['metadata.name', 'spec.age'] })],
    ['the order of a view', view('sort=spec.age%2Cdesc')],
    ['a filter of a view', view('filter=spec.title+%3D%3D+%22a%22+%26%26+spec.age+%3E+3')],
    ['a sum of a view', view('aggregates=sum%28spec.age%29')],
  ])('names %s once', async (_, object) => {
    const { kind } = object as { kind: string };
    expect(await warningsOf(AGE, object)).toEqual([`${kind} "one" mentions spec.age, which is removed`]);
  });

  it.each([
    [
      'other fields',
      role({ fields: { read: ['spec.agent', 'spec', 'status.spec.age'] }, filter: 'spec.ageless > 3' }),
    ],
    ['the field of another model', role({ resources: ['persons'], fields: { read: ['spec.age'] } })],
    ['the field of a model in another group', role({ apiGroups: ['x'], fields: { read: ['spec.age'] } })],
    ['the field in a literal', role({ filter: `spec.title == "spec.age" || spec.title == 'spec.age'` })],
    ['the field of the target of a reference', view('filter=ref(spec.owner).spec.age+%3E+3')],
    [
      'a webhook of another model',
      webhook({ filter: 'spec.age > 3' }, { group: MODEL.group, kind: 'Person' }),
    ],
    ['a view of another model', view('sort=spec.age', { model: { group: MODEL.group, plural: 'persons' } })],
    ['rules that are no list', { kind: 'Role', rules: 'spec.age' }],
    ['rules of wrong types', { kind: 'Role', rules: [null, 3, { apiGroups: 5, resources: {}, fields: [] }] }],
    [
      'fields of wrong types',
      role({ fields: 'spec.age', filter: 7 }, { fields: { read: 'spec.age', write: [3, null] } }),
    ],
    ['a webhook without a spec', { kind: 'Webhook', spec: null }],
    ['a webhook of wrong types', webhook({ models: { a: null }, filter: ['x'], fieldSelector: {} })],
    ['a view of wrong types', view('', { model: [], columns: 'spec.age', parameters: 3 })],
    ['a view with a broken query', view('filter=%E0%A4%A&sort')],
  ])('does not name %s', async (_, object) => {
    expect(await warningsOf(AGE, object)).toEqual([]);
  });

  it('lists them as data for programs, after its other warnings', async () => {
    const roles = ['a', 'b'].map((name) => ({ ...role({ filter: 'spec.age > 3' }), metadata: { name } }));
    const { models } = await withMentions(AGE, ({ kind }) => (kind === 'Role' ? (roles as never) : []));
    expect(models).toMatchObject([
      {
        warnings: ['before', expect.stringContaining('"a"'), expect.stringContaining('"b"')],
        mentions: ['a', 'b'].map((name) => ({ kind: 'Role', name, field: 'spec.age' })),
      },
    ]);
  });
});

describe('a plan', () => {
  it('that removes an index alone names what needs it, and not the fields of roles', async () => {
    const plan = planWith(['index-removed', 'spec.age']);
    expect(await warningsOf(plan, role({ fields: { read: ['spec.age'] } }))).toEqual([]);
    expect(await warningsOf(plan, role({ filter: 'spec.age > 3' }))).toEqual([
      'Role "one" mentions spec.age, whose index is removed',
    ]);
  });

  it('names fields of items and of members of any name as objects write them', async () => {
    const plan = planWith(['field-removed', 'spec.items[].price'], ['field-removed', 'spec.sizes.*.cm']);
    const fields = { read: ['spec.items.price', 'spec.items.name', 'spec.sizes.chest.cm', 'spec.sizes'] };
    const columns = ['spec.items[0].price', 'spec.items[*].name'];
    expect(await warningsOf(plan, role({ fields }))).toEqual([
      'Role "one" mentions spec.items.price, which is removed',
      'Role "one" mentions spec.sizes.*.cm, which is removed',
    ]);
    expect(await warningsOf(plan, view('', { columns }))).toEqual([
      'View "one" mentions spec.items.price, which is removed',
    ]);
  });

  it('that removes nothing reads no object', async () => {
    const plan = planWith(['field-added', 'spec.age'], ['version-removed', 'v1alpha1']);
    const { models } = await withMentions(plan, () => {
      throw new Error('read');
    });
    expect(models).toEqual([{ ...plan.models[0], mentions: [] }]);
  });
});
