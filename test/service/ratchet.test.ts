import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { ServiceError } from '../../src/errors.js';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { ExtensionObject, JsonObject } from '../../src/model/object.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import { leastCpuMs } from '../helpers/cpu.js';
import { openTestService, removeDirectories, temporaryDirectory } from '../helpers/store.js';
import type { TestService } from '../helpers/store.js';
import { refusal } from '../suites/verbs-helpers.js';

const TICKET = {
  group: 'desk.example.com',
  version: 'v1',
  kind: 'Ticket',
  plural: 'tickets',
  singular: 'ticket',
};
const STRICT = { fieldValidation: 'Strict' } as const;
const BEFORE = ' (an error from before this write)';

const opened: TestService[] = [];

afterEach(async () => {
  for (const t of opened.splice(0)) {
    expect(await t.check()).toEqual([]);
    await t.close();
  }
});
afterAll(removeDirectories);

/** The model with a schema of its `spec`. */
function ticketWith(spec: JsonObject): ModelClass {
  class Ticket extends AbstractExtension {
    static readonly schema = {
      type: 'object',
      properties: {
        spec,
        status: { type: 'object', properties: { phase: { type: 'string' } } },
      },
    };
  }
  GVK(TICKET)(Ticket);
  return Ticket;
}

const ANYTHING: JsonObject = { type: 'object', additionalProperties: true };

/** The schema of a newer version of the plugin. */
const STRICTER: JsonObject = {
  type: 'object',
  required: ['title', 'owner'],
  properties: {
    title: { type: 'string' },
    owner: { type: 'string' },
    email: { type: 'string', format: 'email' },
    channel: { type: 'string', enum: ['mail', 'phone'] },
    size: { type: 'integer', maximum: 10 },
    level: { type: 'integer', default: 3 },
    lines: {
      type: 'array',
      maxItems: 3,
      items: { type: 'object', required: ['text'], properties: { text: { type: 'string', maxLength: 3 } } },
    },
    map: {
      type: 'object',
      additionalProperties: { type: 'string' },
      propertyNames: { pattern: '^[a-z.]+$' },
    },
    nested: { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'string' } } } } },
    closed: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
  },
};

/** A service whose model came with another schema when the object was stored. */
async function changed(
  spec: unknown,
  { schema = STRICTER, metadata = {} }: { readonly schema?: JsonObject; readonly metadata?: object } = {},
): Promise<TestService> {
  const directory = temporaryDirectory();
  const before = await openTestService(directory);
  await before.register(ticketWith(ANYTHING));
  await before.service.create(TICKET, { metadata: { name: 'one', ...metadata }, spec });
  await before.close();
  return reopened(directory, ticketWith(schema));
}

async function reopened(
  directory: string,
  model: ModelClass,
  indexes?: DeclareIndexes,
): Promise<TestService> {
  const t = await openTestService(directory);
  opened.push(t);
  await t.register(model, indexes);
  return t;
}

const OLD_SPEC = { subject: 'Old', email: 'x', channel: 'fax', size: 5 };
const OLD_WARNINGS = [
  `spec.title: is required${BEFORE}`,
  `spec.owner: is required${BEFORE}`,
  `spec.email: must be an email address, got "x"${BEFORE}`,
  `spec.channel: must be one of "mail", "phone", got "fax"${BEFORE}`,
];

function fieldsOf(error: ServiceError): string[] {
  return (error.details.causes ?? []).map(({ field }) => field);
}

const merge = (t: TestService, patch: object, options = {}): Promise<{ warnings: readonly string[] }> =>
  t.service.patch(TICKET, 'one', patch, 'merge', options);

