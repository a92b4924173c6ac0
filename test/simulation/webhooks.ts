import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../src/errors.js';
import { SILENT } from '../../src/lib/log/logger.js';
import type { Scheme } from '../../src/model/declare/scheme.js';
import type { Service } from '../../src/service/service.js';
import { WebhookDeliveries } from '../../src/webhooks/deliveries.js';
import { openWebhookModel } from '../../src/webhooks/model.js';
import { readProgress } from '../../src/webhooks/progress.js';
import type { Outcome, Sent } from '../../src/webhooks/request/sender.js';
import { WEBHOOKS } from '../../src/webhooks/webhook.js';
import { expect } from './expect.js';
import { MODELS, registry } from './models.js';
import type { SimulatedProcess } from './scheduler.js';
import type { Truth } from './truth.js';
import type { Server, World } from './world.js';

const NAME = 'all';
const TIMEOUT_MS = 500;

async function makeScheme(): Promise<Scheme> {
  let made: Scheme | undefined;
  const open = (scheme: Scheme): Promise<void> => {
    made = scheme;
    return Promise.resolve();
  };
  await openWebhookModel({ open }, registry, { secret: Buffer.alloc(32) });
  if (made === undefined) throw new Error('there is no model of webhooks');
  return made;
}

/** The model of webhooks. */
export const WEBHOOK_SCHEME = await makeScheme();

interface Told {
  readonly key: string;
  readonly revision: number;
}

/** The receiver of a webhook, which never fails itself, and the network between it and the processes. */
export class Receiver {
  /** In the order of arrival, with repetitions. */
  readonly told: Told[] = [];
  /** The share of requests, and of answers, that are lost, and that of requests that are refused. */
  #failureRate: number;

  constructor(private readonly world: World) {
    this.#failureRate = world.random.pick([0, 0.02, 0.2]);
  }

  heal(): void {
    this.#failureRate = 0;
  }

  deliveriesOf(process: SimulatedProcess, service: Service): WebhookDeliveries {
    const openSender = () => ({ send: (sent: Sent) => this.#send(process, sent), close: () => undefined });
    return new WebhookDeliveries({ service, logger: SILENT, allowed: [], openSender });
  }

  #send(process: SimulatedProcess, { body, timeoutMs }: Sent): Promise<Outcome> {
    const { client, random } = this.world;
    const delayMs = (): number => random.next() ** 3 * 50;
    const fails = (): boolean => random.chance(this.#failureRate);
    return new Promise((resolve) => {
      const late = process.later(timeoutMs, 'is not answered', () => resolve({ error: 'no answer' }));
      if (fails()) return;
      client.later(delayMs(), 'receives a change', () => {
        const isRefused = fails();
        if (!isRefused) this.told.push(readTold(body));
        if (fails()) return;
        process.later(delayMs(), 'has sent a change', () => {
          process.scheduler.cancel(late);
          resolve({ status: isRefused ? 503 : 204 });
        });
      });
    });
  }
}

function readTold(body: Buffer): Told {
  const { resourceVersion, object } = JSON.parse(body.toString()) as {
    readonly resourceVersion: string;
    readonly object: { readonly kind: string; readonly metadata: { readonly name: string } };
  };
  return { key: `${object.kind}/${object.metadata.name}`, revision: Number(resourceVersion) };
}

/** Creates a webhook that gets all changes. */
export async function createWebhook({ service }: Server): Promise<void> {
  const models = MODELS.map(({ group, kind }) => ({ group, kind }));
  const spec = {
    url: 'https://receiver.example.com/',
    models,
    timeout: `${TIMEOUT_MS}ms`,
    maxAttempts: 1_000,
  };
  await service.create(WEBHOOKS, { metadata: { name: NAME }, spec }).catch((error: unknown) => {
    // By a request that was not answered.
    if (!hasCode(error, 'AlreadyExists')) throw error;
  });
}

/** Waits until everything up to now is delivered. */
export async function untilDelivered(world: World, ask: Ask): Promise<void> {
  const untilMs = world.scheduler.nowMs + 200_000;
  let [revision, isDone] = [0, false];
  await ask(async ({ service }) => void (revision = await service.store.revision()));
  while (!isDone) {
    expect(world.scheduler.nowMs < untilMs, 'a webhook leaves changes', revision);
    await sleep(500);
    await ask(async ({ service }) => {
      const { metadata } = await service.get(WEBHOOKS, NAME);
      const { position = 0 } = (await readProgress(service.store.engine, metadata.uid)) ?? {};
      isDone = position >= revision;
    });
  }
}

type Ask = (work: (server: Server) => Promise<void>) => Promise<void>;

/** Each change was told, and those of one object in the order of revisions. */
export function checkTold({ told }: Receiver, truth: readonly Truth[]): void {
  const changes = truth.filter(({ kind }) => kind !== WEBHOOKS.kind);
  const known = new Map(changes.map(({ revision, kind, name }) => [revision, `${kind}/${name}`]));
  const seen = new Set<number>();
  const newest = new Map<string, number>();
  for (const one of told) {
    const { key, revision } = one;
    expect(known.get(revision) === key, 'a webhook has told a change that is not in the log', one);
    if (seen.has(revision)) continue;
    seen.add(revision);
    expect(revision > (newest.get(key) ?? 0), 'a webhook has told a change after a later one', one);
    newest.set(key, revision);
  }
  for (const change of changes) expect(seen.has(change.revision), 'a webhook has not told a change', change);
}
