import { AbstractExtension } from '../../src/model/declare/extension.js';
import { GVK } from '../../src/model/declare/gvk.js';
import { IndexSpecs, type IndexSpecsBuilder } from '../../src/model/declare/index-spec.js';
import type { DeclareIndexes } from '../../src/model/declare/scheme-builder.js';
import type { ModelOptions, VersionOptions } from '../../src/model/evolve/versions.js';
import type { ResourceRef } from '../../src/service/verbs.js';
import type { TestService } from './store.js';

const NAMES = { group: 'desk.example.com', kind: 'Ticket', plural: 'tickets', singular: 'ticket' };

const STATUS = { type: 'object', properties: { phase: { type: 'string' } } };
const TAGS = { type: 'array', items: { type: 'string' } };

/** The newest version, and usually the one that is stored. */
@GVK({ ...NAMES, version: 'v1' })
export class Ticket extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['title'],
        properties: {
          title: { type: 'string', minLength: 2 },
          priority: { type: 'integer', minimum: 1, maximum: 5, default: 3 },
          place: { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'string' } } },
          tags: TAGS,
        },
      },
      status: STATUS,
    },
  };

  static readonly printerColumns = [{ name: 'Title', jsonPath: '.spec.title', type: 'string' }];

  declare spec: {
    title: string;
    priority?: number;
    place?: { city?: string; zip?: string };
    tags?: string[];
  };
  declare status?: { phase?: string };
}

/** The first version: it has another name for the title, and knows nothing of places but the city. */
@GVK({ ...NAMES, version: 'v1alpha1' })
export class OldTicket extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['subject'],
        properties: {
          subject: { type: 'string', maxLength: 40 },
          urgent: { type: 'boolean', default: false },
          city: { type: 'string' },
          tags: TAGS,
        },
      },
      status: STATUS,
    },
  };

  declare spec: { subject: string; urgent?: boolean; city?: string; tags?: string[] };
  declare status?: { phase?: string };

  shouted(): string {
    return this.spec.subject.toUpperCase();
  }
}

/** A version in between: all of it, by other names. */
@GVK({ ...NAMES, version: 'v1beta1' })
export class MiddleTicket extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['headline'],
        properties: {
          headline: { type: 'string' },
          priority: { type: 'integer' },
          place: { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'string' } } },
          tags: TAGS,
        },
      },
      status: STATUS,
    },
  };

  declare spec: {
    headline: string;
    priority?: number;
    place?: { city?: string; zip?: string };
    tags?: string[];
  };
  declare status?: { phase?: string };
}

/** The errors that the code of a plugin may have; one of these words in a text makes a conversion fail in that way. */
function misbehave(text: string, direction: 'up' | 'down'): unknown {
  const word = new RegExp(`${direction}-(throws|hangs|promise|nothing)`).exec(text)?.[1];
  switch (word) {
    case 'throws':
      throw new Error('no way');
    case 'hangs':
      for (;;);
    case 'promise':
      return Promise.resolve({});
    case 'nothing':
      return null;
    default:
      return undefined;
  }
}

/** Priorities from which on an old ticket is urgent. */
const URGENT = 4;

export const OLD_VERSION: VersionOptions<Ticket, OldTicket> = {
  model: OldTicket,
  deprecated: 'use v1',
  up({ spec, status }) {
    const wrong = misbehave(spec.subject, 'up');
    if (wrong !== undefined) return wrong as object;
    const { subject: title, urgent, city, tags } = spec;
    const place = city === undefined ? undefined : { city };
    return { spec: { title, priority: urgent === true ? 5 : 2, place, tags }, status };
  },
  down({ spec, status }) {
    const wrong = misbehave(spec.title, 'down');
    if (wrong !== undefined) return wrong as object;
    const { title: subject, priority = 3, place, tags } = spec;
    return { spec: { subject, urgent: priority >= URGENT, city: place?.city, tags }, status };
  },
  fields: { 'spec.subject': 'spec.title' },
};