describe('an object that does not fit the schema any more', () => {
  it('takes labels, annotations, another field and a status, each with warnings', async () => {
    const t = await changed(OLD_SPEC);
    const unknown = `unknown field "spec.subject"${BEFORE}`;
    for (const patch of [
      { metadata: { labels: { a: 'b' } } },
      { metadata: { annotations: { 'a.b/c': 'd' } } },
      { spec: { size: 6 } },
    ]) {
      expect((await merge(t, patch, STRICT)).warnings).toEqual([...OLD_WARNINGS, unknown]);
      expect((await merge(t, patch)).warnings).toEqual([...OLD_WARNINGS, unknown]);
      expect((await merge(t, patch, { fieldValidation: 'Ignore' })).warnings).toEqual(OLD_WARNINGS);
    }
    const status = await t.service.update(TICKET, 'one', { status: { phase: 'Open' } }, STRICT, 'status');
    expect(status.warnings).toEqual([...OLD_WARNINGS, unknown]);
    expect(status.object).toMatchObject({ status: { phase: 'Open' }, spec: { subject: 'Old', size: 6 } });
  });

  it('can be sent back as it was read, with another label', async () => {
    const t = await changed(OLD_SPEC);
    const object = await t.service.get(TICKET, 'one');
    object.metadata.labels = { a: 'b' };
    const written = await t.service.update(TICKET, 'one', object, STRICT);
    expect(written).toMatchObject({ changed: true, object: { metadata: { labels: { a: 'b' } } } });
    expect(written.warnings).toHaveLength(5);
  });

  it('is deleted, also when finalizers held it', async () => {
    const t = await changed(OLD_SPEC, { metadata: { finalizers: ['a.b/c', 'd.e/f'] } });
    const marked = await t.service.delete(TICKET, 'one');
    expect(marked.object.metadata.deletionTimestamp).toBeDefined();
    await merge(t, { metadata: { finalizers: ['d.e/f'] } }, STRICT);
    await merge(t, { metadata: { finalizers: [] } }, STRICT);
    expect((await refusal(t.service.get(TICKET, 'one'))).code).toBe('NotFound');
  });

  it('is refused another bad value, with nothing but that as cause', async () => {
    const t = await changed(OLD_SPEC);
    expect(fieldsOf(await refusal(merge(t, { spec: { email: 'y' } })))).toEqual(['spec.email']);
    expect(fieldsOf(await refusal(merge(t, { spec: { size: 11 } })))).toEqual(['spec.size']);
    expect(fieldsOf(await refusal(merge(t, { spec: { subject: 'New' } }, STRICT)))).toEqual(['spec.subject']);
    expect(fieldsOf(await refusal(merge(t, { spec: { sujet: 1 } }, STRICT)))).toEqual(['spec.sujet']);
    // An old violation may be corrected, and must not come back afterwards.
    expect((await merge(t, { spec: { email: 'a@b.cd' } })).warnings).toHaveLength(4);
    expect(fieldsOf(await refusal(merge(t, { spec: { email: 'x' } })))).toEqual(['spec.email']);
  });

  it('gets the defaults of the newer schema, but not by a write of its status', async () => {
    const t = await changed(OLD_SPEC);
    await t.service.update(TICKET, 'one', { status: {} }, {}, 'status');
    expect((await t.service.get(TICKET, 'one')).spec).not.toHaveProperty('level');
    await merge(t, { metadata: { labels: { a: 'b' } } });
    expect((await t.service.get(TICKET, 'one')).spec).toHaveProperty('level', 3);
  });

  it('is not judged by what stays when that takes too long', async () => {
    const text: JsonObject = { type: 'string', pattern: '^[ab]*a[ab]{990}$' };
    const schema: JsonObject = {
      type: 'object',
      properties: { text, size: { type: 'integer', maximum: 9 } },
    };
    const spec = { text: 'ab'.repeat(500_000), size: 10 };
    const t = await changed(spec, { schema, metadata: { finalizers: ['a.b/c'] } });
    expect((await refusal(merge(t, { spec: { text: `${spec.text}a` } }))).message).toContain(
      'takes too long',
    );
    expect(fieldsOf(await refusal(merge(t, { spec: { size: 11 } })))).toEqual(['spec.size']);
    await merge(t, { spec: { size: 3 } });
    await merge(t, { metadata: { labels: { a: 'b' } } }, STRICT);
    await t.service.delete(TICKET, 'one');
    await merge(t, { metadata: { finalizers: [] } });
    expect((await refusal(t.service.get(TICKET, 'one'))).code).toBe('NotFound');
  });

  it('does not let a new one be created like it', async () => {
    const t = await changed(OLD_SPEC);
    const create = t.service.create(TICKET, { metadata: { name: 'two' }, spec: OLD_SPEC }, STRICT);
    expect(fieldsOf(await refusal(create))).toEqual([
      'spec.title',
      'spec.owner',
      'spec.email',
      'spec.channel',
      'spec.subject',
    ]);
  });

  it('is compared with what an earlier item of the batch leaves', async () => {
    const t = await changed(OLD_SPEC);
    const patch = (spec: object) =>
      ({ verb: 'patch', resource: TICKET, name: 'one', patch: { spec }, type: 'merge' }) as const;
    const done = await t.service.batch([patch({ size: 7 }), patch({ size: 8 })]);
    expect(done.items.map(({ warnings }) => warnings.length)).toEqual([5, 5]);
    const batch = t.service.batch([patch({ email: 'a@b.cd' }), patch({ email: 'x' })]);
    expect(fieldsOf(await refusal(batch))).toEqual(['items[1].spec.email']);
  });
});

