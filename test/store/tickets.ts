import { AbstractExtension } from '../../src/model/extension.js';
import { GVK } from '../../src/model/gvk.js';
import { IndexSpecs } from '../../src/model/index-spec.js';
import type { DeclareIndexes } from '../../src/model/scheme-builder.js';
import type { VersionOptions } from '../../src/model/versions.js';

const NAMES = { group: 'example.com', kind: 'Ticket', plural: 'tickets', singular: 'ticket' };

/** Tickets as they were first: with a subject. */
@GVK({ ...NAMES, version: 'v1alpha1' })
export class TicketV1alpha1 extends AbstractExtension {
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
@GVK({ ...NAMES, version: 'v1' })
export class Ticket extends AbstractExtension {
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

export const TICKETS_V1ALPHA1 = { ...NAMES, version: 'v1alpha1' } as const;
export const TICKETS = { ...NAMES, version: 'v1' } as const;

export const bySubject: DeclareIndexes = (specs) => {
  specs.add(
    IndexSpecs.single<TicketV1alpha1, string>('spec.subject', 'string').indexFunc((t) => t.spec.subject),
  );
};

export const byTitle: DeclareIndexes = (specs) => {
  specs.add(IndexSpecs.single<Ticket, string>('spec.title', 'string').indexFunc((t) => t.spec.title));
  specs.add(IndexSpecs.single<Ticket, number>('spec.count', 'integer').indexFunc((t) => t.spec.count));
};

export const OLD_VERSION: VersionOptions<Ticket, TicketV1alpha1> = {
  model: TicketV1alpha1,
  up: ({ spec: { subject, ...rest } }) => ({ spec: { title: subject, ...rest } }),
  down: ({ spec: { title, ...rest } }) => ({ spec: { subject: title, ...rest } }),
  fields: { 'spec.subject': 'spec.title' },
};
