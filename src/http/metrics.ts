import type { Express } from 'express';
import type { Registry } from 'prom-client';
import type { ControllerReports } from './controllers.js';
import { addGet } from './get-route.js';
import type { Service } from '../service/service.js';
import type { LogHead } from '../store/log.js';

export interface MetricsSources {
  readonly service: Service;
  readonly controllers: Pick<ControllerReports, 'queueDepths'> | undefined;
  /** Requests since the start, by method. */
  readonly requests: ReadonlyMap<string, number>;
}

/**
 * `GET /metrics` in Prometheus' text format. Everything is read when it is asked for: nothing is counted on the way
 * of a request but the request itself.
 */
export function addMetrics(app: Express, sources: MetricsSources): void {
  let registry: Promise<Registry> | undefined;
  addGet(app, '/metrics', async (_req, res) => {
    registry ??= createRegistry(sources);
    const known = await registry;
    res.type(known.contentType).send(await known.metrics());
  });
}

async function createRegistry({ service, controllers, requests }: MetricsSources): Promise<Registry> {
  const { Counter, Gauge, Registry: Empty, collectDefaultMetrics } = await import('prom-client');
  const registry = new Empty();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const { store, models, hub } = service.context;

  new Counter({
    name: 'xsvc_http_requests_total',
    help: 'Requests, by method',
    labelNames: ['method'],
    registers,
    collect() {
      this.reset();
      for (const [method, count] of requests) this.inc({ method }, count);
    },
  });
  new Gauge({
    name: 'xsvc_objects',
    help: 'Stored objects, by model',
    labelNames: ['group', 'version', 'kind'],
    registers,
    async collect() {
      this.reset();
      const view = store.read();
      try {
        for (const { group, version, kind } of models.list()) {
          const table = store.findTable({ group, version, kind });
          if (table !== undefined) this.set({ group, version, kind }, (await view.count(table)).objects);
        }
      } finally {
        view.close();
      }
    },
  });
  const logHead = async (): Promise<LogHead> => {
    const view = store.read();
    try {
      return await view.logHead();
    } finally {
      view.close();
    }
  };
  new Gauge({
    name: 'xsvc_store_revision',
    help: 'Revision of the last change',
    registers,
    async collect() {
      this.set((await logHead()).revision);
    },
  });
  new Gauge({
    name: 'xsvc_log_entries',
    help: 'Changes that the log keeps',
    registers,
    async collect() {
      this.set((await logHead()).entries);
    },
  });
  new Gauge({
    name: 'xsvc_watchers',
    help: 'Watches and controllers that follow the changes',
    registers,
    collect() {
      this.set(hub.subscribers);
    },
  });
  new Gauge({
    name: 'xsvc_controller_queue_depth',
    help: 'Names that are to be reconciled as soon as a worker is free, by controller',
    labelNames: ['controller'],
    registers,
    collect() {
      this.reset();
      for (const [controller, depth] of controllers?.queueDepths() ?? []) this.set({ controller }, depth);
    },
  });
  return registry;
}