describe('a rule', () => {
  it('for an item of an array is compared at the index of the item', async () => {
    const t = await changed({ title: 'a', owner: 'b', lines: [{ text: 'long' }, { text: 'a' }] });
    const json = (patch: unknown): Promise<unknown> => t.service.patch(TICKET, 'one', patch, 'json');
    await json([{ op: 'replace', path: '/spec/lines/1/text', value: 'b' }]);
    await json([{ op: 'add', path: '/spec/lines/0/more', value: 1 }]);
    const longer = json([{ op: 'replace', path: '/spec/lines/1/text', value: 'long' }]);
    expect(fieldsOf(await refusal(longer))).toEqual(['spec.lines[1].text']);
    const moved = json([{ op: 'add', path: '/spec/lines/0', value: { text: 'b' } }]);
    expect(fieldsOf(await refusal(moved))).toEqual(['spec.lines[1].text']);
  });

  it('for a whole array or object holds again once that changes', async () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        few: { type: 'array', maxItems: 1 },
        unlike: { type: 'array', uniqueItems: true },
        small: { type: 'object', maxProperties: 1 },
        one: { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
        other: {},
      },
    };
    const spec = { few: [1, 2], unlike: [1, 1], small: { a: 1, b: 2 }, one: { a: 1, b: 2 } };
    const t = await changed(spec, { schema });
    expect((await merge(t, { spec: { other: 1 } })).warnings).toHaveLength(4);
    for (const [field, value] of Object.entries({
      few: [2, 1],
      unlike: [2, 2],
      small: { c: 3 },
      one: { a: 2 },
    }))
      expect(fieldsOf(await refusal(merge(t, { spec: { [field]: value } })))).toEqual([`spec.${field}`]);
  });

  it('that fields depend on each other tells each dependency from the others', async () => {
    const schema: JsonObject = { type: 'object', dependentRequired: { a: ['c'], b: ['c'] } };
    const t = await changed({ a: 1 }, { schema });
    expect((await merge(t, { spec: { d: 1 } })).warnings).toEqual([
      `spec.c: is required together with a${BEFORE}`,
    ]);
    const error = await refusal(merge(t, { spec: { b: 1 } }));
    expect(error.details.causes).toEqual([
      { field: 'spec.c', reason: 'FieldValueRequired', message: 'is required together with b' },
    ]);
  });

  it('about keys and forbidden fields is about each of them alone', async () => {
    const t = await changed({ title: 'a', owner: 'b', map: { A: 'x', b: 'y' }, closed: { z: 1 } });
    await merge(t, { spec: { map: { b: 'z', c: 'z' }, closed: { a: 'z' } } });
    expect(fieldsOf(await refusal(merge(t, { spec: { map: { B: 'x' } } })))).toEqual([
      'spec.map',
      'spec.map',
    ]);
    expect(fieldsOf(await refusal(merge(t, { spec: { closed: { y: 1 } } })))).toEqual(['spec.closed.y']);
    expect(fieldsOf(await refusal(merge(t, { spec: { closed: { z: 2 } } })))).toEqual(['spec.closed.z']);
  });

  it('is not mixed up with that of another field which is written alike', async () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        'a.b': { type: 'string' },
        a: { type: 'object', properties: { b: { type: 'string' } } },
        'c[0]': { type: 'string' },
        c: { type: 'array', items: { type: 'string' } },
      },
    };
    const t = await changed({ 'a.b': 1, a: { b: 'x' }, 'c[0]': 1, c: ['x'] }, { schema });
    expect(fieldsOf(await refusal(merge(t, { spec: { a: { b: 1 }, c: [1] } })))).toEqual([
      'spec.a.b',
      'spec.c[0]',
    ]);
    await merge(t, { spec: { a: { b: 'y' }, c: ['y'] } });
  });

  it('that spans parts of the object counts where a status breaks it', async () => {
    const schema = { type: 'object', properties: { doneAt: { type: 'string' } } };
    class Ticket extends AbstractExtension {
      static readonly schema = {
        type: 'object',
        properties: { spec: schema, status: { type: 'object' } },
        if: {
          properties: { status: { properties: { phase: { const: 'Done' } }, required: ['phase'] } },
          required: ['status'],
        },
        then: { properties: { spec: { required: ['doneAt'] } } },
      };
    }
    GVK(TICKET)(Ticket);
    const t = await reopened(temporaryDirectory(), Ticket);
    await t.service.create(TICKET, { metadata: { name: 'one' }, spec: {} });
    const done = t.service.patch(TICKET, 'one', { status: { phase: 'Done' } }, 'merge', {}, 'status');
    expect(fieldsOf(await refusal(done))).toEqual(['spec.doneAt']);
  });
});

