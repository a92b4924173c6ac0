import { describe, expect, it } from 'vitest';
import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs } from '../../src/model/declare/index-spec.js';
import type { ExtensionObject } from '../../src/model/object.js';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import { Schema } from '../../src/model/declare/schema-decorator.js';
import type { Scheme } from '../../src/model/declare/scheme.js';
import type { MigrationOptions, ModelOptions, VersionOptions } from '../../src/model/evolve/versions.js';
import type { SchemeManager } from '../../src/plugin/context.js';
import { ConversionError } from '../../src/model/evolve/conversion.js';

const NAMES = { group: 'example.com', kind: 'Ticket', plural: 'tickets', singular: 'ticket' };

class TicketSpec {
  @Schema({ type: 'string' })
  title!: string;
}

@GVK({ ...NAMES, version: 'v1' })
class Ticket extends AbstractExtension {
  @Schema({ type: TicketSpec })
  spec!: TicketSpec;
}

class OldSpec {
  @Schema({ type: 'string' })
  subject!: string;
}

@GVK({ ...NAMES, version: 'v1alpha1' })
class OldTicket extends AbstractExtension {
  @Schema({ type: OldSpec })
  spec!: OldSpec;

  get shouted(): string {
    return this.spec.subject.toUpperCase();
  }
}

@GVK({ ...NAMES, version: 'v1beta1', plural: 'cards' })
class Card extends AbstractExtension {}

type Old = VersionOptions<Ticket, OldTicket>;

const OLD: Old = {
  model: OldTicket,
  up: (old) => ({ spec: { title: old.spec.subject } }),
  down: (now) => ({ spec: { subject: now.spec.title } }),
  fields: { 'spec.subject': 'spec.title' },
};

function register(options: unknown): { registry: SchemeRegistry; ticket: Scheme } {
  const registry = new SchemeRegistry();
  const ticket = registry.register(
    Ticket,
    'desk',
    (specs) =>
      void specs.add(IndexSpecs.single<Ticket>('spec.title', 'string').indexFunc((t) => t.spec.title)),
    { model: options as ModelOptions },
  );
  return { registry, ticket };
}

function old(given: Partial<Record<keyof Old, unknown>>): { versions: unknown[] } {
  return { versions: [{ ...OLD, ...given }] };
}

function upFrom(given: Partial<Record<keyof Old, unknown>>): (object: ExtensionObject) => ExtensionObject {
  const conversion = register(old(given)).ticket.versions.byName.get('v1alpha1')?.conversion;
  return (object) => conversion?.up(object) ?? object;
}

const STORED: ExtensionObject = {
  apiVersion: 'example.com/v1alpha1',
  kind: 'Ticket',
  metadata: {
    name: 'a',
    uid: 'u',
    generation: 1,
    version: 0,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    updateTimestamp: '2026-01-01T00:00:00Z',
    labels: { team: 'x' },
  },
  spec: { subject: 'help' },
};

