import { describe, expect, it } from 'vitest';
import { SchemeRegistry } from '../../src/model/declare/registry.js';
import type { Resource } from '../../src/model/resource.js';
import type { ModelOptions } from '../../src/model/evolve/versions.js';
import { emitTypes } from '../../src/openapi/types/typescript.js';
import { OLD_COUNTED_VERSION, CountedTicket, byTitle } from '../helpers/tickets.js';
import { describeAll, faultsOf, operationsOf, valueOf, type DocumentValue } from './helpers.js';

function resources(options: ModelOptions): Resource[] {
  const registry = new SchemeRegistry();
  registry.register(CountedTicket, 'desk', byTitle, { model: options });
  return registry.schemes().map(({ resource }) => resource);
}

function described(options: ModelOptions): DocumentValue {
  return valueOf(describeAll(resources(options)).aggregated());
}

const OLD = { ...OLD_COUNTED_VERSION, deprecated: 'use v1' } as unknown as NonNullable<
  ModelOptions['versions']
>[number];

describe('the description of a model with several versions', () => {
  it('has operations and schemas for each version, and marks those that people should leave', async () => {
    const document = described({ versions: [OLD] });
    expect(await faultsOf(document)).toEqual([]);
    const operations = operationsOf(document);
    const of = (tag: string): typeof operations => operations.filter(({ tags }) => tags.includes(tag));
    expect(of('TicketV1').map(({ deprecated }) => deprecated)).toEqual(Array(11).fill(undefined));
    expect(of('TicketV1alpha1').map(({ deprecated }) => deprecated)).toEqual(Array(11).fill(true));
    for (const { description } of of('TicketV1alpha1')) expect(description).toMatch(/Deprecated: use v1\.$/);
  });

  it('names the storage version the same, whatever other versions there are', () => {
    const idsOf = (options: ModelOptions): string[] =>
      operationsOf(described(options)).map(({ operationId }) => operationId);
    const alone = idsOf({});
    expect(idsOf({ versions: [OLD] })).toEqual(expect.arrayContaining(alone));
  });

  it('gives the types a mark', () => {
    const text = emitTypes(resources({ versions: [OLD] }));
    expect(text).toContain('"example.com/v1alpha1/Ticket"');
    expect(text).toMatch(/@deprecated use v1\n \*\/\nexport interface TicketV1alpha1/);
  });
});
