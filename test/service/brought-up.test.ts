import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LAST_MIGRATION } from '../../src/model/evolve/migration-stamp.js';
import type { ExtensionObject, ObjectDraft } from '../../src/model/object.js';
import type { ModelOptions } from '../../src/model/evolve/versions.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import {
  declareTicketIndexes,
  OLD_TICKET,
  OLD_VERSION,
  registerTickets,
  Ticket,
  TICKET,
} from '../helpers/tickets.js';
import { refusal } from '../suites/verbs-helpers.js';

/** First what was a headline became the title; then each title got a mark, which would be seen if it came twice. */
const MIGRATIONS: ModelOptions<Ticket>['migrations'] = [
  {
    id: 'title',
    up: ({ spec, status }) => {
      const { headline, ...rest } = spec as Ticket['spec'] & { headline?: string };
      if (headline === 'hangs') for (;;);
      if (headline === undefined) throw new Error('there is no headline');
      return { spec: { ...rest, title: headline }, status };
    },
  },
  { id: 'mark', up: ({ spec, status }) => ({ spec: { ...spec, title: `${spec.title}!` }, status }) },
];

let test: TestService;
beforeEach(async () => {
  test = await openTestService();
  await test.register(Ticket, declareTicketIndexes, { versions: [OLD_VERSION], migrations: MIGRATIONS });
});
afterEach(async () => {
  expect(await test.check()).toEqual([]);
  await test.close();
});
afterAll(removeDirectories);

/** An object that says which migration was its last. */
function from(last: string, spec: object, rest: ObjectDraft = {}): ObjectDraft & { metadata: object } {
  return {
    ...rest,
    metadata: { name: 'a', ...rest.metadata, annotations: { [LAST_MIGRATION]: last } },
    spec,
  };
}

const stored = (): Promise<ExtensionObject> => test.service.get(TICKET, 'a');