describe('versions of a model', () => {
  it('are models of their own for requests, with one storage version', () => {
    const { registry, ticket } = register(old({}));
    expect(registry.schemes().map(({ resource }) => resource.version)).toEqual(['v1', 'v1alpha1']);
    const found = registry.find('example.com', 'v1alpha1', 'tickets');
    expect(found?.versions.storage).toBe(ticket);
    expect(found?.resource.storageVersion).toBe('v1');
    expect(registry.getScheme(OldTicket)).toBe(found);
    registry.unregister(Ticket);
    expect(registry.schemes()).toEqual([]);
  });

  it('name the indexes of the storage version as they say', () => {
    const { registry } = register(old({}));
    const names = registry
      .find('example.com', 'v1alpha1', 'tickets')
      ?.resource.indexes.map(({ name }) => name);
    expect(names).toContain('spec.subject');
    expect(names).not.toContain('spec.title');
    expect(names).toContain('metadata.labels');
  });

  it('that are not served can be converted, not found', () => {
    const { registry, ticket } = register(old({ served: false }));
    expect(registry.find('example.com', 'v1alpha1', 'tickets')).toBeUndefined();
    expect(ticket.versions.byName.get('v1alpha1')?.isServed).toBe(false);
  });

  it('tell what to use instead when they are deprecated', () => {
    const { registry } = register(old({ deprecated: 'use v1' }));
    expect(registry.find('example.com', 'v1alpha1', 'tickets')?.resource.deprecated).toBe('use v1');
  });

  it.each([
    [{ versions: 1 }, 'model Ticket: versions must be an array'],
    [{ version: [] }, 'model Ticket: the options have no "version"'],
    [{ versions: [{}] }, 'versions[0].model must be a class'],
    [old({ up: 'x' }), 'versions[0].up must be a function'],
    [old({ served: 1 }), 'versions[0].served must be true or false'],
    [old({ deprecated: 1 }), 'versions[0].deprecated must be a string'],
    [old({ model: Card }), 'model Card: as a version of Ticket it must have the group "example.com"'],
    [old({ model: Ticket }), 'model Ticket: the version v1 is declared twice'],
    [{ versions: [OLD, OLD] }, 'model Ticket: the version v1alpha1 is declared twice'],
    [
      old({ fields: { a: 'spec.nothing' } }),
      'model OldTicket: fields: "spec.nothing" is not an index of the storage version',
    ],
    [old({ fields: { a: 'spec.title', b: 'spec.title' } }), 'fields: the index spec.title has two names'],
    [
      old({ fields: { 'metadata.labels': 'spec.title' } }),
      'fields: two indexes are called "metadata.labels"',
    ],
    [{ migrations: [{ id: '', up: () => ({}) }] }, 'migrations[0].id must be a string'],
    [{ migrations: [{ id: 'a' }] }, 'migrations[0].up must be a function'],
    [
      {
        migrations: [
          { id: 'a', up: () => ({}) },
          { id: 'a', up: () => ({}) },
        ],
      },
      'model Ticket: the migration "a" is declared twice',
    ],
    [7, 'model Ticket: the options of a registration must be an object'],
  ])('are refused when they are declared badly: %j', (options, message) => {
    expect(() => register(options)).toThrow(message);
  });

  it('of one model cannot be claimed by another plugin', () => {
    const { registry } = register(old({}));
    expect(() => registry.register(OldTicket, 'other')).toThrow('the class OldTicket is already registered');
    @GVK({ ...NAMES, version: 'v2' })
    class Next extends AbstractExtension {}
    expect(() => registry.register(Next, 'other')).toThrow(
      'the kind Ticket of the group "example.com" is already registered by desk',
    );
  });
});

describe('a conversion', () => {
  it('keeps metadata, sets type and leaves its input alone', () => {
    const before = structuredClone(STORED);
    const made = upFrom({
      up: (given: ExtensionObject) => {
        given.metadata.labels = {};
        return { apiVersion: 'x', kind: 'y', metadata: { name: 'z' }, spec: { title: 't', gone: undefined } };
      },
    })(STORED);
    expect(made).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Ticket',
      metadata: before.metadata,
      spec: { title: 't' },
    });
    expect(Object.keys(made.spec as object)).toEqual(['title']);
    expect(STORED).toEqual(before);
  });

  it('keeps top-level members that it does not return, and null removes one', () => {
    const given = { ...STORED, status: { phase: 'open' }, data: { a: 1 } };
    const { apiVersion: _v, kind: _k, metadata: _m, ...made } = upFrom({ up: OLD.up })(given);
    expect(made).toEqual({ spec: { title: 'help' }, status: { phase: 'open' }, data: { a: 1 } });
    expect(made.status).not.toBe(given.status);
    const removing = upFrom({ up: () => ({ status: null, data: undefined }) })(given);
    expect(Object.keys(removing)).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'data']);
  });

  it('is given an instance of the class', () => {
    expect(upFrom({ up: (given: OldTicket) => ({ spec: { title: given.shouted } }) })(STORED).spec).toEqual({
      title: 'HELP',
    });
  });

  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;

  it.each([
    [
      () => {
        throw new Error('boom');
      },
      'failed: boom',
    ],
    [() => Promise.reject(new Error('later')), 'returned a promise'],
    [() => undefined, 'must return an object, got undefined'],
    [() => null, 'must return an object, got null'],
    [() => [], 'must return an object'],
    [() => cyclic, 'returned a value that is not JSON'],
    [() => ({ spec: { n: 1n } }), 'returned a value that is not JSON'],
    [() => ({ spec: '\ud800' }), 'returned a value that is not JSON'],
  ])('that fails names object, version and why: %s', (up, reason) => {
    const act = (): ExtensionObject => upFrom({ up })(STORED);
    expect(act).toThrow(ConversionError);
    expect(act).toThrow(`Ticket "a" cannot be converted to v1: up() of version v1alpha1 ${reason}`);
  });
});

