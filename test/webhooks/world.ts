import { expect } from 'vitest';
import { SILENT } from '../../src/lib/log/logger.js';
import { subnets } from '../../src/lib/parse-value.js';
import { WebhookDeliveries } from '../../src/webhooks/deliveries.js';
import { openWebhookModel } from '../../src/webhooks/model.js';
import { WEBHOOKS, type Webhook, type WebhookStatus } from '../../src/webhooks/webhook.js';
import type { Engine } from '../../src/store/engine.js';
import type { Fence } from '../../src/store/fence.js';
import { PERSON, registerModels } from '../helpers/models.js';
import { openTestService, type TestService } from '../helpers/store.js';

const NO_FENCE: Fence = { token: 1, guard: () => undefined };

/** A service with webhooks and persons, whose deliveries can be started and stopped. */
export interface World extends TestService {
  readonly deliveries: WebhookDeliveries;
  /** Begins to deliver. @param allowed default: loopback. @param fence default: one that holds nothing back */
  deliver(allowed?: readonly string[], fence?: Fence): void;
  /** Ends the deliveries. */
  halt(): Promise<void>;
  webhook(name: string, spec: Record<string, unknown>): Promise<Webhook>;
  status(name: string): Promise<WebhookStatus>;
  person(
    name: string,
    spec?: object,
    labels?: Record<string, string>,
    annotations?: Record<string, string>,
  ): Promise<number>;
}

/** @param engine default: the one of tests, in a new directory */
export async function openWorld(engine?: Engine): Promise<World> {
  const t = await openTestService(undefined, {}, engine === undefined ? {} : { engine });
  await registerModels(t);
  await openWebhookModel(t.service.models, t.registry, t.store);
  let halt = (): Promise<void> => Promise.resolve();
  const { service } = t;
  let deliveries = new WebhookDeliveries({ service, logger: SILENT, allowed: [] });
  return {
    ...t,
    get deliveries() {
      return deliveries;
    },
    deliver(allowed = ['127.0.0.0/8'], fence = NO_FENCE) {
      const ending = new AbortController();
      deliveries = new WebhookDeliveries({ service, logger: SILENT, allowed: subnets(allowed) });
      const running = deliveries.lead(fence, ending.signal);
      halt = () => {
        ending.abort();
        return running;
      };
    },
    halt: () => halt(),
    async webhook(name, spec) {
      const models = [{ group: 'demo.example.com', kind: 'Person' }];
      return (await service.create(WEBHOOKS, { metadata: { name }, spec: { models, ...spec } }))
        .object as Webhook;
    },
    async status(name) {
      const { status } = (await service.get(WEBHOOKS, name)) as Webhook;
      return status ?? { position: 0, pending: 0, delivered: 0, failed: 0 };
    },
    async person(name, spec = {}, labels = {}, annotations = {}) {
      const { object } = await service.create(PERSON, { metadata: { name, labels, annotations }, spec });
      return Number(object.metadata.resourceVersion);
    },
    async close() {
      await halt();
      expect(await t.check()).toEqual([]);
      await t.close();
    },
  };
}