describe('an object that says which migration was its last', () => {
  it('goes through the later ones when it is created, and does not keep the annotation', async () => {
    const { object } = await test.service.create(TICKET, from('none', { headline: 'One' }));
    expect(object.spec).toEqual({ title: 'One!', priority: 3 });
    expect(object.metadata).not.toHaveProperty('annotations');
    expect(object.metadata).toMatchObject({ version: 0, generation: 1 });
    expect(await stored()).toEqual(object);
    const found = await test.service.listNames(TICKET, { fieldSelector: ['spec.title=One!'] });
    expect(found).toEqual(['a']);
  });

  it('goes through no migration when it was the last of all', async () => {
    await test.service.create(TICKET, from('mark', { title: 'One' }));
    expect((await stored()).spec).toMatchObject({ title: 'One' });
    await test.service.update(TICKET, 'a', from('title', { title: 'Two' }));
    expect((await stored()).spec).toMatchObject({ title: 'Two!' });
  });

  it('is updated as if it had been sent in the shape of now, and unchanged when it is the same', async () => {
    await test.service.create(TICKET, {
      metadata: { name: 'a' },
      spec: { title: 'One!' },
      status: { phase: 'x' },
    });
    const same = await test.service.update(TICKET, 'a', from('none', { headline: 'One' }));
    expect(same).toMatchObject({
      changed: false,
      object: { metadata: { version: 0 }, status: { phase: 'x' } },
    });
    const other = await test.service.update(TICKET, 'a', from('none', { headline: 'Two' }), { dryRun: true });
    expect(other.object.spec).toMatchObject({ title: 'Two!' });
    expect((await stored()).spec).toMatchObject({ title: 'One!' });
  });

  it('keeps labels, annotations and finalizers that a migration does not speak of', async () => {
    const metadata = {
      name: 'a',
      labels: { a: 'b' },
      annotations: { [LAST_MIGRATION]: 'none', other: 'kept' },
      finalizers: ['x.example.com/y'],
    };
    const { object } = await test.service.create(TICKET, { metadata, spec: { headline: 'One' } });
    expect(object.metadata).toMatchObject({ labels: { a: 'b' }, finalizers: ['x.example.com/y'] });
    expect(object.metadata.annotations).toEqual({ other: 'kept' });
  });

  it('is brought up in a batch, and with its status alone', async () => {
    const { items } = await test.service.batch([
      { verb: 'create', resource: TICKET, object: from('none', { headline: 'One' }) },
      { verb: 'update', resource: TICKET, name: 'a', object: from('title', { title: 'Two' }) },
    ]);
    expect(items.map(({ object }) => (object.spec as Ticket['spec']).title)).toEqual(['One!', 'Two!']);
    const body = from('none', { headline: 'ignored' }, { status: { phase: 'done' } });
    await test.service.update(TICKET, 'a', body, {}, 'status');
    expect(await stored()).toMatchObject({ spec: { title: 'Two!' }, status: { phase: 'done' } });
  });

  it('is declared by a plugin in the shape of then', async () => {
    const object = {
      ...from('none', { headline: 'One' }),
      apiVersion: 'desk.example.com/v1',
      kind: 'Ticket',
    };
    const declared = {
      object: { ...object, metadata: { ...object.metadata, name: 'a' } },
      place: 'a.yaml:1',
    };
    await test.service.declare([declared]);
    await test.service.declare([declared]);
    expect(await stored()).toMatchObject({ spec: { title: 'One!' }, metadata: { version: 0 } });
  });

  it('is refused when it names a migration that the model has not', async () => {
    const error = await refusal(test.service.create(TICKET, from('later', { title: 'One' })));
    expect(error).toMatchObject({ code: 'Invalid' });
    expect(error.details.causes).toMatchObject([
      { field: `metadata.annotations["${LAST_MIGRATION}"]`, reason: 'FieldValueInvalid' },
    ]);
    expect(error.message).toContain('"later"');
  });

  it('is refused when a migration fails on it, with its name, the migration and why', async () => {
    const error = await refusal(test.service.create(TICKET, from('none', { title: 'One' })));
    expect(error).toMatchObject({ code: 'Invalid', details: { name: 'a' } });
    expect(error.message).toBe(
      'Ticket "a" cannot be converted to v1: up() of the migration "title" failed: there is no headline',
    );
    const late = await refusal(test.service.create(TICKET, from('none', { headline: 'hangs' })));
    expect(late).toMatchObject({ code: 'Invalid' });
    expect(late.message).toContain('did not return within');
  });

  it('is refused when it does not fit after its migrations', async () => {
    const error = await refusal(test.service.create(TICKET, from('none', { headline: 'One', priority: 9 })));
    expect(error.details.causes).toMatchObject([{ field: 'spec.priority' }]);
  });

  it('is refused as ever when it has no name, or what it says is no text', async () => {
    const nameless = { metadata: { annotations: { [LAST_MIGRATION]: 'none' } }, spec: {} };
    const error = await refusal(test.service.create(TICKET, nameless));
    expect(error.details.causes?.map(({ field }) => field)).toContain('metadata.name');
    const odd = { metadata: { name: 'a', annotations: { [LAST_MIGRATION]: 7 } }, spec: { title: 'One' } };
    const other = await refusal(test.service.create(TICKET, odd));
    expect(other.details.causes).toMatchObject([
      { field: expect.stringContaining(LAST_MIGRATION) as string },
    ]);
  });

  it('is in today’s shape in another version, whatever it says', async () => {
    await test.service.create(OLD_TICKET, from('none', { subject: 'One' }));
    expect(await stored()).toMatchObject({ spec: { title: 'One' } });
    expect((await stored()).metadata).not.toHaveProperty('annotations');
  });

  it('cannot be made of an object by a patch, unless there is nothing to go through', async () => {
    await test.service.create(TICKET, { metadata: { name: 'a' }, spec: { title: 'One' } });
    const patch = (last: string): object => ({ metadata: { annotations: { [LAST_MIGRATION]: last } } });
    const error = await refusal(test.service.patch(TICKET, 'a', patch('title'), 'merge'));
    expect(error).toMatchObject({ code: 'Invalid' });
    expect(error.message).toContain('send the whole object');
    const { changed } = await test.service.patch(TICKET, 'a', patch('mark'), 'merge');
    expect(changed).toBe(false);
  });
});

describe('an object of a model without migrations', () => {
  it('may say that it went through none, and is refused when it says more', async () => {
    const other = await openTestService();
    await registerTickets(other);
    const { object } = await other.service.create(TICKET, from('none', { title: 'One' }));
    expect(object.metadata).not.toHaveProperty('annotations');
    const error = await refusal(other.service.update(TICKET, 'a', from('mark', { title: 'One' })));
    expect(error.message).toContain('a newer release of the plugin');
    await other.close();
  });
});