describe('a migration', () => {
  it('may change labels and annotations, and no other metadata', () => {
    const { ticket } = register({
      migrations: [
        {
          id: 'one',
          up: (t: ExtensionObject) => ({
            ...t,
            metadata: { ...t.metadata, name: 'b', uid: 'v', labels: { a: 'b' } },
          }),
        },
      ],
    });
    const [migration] = ticket.versions.migrations;
    const made = migration?.up(STORED);
    expect(made?.metadata).toEqual({ ...STORED.metadata, labels: { a: 'b' } });
    expect(made?.apiVersion).toBe('example.com/v1');
  });

  it('keeps labels and annotations when it returns no metadata', () => {
    const { ticket } = register({ migrations: [{ id: 'one', up: ({ spec }: Ticket) => ({ spec }) }] });
    const [migration] = ticket.versions.migrations;
    const labelled = {
      ...STORED,
      metadata: { ...STORED.metadata, labels: { a: 'b' }, annotations: { c: 'd' } },
    };
    expect(migration?.up(labelled).metadata).toEqual(labelled.metadata);
  });
});

describe('the types of a registration', () => {
  it('tell what each function is given, from the classes', () => {
    const given: ModelOptions[] = [];
    const manager: Pick<SchemeManager, 'register'> = {
      register: (_model, _indexes, options) => void given.push(options ?? {}),
    };
    manager.register(Ticket, undefined, {
      versions: [
        {
          model: OldTicket,
          up: (old) => ({ spec: { title: old.shouted } }),
          down: ({ spec }) => ({ spec: { subject: spec.title } }),
        },
        // @ts-expect-error -- a card has no spec
        { model: Card, up: ({ spec }) => ({ spec: { title: String(spec) } }), down: (now) => now },
      ],
      migrations: [{ id: 'one', up: ({ spec }) => ({ spec: { title: spec.title.trim() } }) }],
    });
    manager.register(Ticket, undefined, {
      // @ts-expect-error -- the storage version has no subject
      migrations: [{ id: 'one', up: ({ spec }) => ({ spec: { title: String(spec.subject) } }) }],
    });
    const early: MigrationOptions<OldTicket, { spec: { about: string } }> = {
      id: 'subject',
      up: ({ spec: { about, ...rest } }) => ({ spec: { ...rest, subject: about } }),
      down: ({ spec: { subject } }) => ({ spec: { about: subject } }),
    };
    manager.register(Ticket, undefined, {
      migrations: [
        early,
        {
          id: 'title',
          up: ({ spec: { subject, ...rest } }: OldTicket) => ({ spec: { ...rest, title: subject } }),
        },
        // @ts-expect-error -- a migration is a function
        { id: 'none', up: 7 },
      ],
    });
    manager.register(Ticket, undefined, { versions: [OLD] });
    const versions: ModelOptions<Ticket> = { versions: [OLD] };
    manager.register(Ticket, undefined, versions);
    expect(given).toHaveLength(5);
  });
});