describe('many violations', () => {
  const schema: JsonObject = { type: 'object', additionalProperties: { type: 'string' } };
  const many = (count: number): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`füld ${i}`, i]));

  it('do not hide one that a write adds, and give few warnings', async () => {
    const t = await changed(many(1_000), { schema });
    const { warnings } = await merge(t, { spec: { good: 'x' } });
    expect(warnings).toHaveLength(21);
    expect(warnings[0]).toBe(`spec.füld 0: must be a string, got 0${BEFORE}`);
    expect(warnings.at(-1)).toBe('there are more errors from before this write');
    expect(fieldsOf(await refusal(merge(t, { spec: { ünë: 1 } })))).toEqual(['spec.ünë']);
    const changedOne = merge(t, { spec: { 'füld 999': 1 } });
    expect(fieldsOf(await refusal(changedOne))).toEqual(['spec.füld 999']);
  });

  it('that nobody declared hide no new one either', async () => {
    const t = await changed(many(1_000), { schema: { type: 'object', properties: { a: {} } } });
    await merge(t, { metadata: { labels: { a: 'b' } } }, STRICT);
    expect(fieldsOf(await refusal(merge(t, { spec: { zz: 1 } }, STRICT)))).toEqual(['spec.zz']);
  });

  it('are compared in a time that grows no faster than the object', async () => {
    const { registry } = await changed({}, { schema });
    const scheme = registry.findByKind(TICKET.group, TICKET.version, TICKET.kind);
    const comparing = (count: number): (() => void) => {
      const object = (label: string): ExtensionObject =>
        ({ metadata: { name: 'one', labels: { label } }, spec: many(count) }) as unknown as ExtensionObject;
      const stored = object('a');
      return () => expect(scheme?.validate(object('b'), stored).causes).toEqual([]);
    };
    const few = Math.max(1, leastCpuMs(comparing(4_000)));
    expect(leastCpuMs(comparing(40_000), { enough: 40 * few })).toBeLessThan(40 * few);
  });
});

describe('an index function that fails on a stored object', () => {
  let isBroken = false;
  const indexes: DeclareIndexes = (specs) => {
    specs.add(
      IndexSpecs.single<ExtensionObject & { spec: { due?: string } }, string>('spec.due', 'string').indexFunc(
        ({ spec: { due } }) => {
          if (isBroken && due !== 'today') throw new Error(`${due} is no day`);
          return due;
        },
      ),
    );
  };

  /** Functions are compared by their text, so that what they call may change unseen. */
  async function broken(): Promise<TestService> {
    isBroken = false;
    const t = await reopened(temporaryDirectory(), ticketWith(ANYTHING), indexes);
    await t.service.create(TICKET, {
      metadata: { name: 'one', finalizers: ['a.b/c'] },
      spec: { due: 'soon' },
    });
    isBroken = true;
    return t;
  }

  it('refuses no write that leaves what it reads alone; the index then has no value of the object', async () => {
    const t = await broken();
    const warning = `spec.due: the index function failed: soon is no day${BEFORE}`;
    expect((await merge(t, { metadata: { labels: { a: 'b' } } })).warnings).toEqual([warning]);
    expect((await merge(t, { spec: { more: 1 } })).warnings).toEqual([warning]);
    const patch = {
      verb: 'patch',
      resource: TICKET,
      name: 'one',
      patch: { spec: { more: 2 } },
      type: 'merge',
    };
    const done = await t.service.batch([patch as never], { bytesMax: 10_000 });
    expect(done.items[0]?.warnings).toEqual([warning]);
    expect(await t.service.list(TICKET, { fieldSelector: 'spec.due=soon' })).toMatchObject({ total: 0 });
    expect(await t.service.list(TICKET, { fieldSelector: 'spec.due!=soon' })).toMatchObject({ total: 1 });
    expect(await t.check()).toEqual([]);
    const error = await refusal(merge(t, { spec: { due: 'later' } }));
    expect(error).toMatchObject({ code: 'Invalid', details: { causes: [{ field: 'spec.due' }] } });
    expect((await merge(t, { spec: { due: 'today' } })).warnings).toEqual([]);
    expect(await t.service.list(TICKET, { fieldSelector: 'spec.due=today' })).toMatchObject({ total: 1 });
  });

  it('keeps it from being deleted as little', async () => {
    const t = await broken();
    await t.service.delete(TICKET, 'one');
    expect(await t.check()).toEqual([]);
    await merge(t, { metadata: { finalizers: [] } });
    expect(await t.service.list(TICKET)).toMatchObject({ total: 0 });
  });

  it('refuses a create', async () => {
    const t = await broken();
    const create = t.service.create(TICKET, { metadata: { name: 'two' }, spec: { due: 'soon' } });
    expect(fieldsOf(await refusal(create))).toEqual(['spec.due']);
    await merge(t, { metadata: { labels: { a: 'b' } } });
  });
});