export const MIDDLE_VERSION: VersionOptions<Ticket, MiddleTicket> = {
  model: MiddleTicket,
  up: ({ spec: { headline: title, ...spec }, status }) => ({ spec: { title, ...spec }, status }),
  down: ({ spec: { title: headline, ...spec }, status }) => ({ spec: { headline, ...spec }, status }),
  fields: { 'spec.headline': 'spec.title' },
};

export const VERSIONS: ModelOptions<Ticket> = { versions: [OLD_VERSION, MIDDLE_VERSION] };

export function declareTicketIndexes(specs: IndexSpecsBuilder): void {
  specs
    .add(IndexSpecs.single<Ticket, string>('spec.title', 'string').indexFunc((t) => t.spec.title))
    .add(IndexSpecs.single<Ticket, number>('spec.priority', 'integer').indexFunc((t) => t.spec.priority));
}

export function declareOldTicketIndexes(specs: IndexSpecsBuilder): void {
  specs.add(IndexSpecs.single<OldTicket, string>('spec.subject', 'string').indexFunc((t) => t.spec.subject));
}

export const [TICKET, OLD_TICKET, MIDDLE_TICKET] = ['v1', 'v1alpha1', 'v1beta1'].map((version) => ({
  group: NAMES.group,
  kind: NAMES.kind,
  plural: NAMES.plural,
  version,
})) as [ResourceRef, ResourceRef, ResourceRef];

/** Registers the newest version as the stored one, with the two older ones. */
export function registerTickets({ register }: Pick<TestService, 'register'>): Promise<void> {
  return register(Ticket, declareTicketIndexes, VERSIONS);
}

/** Registers the oldest version alone, as if there were no other yet. */
export function registerOldTickets({ register }: Pick<TestService, 'register'>): Promise<void> {
  return register(OldTicket, declareOldTicketIndexes);
}

const COUNTED_NAMES = { ...NAMES, group: 'example.com' };

/** Tickets of a store's tests, as they were first: with a subject. */
@GVK({ ...COUNTED_NAMES, version: 'v1alpha1' })
export class OldCountedTicket extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['subject'],
        properties: { subject: { type: 'string' }, count: { type: 'integer' } },
      },
      status: { type: 'object' },
    },
  };

  spec!: { subject: string; count?: number };
}

/** Tickets as they are now: the subject is a title, and it is counted how often they were migrated. */
@GVK({ ...COUNTED_NAMES, version: 'v1' })
export class CountedTicket extends AbstractExtension {
  static readonly schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['title'],
        properties: {
          title: { type: 'string', minLength: 1 },
          count: { type: 'integer' },
          channel: { type: 'string', enum: ['mail', 'phone'] },
        },
      },
      status: { type: 'object' },
    },
  };

  spec!: { title: string; count?: number; channel?: string };
}

export const OLD_COUNTED_TICKETS = { ...COUNTED_NAMES, version: 'v1alpha1' } as const;
export const COUNTED_TICKETS = { ...COUNTED_NAMES, version: 'v1' } as const;

export const bySubject: DeclareIndexes = (specs) => {
  specs.add(
    IndexSpecs.single<OldCountedTicket, string>('spec.subject', 'string').indexFunc((t) => t.spec.subject),
  );
};

export const byTitle: DeclareIndexes = (specs) => {
  specs.add(IndexSpecs.single<CountedTicket, string>('spec.title', 'string').indexFunc((t) => t.spec.title));
  specs.add(IndexSpecs.single<CountedTicket, number>('spec.count', 'integer').indexFunc((t) => t.spec.count));
};

export const OLD_COUNTED_VERSION: VersionOptions<CountedTicket, OldCountedTicket> = {
  model: OldCountedTicket,
  up: ({ spec: { subject, ...rest } }) => ({ spec: { title: subject, ...rest } }),
  down: ({ spec: { title, ...rest } }) => ({ spec: { subject: title, ...rest } }),
  fields: { 'spec.subject': 'spec.title' },
};
