import { LogLimit } from '../lib/log/log-limit.js';
import type { Logger } from '../lib/log/logger.js';
import type { Subnet } from '../lib/parse-value.js';
import { SYSTEM_CLOCK } from '../lib/time/clock.js';
import { workAfterChanges } from '../lib/work/after-changes.js';
import { getMessage } from '../errors.js';
import { WEBHOOK_SENDER } from '../model/system-users.js';
import type { Service } from '../service/service.js';
import { runFenced, type Fence } from '../store/fence.js';
import { AddressGuard } from './request/addresses.js';
import { BodyMemory } from '../lib/work/body-memory.js';
import { Courier, type CourierOptions, type AttemptResult } from './courier.js';
import { Credentials } from './credentials.js';
import { beginProgress, forgetRemoved } from './known-webhooks.js';
import { readProgress, type DeliveryProgress } from './progress.js';
import { Sender } from './request/sender.js';
import { STATUS_MS, StatusWriter } from './status-writer.js';
import { WEBHOOKS, type Webhook } from './webhook.js';

export interface DeliveriesOptions {
  readonly service: Service;
  readonly logger: Logger;
  /** Addresses within the network of the service that may be used. */
  readonly allowed: readonly Subnet[];
  /** Default: over HTTP, to the addresses that may be used. */
  readonly openSender?: () => OpenSender;
}

/** Bytes of bodies of all webhooks; see {@link CourierOptions}. */
const FIRST_BYTES_MAX = 8 * 1024 * 1024;
const AGAIN_BYTES_MAX = 16 * 1024 * 1024;

type OpenSender = Pick<Sender, 'send' | 'close'>;

/** A webhook with the process of its deliveries. */
interface Sending {
  readonly webhook: Webhook;
  readonly courier: Courier;
  readonly ended: Promise<void>;
}

