import { afterEach, describe, expect, it } from 'vitest';
import {
  BasePlugin,
  RouteBuilder,
  type Controller,
  type ControllerBuilder,
  type CustomEndpoint,
  type PluginContext,
  type Reconciler,
  type RouteSet,
} from '../../src/index.js';
import { eventually, startTestService, type TestService } from '../../src/testing/index.js';
import { declareTicketIndexes, MiddleTicket, OldTicket, Ticket, VERSIONS } from '../helpers/tickets.js';

class DeskPlugin extends BasePlugin {
  override start(): void {
    this.ctx.schemeManager.register(Ticket, declareTicketIndexes, VERSIONS);
  }
}

/** The objects that matchers got, and the names that were reconciled, in a test. */
let seen: { added: unknown[]; updated: unknown[]; deleted: unknown[]; reconciled: string[] };

/** Knows the oldest version alone. */
class OldReconciler implements Reconciler {
  constructor(private readonly ctx: PluginContext) {}

  setupWith(builder: ControllerBuilder): Controller {
    return builder
      .extension(OldTicket)
      .minDelay(5)
      .maxDelay(20)
      .syncAllListOptions({ fieldSelector: ['spec.subject!=ignored'] })
      .onAddMatcher(({ spec }) => seen.added.push(spec.subject) > 0)
      .onUpdateMatcher((now, old) => seen.updated.push([old.spec.subject, now.spec.subject]) > 0)
      .onDeleteMatcher(({ spec }) => seen.deleted.push(spec.subject) > 0)
      .build();
  }

  async reconcile({ name }: { readonly name: string }): Promise<undefined> {
    const ticket = await this.ctx.client.fetch(OldTicket, name);
    if (ticket === undefined) return undefined;
    seen.reconciled.push(ticket.shouted());
    if (ticket.status?.phase !== ticket.spec.subject) {
      ticket.status = { phase: ticket.spec.subject };
      await this.ctx.client.updateStatus(ticket);
    }
    return undefined;
  }
}

class OldEndpoint implements CustomEndpoint {
  constructor(private readonly ctx: PluginContext) {}

  groupVersion(): string {
    return 'api.desk.example.com/v1';
  }

  endpoint(): RouteSet {
    return RouteBuilder.route()
      .GET(
        '/subjects',
        async () => (await this.ctx.client.list(OldTicket)).items.map(({ spec }) => spec.subject),
        (d) => d.operationId('ListSubjects'),
      )
      .build();
  }
}

const desk = { default: DeskPlugin, OldReconciler, OldEndpoint };
const services: TestService[] = [];

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

async function start(): Promise<TestService> {
  seen = { added: [], updated: [], deleted: [], reconciled: [] };
  const service = await startTestService({ plugins: [desk] });
  services.push(service);
  return service;
}

describe('a controller of an older version', () => {
  it('sees objects, their changes and its own writes in that version', async () => {
    const service = await start();
    const place = { city: 'Rome', zip: '1' };
    await service.client.create(Ticket, { metadata: { name: 'a' }, spec: { title: 'One', place } });
    await service.controllersSettled();
    expect(seen.added).toEqual(['One']);
    expect(seen.reconciled).toContain('ONE');
    await service.client.patch(MiddleTicket, 'a', { spec: { headline: 'Two' } });
    await service.controllersSettled();
    expect(seen.updated).toContainEqual(['One', 'Two']);
    const { spec, status } = await service.client.get(Ticket, 'a');
    expect({ spec, status }).toEqual({
      spec: { title: 'Two', priority: 3, place },
      status: { phase: 'Two' },
    });
    await service.client.delete(Ticket, 'a');
    await service.controllersSettled();
    expect(seen.deleted).toEqual(['Two']);
  });

  it('reconciles an object that cannot be converted for its matchers', async () => {
    const service = await start();
    await service.client.create(Ticket, { metadata: { name: 'a' }, spec: { title: 'down-throws' } });
    await service.client.create(Ticket, { metadata: { name: 'b' }, spec: { title: 'Fine' } });
    await eventually(() => Promise.resolve(seen.reconciled.includes('FINE')));
    expect(seen.added).toEqual(['Fine']);
  });
});

describe('a custom endpoint', () => {
  it('must not be where any served version of a model is, whichever comes first', async () => {
    class APlugin extends BasePlugin {}
    class Hidden implements CustomEndpoint {
      groupVersion(): string {
        return 'desk.example.com/v1alpha1';
      }
      endpoint(): RouteSet {
        return RouteBuilder.route()
          .GET(
            '/tickets',
            () => [],
            (d) => d.operationId('ListHidden'),
          )
          .build();
      }
    }
    for (const plugins of [
      [{ default: APlugin, Hidden }, desk],
      [desk, { default: APlugin, Hidden }],
    ])
      await expect(startTestService({ plugins })).rejects.toThrow('/apis/desk.example.com/v1alpha1/tickets');
  });
});

describe('the client of a plugin', () => {
  it('reads and writes by the class of any served version, or by its name', async () => {
    const service = await start();
    const { client } = service;
    const made = await client.create(OldTicket, { metadata: { name: 'a' }, spec: { subject: 'One' } });
    expect(made).toBeInstanceOf(OldTicket);
    expect(made.shouted()).toBe('ONE');
    const middle = { group: 'desk.example.com', version: 'v1beta1', kind: 'Ticket' };
    expect(await client.get(middle, 'a')).toMatchObject({ spec: { headline: 'One', priority: 2 } });
    const [first] = await client.listTop(MiddleTicket, 1, { fieldSelector: ['spec.headline=One'] });
    expect(first).toBeInstanceOf(MiddleTicket);
    made.spec.urgent = true;
    expect((await client.patch(OldTicket, 'a', { spec: { urgent: true } })).spec.urgent).toBe(true);
    const [patched, deleted] = await client.batch([
      { verb: 'patch', model: OldTicket, name: 'a', patch: { spec: { subject: 'Two' } } },
      { verb: 'delete', ...{ apiVersion: 'desk.example.com/v1', kind: 'Ticket', name: 'a' } },
    ]);
    expect(patched).toBeInstanceOf(OldTicket);
    expect(deleted).toMatchObject({ apiVersion: 'desk.example.com/v1', spec: { title: 'Two', priority: 5 } });
    await expect(client.get({ ...middle, version: 'v7' }, 'a')).rejects.toMatchObject({ code: 'NotFound' });
    await client.create(Ticket, { metadata: { name: 'b' }, spec: { title: 'Three' } });
    const answer = await service.fetch('/apis/api.desk.example.com/v1/subjects');
    expect(await answer.json()).toEqual(['Three']);
  });
});
