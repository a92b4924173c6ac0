import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';
import {
  MIDDLE_TICKET,
  OLD_TICKET,
  registerOldTickets,
  registerTickets,
  TICKET,
} from '../helpers/tickets.js';
import { expectCode } from '../suites/verbs-helpers.js';

let test: TestService;
const ticket = (name: string, title: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { title, ...spec },
});

beforeEach(async () => {
  test = await openTestService();
  await registerTickets(test);
});

afterEach(async () => {
  expect(await test.check()).toEqual([]);
  await test.close();
});
afterAll(removeDirectories);

describe('reading an object in another version', () => {
  it('converts it; the stored version goes out as it is stored', async () => {
    await test.service.create(
      TICKET,
      ticket('a', 'Help', { priority: 5, place: { city: 'Rome', zip: '1' } }),
    );
    const stored = await test.service.get(TICKET, 'a');
    const old = await test.service.get(OLD_TICKET, 'a');
    expect(old).toEqual({
      apiVersion: 'desk.example.com/v1alpha1',
      kind: 'Ticket',
      metadata: stored.metadata,
      spec: { subject: 'Help', urgent: true, city: 'Rome' },
    });
    const raw = await test.service.getRaw(TICKET, 'a');
    expect(raw.isConverted).toBe(false);
    expect((await test.service.getRaw(OLD_TICKET, 'a')).isConverted).toBe(true);
    expect((await test.service.getMany(MIDDLE_TICKET, ['a', 'b'])).map((one) => one?.spec)).toEqual([
      { headline: 'Help', priority: 5, place: { city: 'Rome', zip: '1' } },
      undefined,
    ]);
  });

  it('every served version is a resource of its own, and all go when the model goes', async () => {
    const versions = async (): Promise<string[]> =>
      (await test.service.resources()).map(({ version }) => version);
    expect(await versions()).toEqual(['v1', 'v1alpha1', 'v1beta1']);
    const [model] = await test.service.resources();
    if (model !== undefined) test.service.models.close(model);
    expect(await versions()).toEqual([]);
    await expectCode('NotFound', test.service.get(OLD_TICKET, 'a'));
    await expectCode('NotFound', test.service.get({ ...TICKET, version: 'v9' }, 'a'));
  });

  it('lists find and sort by the names that fields have in the version', async () => {
    for (const [name, title, priority] of [
      ['a', 'Zoo', 1],
      ['b', 'Air', 5],
      ['c', 'Car', 5],
    ] as const)
      await test.service.create(TICKET, ticket(name, title, { priority }));
    const list = await test.service.list(OLD_TICKET, { sort: ['spec.subject,desc'] });
    expect(list.apiVersion).toBe('desk.example.com/v1alpha1');
    expect(list.items.map(({ spec }) => spec)).toEqual([
      { subject: 'Zoo', urgent: false },
      { subject: 'Car', urgent: true },
      { subject: 'Air', urgent: true },
    ]);
    expect(await test.service.listNames(OLD_TICKET, { fieldSelector: ['spec.subject=Car'] })).toEqual(['c']);
    expect(await test.service.count(MIDDLE_TICKET, { fieldSelector: ['spec.headline=Car'] })).toBe(1);
    await expectCode('BadRequest', test.service.count(OLD_TICKET, { fieldSelector: ['spec.title=Car'] }));
    const { index, condition, resource } = await test.service.explain(OLD_TICKET, {
      sort: ['spec.subject'],
      fieldSelector: ['spec.subject!=Car'],
      size: 2,
    });
    expect(resource).toBe('tickets.desk.example.com/v1alpha1');
    expect([index, condition].join(' ')).not.toContain('title');
    expect(condition).toContain('spec.subject');
    const first = await test.service.list(OLD_TICKET, { limit: 2, sort: ['spec.subject'] });
    const next = await test.service.list(OLD_TICKET, {
      limit: 2,
      sort: ['spec.subject'],
      continue: first.metadata.continue ?? '',
    });
    expect([...first.items, ...next.items].map(({ metadata }) => metadata.name)).toEqual(['b', 'c', 'a']);
  });
});

describe('a store that was written by an older version of a plugin', () => {
  async function reopened(): Promise<void> {
    await test.close();
    const directory = temporaryDirectory();
    test = await openTestService(directory);
    await registerOldTickets(test);
    await test.service.create(OLD_TICKET, {
      metadata: { name: 'a' },
      spec: { subject: 'First', urgent: true },
    });
    await test.close();
    test = await openTestService(directory);
    await registerTickets(test);
  }

  it('shows each object in every version, and as it is stored in the one it is stored in', async () => {
    await reopened();
    expect((await test.service.get(TICKET, 'a')).spec).toEqual({ title: 'First', priority: 5 });
    expect((await test.service.get(MIDDLE_TICKET, 'a')).spec).toEqual({ headline: 'First', priority: 5 });
    expect((await test.service.getRaw(OLD_TICKET, 'a')).isConverted).toBe(false);
    expect((await test.service.list(TICKET)).items.map(({ spec }) => spec)).toEqual([
      { title: 'First', priority: 5 },
    ]);
  });
});