/** Sends the changes of all webhooks, in the process that leads. */
export class WebhookDeliveries {
  /** By uid. */
  readonly #sending = new Map<string, Sending>();
  /** Attempts by the name of the webhook and the result. */
  readonly #attempts = new Map<string, Map<AttemptResult, number>>();
  readonly #memory: CourierOptions['memory'] = {
    firstReads: new BodyMemory(FIRST_BYTES_MAX),
    rereads: new BodyMemory(AGAIN_BYTES_MAX),
  };
  readonly #statuses: StatusWriter;
  readonly #credentials: Credentials;
  readonly #log = new LogLimit(SYSTEM_CLOCK, 1);

  constructor(private readonly options: DeliveriesOptions) {
    this.#credentials = new Credentials(options.service.store.secret);
    this.#statuses = new StatusWriter(options.service);
  }

  /** Sends until the signal is aborted; never throws. */
  async lead(fence: Fence, signal: AbortSignal): Promise<void> {
    const { service, logger, allowed } = this.options;
    const { openSender = () => new Sender(new AddressGuard(allowed)) } = this.options;
    const sender = openSender();
    const follow = { store: service.store, logger, signal };
    await workAfterChanges(
      { ...follow, purpose: 'send changes to webhooks', getRestMs: () => STATUS_MS, gatherMs: 100 },
      () => this.#work(fence, sender),
    );
    await Promise.all([...this.#sending.keys()].map((uid) => this.#end(uid)));
    sender.close();
  }

  /** The revision up to which no enabled webhook needs the log; undefined when all need nothing. */
  async neededAfter(): Promise<number | undefined> {
    let least: number | undefined;
    for (const webhook of await this.#readAll()) {
      if (!isSent(webhook)) continue;
      const progress = await readProgress(this.options.service.store.engine, webhook.metadata.uid);
      least = Math.min(least ?? Infinity, progress?.position ?? 0);
    }
    return least;
  }

  /** Attempts since the start of this process, and pending deliveries. */
  measures(): readonly WebhookMeasures[] {
    const pending = new Map(
      [...this.#sending.values()].map(({ webhook, courier }) => [webhook.metadata.name, courier.pending]),
    );
    const names = new Set([...this.#attempts.keys(), ...pending.keys()]);
    return [...names].map((name) => ({
      name,
      pending: pending.get(name),
      attempts: this.#attempts.get(name) ?? new Map<AttemptResult, number>(),
    }));
  }

  async #readAll(): Promise<readonly Webhook[]> {
    const webhooks: Webhook[] = [];
    for await (const object of this.options.service.listAll(WEBHOOKS)) webhooks.push(object as Webhook);
    return webhooks;
  }

  async #work(fence: Fence, sender: OpenSender): Promise<void> {
    const webhooks = await this.#readAll();
    const byUid = new Map(webhooks.map((webhook) => [webhook.metadata.uid, webhook]));
    for (const [uid, sending] of [...this.#sending]) await this.#update(fence, sending, byUid.get(uid));
    await forgetRemoved(this.options.service.store, fence, new Set(byUid.keys()));
    for (const webhook of webhooks) {
      const { uid, name } = webhook.metadata;
      try {
        if (isSent(webhook) && !this.#sending.has(uid)) await this.#begin(fence, sender, webhook);
        await this.#statuses.write(fence, webhook, await this.#progressOf(uid));
      } catch (error) {
        this.#log.write(() =>
          this.options.logger.warn(`cannot serve the webhook ${name}: ${getMessage(error)}`),
        );
      }
    }
  }

  /** @param now undefined when the webhook is gone */
  async #update(fence: Fence, { webhook, courier }: Sending, now: Webhook | undefined): Promise<void> {
    const isSame =
      now !== undefined && isSent(now) && now.metadata.generation === webhook.metadata.generation;
    if (isSame && courier.state === 'gone') await this.#disable(fence, now);
    else if (!isSame || courier.state === 'moved') await this.#end(webhook.metadata.uid, now === undefined);
  }

  async #begin(fence: Fence, sender: OpenSender, webhook: Webhook): Promise<void> {
    const { service } = this.options;
    const { name, uid } = webhook.metadata;
    const { credentials } = webhook.spec;
    // Earlier releases sealed them for the name.
    const open = (text: string) => this.#credentials.open(uid, text) ?? this.#credentials.open(name, text);
    const secrets = credentials === undefined ? { headers: {} } : open(credentials);
    if (secrets === undefined) throw new Error(`the credentials of the webhook ${name} are of another store`);
    const progress = await beginProgress(service, fence, webhook);
    const attempts = this.#attempts.get(name) ?? new Map<AttemptResult, number>();
    this.#attempts.set(name, attempts);
    const onAttempt = (result: AttemptResult): void => {
      attempts.set(result, (attempts.get(result) ?? 0) + 1);
    };
    const courier = new Courier({
      store: service.store,
      fence,
      sender,
      memory: this.#memory,
      webhook,
      secrets,
      progress,
      onAttempt,
    });
    this.#sending.set(uid, { webhook, courier, ended: courier.run() });
  }

  async #end(uid: string, isGone = false): Promise<void> {
    const sending = this.#sending.get(uid);
    sending?.courier.stop(isGone);
    await sending?.ended;
    this.#sending.delete(uid);
  }

  /** The receiver wants nothing more. The change of the webhook ends the deliveries. */
  async #disable(fence: Fence, { metadata }: Webhook): Promise<void> {
    const { service, logger } = this.options;
    const asRead = { user: WEBHOOK_SENDER, ifMatch: [metadata.resourceVersion] };
    await runFenced(fence, () =>
      service.patch(WEBHOOKS, metadata.name, { spec: { enabled: false } }, 'merge', asRead),
    );
    logger.warn(`the webhook ${metadata.name} was disabled: its receiver answered 410`);
  }

  async #progressOf(uid: string): Promise<DeliveryProgress | undefined> {
    const sending = this.#sending.get(uid);
    return sending?.courier.progress ?? (await readProgress(this.options.service.store.engine, uid));
  }
}

export interface WebhookMeasures {
  readonly name: string;
  /** Undefined while it is disabled. */
  readonly pending: number | undefined;
  readonly attempts: ReadonlyMap<AttemptResult, number>;
}

function isSent({ metadata, spec }: Webhook): boolean {
  return spec.enabled && metadata.deletionTimestamp === undefined;
}
