import { createHash } from 'node:crypto';
import { badRequest, formatExcerpt, getCauses, getMessage } from '../errors.js';
import type { Clock } from '../lib/time/clock.js';
import { LogLimit } from '../lib/log/log-limit.js';
import { isRace, retryOnConflict } from '../lib/work/retry.js';
import type { Logger } from '../lib/log/logger.js';
import { fullName, isNamespaced } from '../model/full-name.js';
import { getApiVersion } from '../model/resource.js';
import type { Service } from '../service/service.js';
import type { ResourceRef } from '../service/verbs.js';
import { runUnfenced } from '../store/fence.js';
import type { InvolvedObject } from './model.js';
import { EVENT_TYPES, eventNamespace, EVENTS, isEventObject, type EventType } from './names.js';
import { WriteBudget } from './write-budget.js';

/** The object of an event: one that was read from the service, or returned by it. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid?: string; readonly namespace?: string };
}

/** Records events of objects for people: `xsvc describe`, `xsvc get events`. */
export interface Events {
  /**
   * Records an event of an object. It is written a moment later; the same event again increases its count. A thousand
   * events are written at once, then ten a second. While a thousand wait, others are dropped. An event that cannot be
   * written is reported in the log, without an error for the caller. Events are kept for an hour after their last
   * occurrence.
   * @param object as it was read or written
   * @param type `Warning` when a person should check the object
   * @param reason one word in upper camel case for programs, such as `MailSent`, at most 128 characters
   * @param message a sentence for people; text beyond 1,024 characters is cut off
   * @throws ServiceError `BadRequest` for an invalid argument
   */
  record(object: EventSubject, type: EventType, reason: string, message: string): void;
}

export interface RecorderOptions {
  readonly service: Pick<Service, 'create' | 'getMany' | 'update'>;
  /** The model of events. Default: that of a service without the kinds of Kubernetes. */
  readonly model?: ResourceRef;
  readonly clock: Clock;
  readonly logger: Logger;
}

const REASON = /^[A-Za-z][A-Za-z0-9]{0,127}$/;
const MESSAGE_LENGTH_MAX = 1_024;
/** Events within this time are written together, in milliseconds. */
const DELAY_MS = 200;
/** Most different events that wait to be written. */
const WAITING_MAX = 1_000;
const LOG_LINES_PER_MINUTE = 5;

interface GivenEvent {
  readonly object: EventSubject;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

interface Waiting {
  readonly involvedObject: InvolvedObject;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  count: number;
  /** The recorder, for the log. */
  readonly user: string | undefined;
  readonly firstTimestamp: string;
  lastTimestamp: string;
}

/** Writes events, and counts repeated ones. */
export class EventRecorder implements Events {
  /** By the name of the event object. */
  #waiting = new Map<string, Waiting>();
  #forgetTimer: (() => void) | undefined;
  /** Undefined while no write is in progress. */
  #writing: Promise<void> | undefined;
  #isClosed = false;
  readonly #budget: WriteBudget;
  readonly #log: LogLimit;

  constructor(private readonly options: RecorderOptions) {
    this.#budget = new WriteBudget(options.clock);
    this.#log = new LogLimit(options.clock, LOG_LINES_PER_MINUTE);
  }

  record(object: EventSubject, type: EventType, reason: string, message: string): void {
    this.#record({ object, type, reason, message }, undefined);
  }

  /** The same, for one recorder. @param getUser the user of an event that is recorded now, for the log */
  by(getUser: () => string): Events {
    return {
      record: (object, type, reason, message) => this.#record({ object, type, reason, message }, getUser()),
    };
  }

  #record({ object, type, reason, message }: GivenEvent, user: string | undefined): void {
    const involvedObject = getInvolvedObject(object);
    checkArguments(type, reason, message);
    if (this.#isClosed) return;
    const cut = wellFormed(message.slice(0, MESSAGE_LENGTH_MAX));
    const name = eventName([involvedObject, type, reason, cut]);
    const time = new Date(this.options.clock.now()).toISOString();
    const known = this.#waiting.get(name);
    if (known !== undefined) {
      known.count++;
      known.lastTimestamp = time;
      return;
    }
    if (this.#waiting.size >= WAITING_MAX) {
      this.#warn('too many events at once; some are dropped');
      return;
    }
    this.#waiting.set(name, {
      involvedObject,
      type,
      reason,
      message: cut,
      count: 1,
      user,
      firstTimestamp: time,
      lastTimestamp: time,
    });
    this.#flushSoon();
  }

  /** Writes the waiting events. Later events are dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#forgetTimer?.();
    await this.#writing;
    await this.#writeAll(this.#take(WAITING_MAX));
  }

  #flushSoon(): void {
    if (this.#writing !== undefined) return;
    // Events of many callers are written together.
    this.#forgetTimer ??= runUnfenced(() => this.options.clock.setTimer(DELAY_MS, () => this.#flush()));
  }

  /** Writes as many events as the budget allows. One flush at a time: on a slow disk, only a bounded number waits. */
  #flush(): void {
    this.#forgetTimer = undefined;
    const due = this.#take(this.#budget.take(this.#waiting.size));
    this.#writing = this.#writeAll(due).then(() => {
      this.#writing = undefined;
      if (this.#waiting.size > 0 && !this.#isClosed) this.#flushSoon();
    });
  }

  /** Removes and returns the events that have waited longest. */
  #take(count: number): readonly (readonly [string, Waiting])[] {
    const due = [...this.#waiting].slice(0, count);
    for (const [name] of due) this.#waiting.delete(name);
    return due;
  }

  async #writeAll(due: readonly (readonly [string, Waiting])[]): Promise<void> {
    await Promise.all(due.map(([name, event]) => this.#write(name, event)));
  }

  async #write(name: string, event: Waiting): Promise<void> {
    try {
      await retryOnConflict(() => this.#writeOnce(name, event), isRace);
    } catch (error) {
      if (!isOfEndingNamespace(error)) this.#warn(`cannot record events: ${getMessage(error)}`);
    }
  }

  async #writeOnce(name: string, { user, ...event }: Waiting): Promise<void> {
    const { service, model = EVENTS } = this.options;
    const namespace = eventNamespace(event.involvedObject.namespace);
    const metadata = isNamespaced(model) ? { name, namespace } : { name };
    const [stored] = await service.getMany(model, [fullName(model, metadata)]);
    const reporter = user === undefined ? {} : { reportingComponent: user };
    const object = { apiVersion: getApiVersion(model), kind: model.kind, ...event, ...reporter };
    const options = user === undefined ? {} : { user };
    if (stored === undefined) {
      await service.create(model, { ...object, metadata }, options);
      return;
    }
    const { resourceVersion } = stored.metadata;
    const before = stored as unknown as Pick<Waiting, 'count' | 'firstTimestamp'>;
    const { firstTimestamp } = before;
    const count = before.count + event.count;
    await service.update(
      model,
      fullName(model, metadata),
      {
        ...object,
        metadata: { ...metadata, resourceVersion },
        firstTimestamp,
        count,
      },
      options,
    );
  }

  #warn(message: string): void {
    this.#log.write((heldBack) => this.options.logger.warn(message, heldBack > 0 ? { heldBack } : {}));
  }
}

/** The objects of the namespace are being deleted, and their events would be, too. */
function isOfEndingNamespace(error: unknown): boolean {
  return getCauses(error).some(({ reason }) => reason === 'NamespaceTerminating');
}

/** No object of the service has a longer name; `apiVersion` has a group and a version. */
const IDENTITY_LENGTH_MAX = 512;

/** @throws ServiceError `BadRequest` */
function getInvolvedObject(object: unknown): InvolvedObject {
  const { apiVersion, kind, metadata } = (object ?? {}) as Partial<EventSubject>;
  const { name, uid, namespace } = metadata ?? {};
  for (const part of [apiVersion, kind, name, uid]) {
    if (typeof part === 'string' && part !== '' && part.length <= IDENTITY_LENGTH_MAX) continue;
    throw badRequest(
      'an event needs an object of the service, with apiVersion, kind, metadata.name and metadata.uid',
    );
  }
  const involved = { apiVersion, kind, name, uid } as InvolvedObject;
  if (isEventObject(involved)) throw badRequest('an event cannot be about another event');
  return typeof namespace === 'string' && namespace !== '' ? { ...involved, namespace } : involved;
}

function checkArguments(type: unknown, reason: unknown, message: unknown): void {
  if (!EVENT_TYPES.some((known) => known === type)) {
    throw badRequest(`the type of an event must be ${EVENT_TYPES.join(' or ')}, not ${shown(type)}`);
  }
  if (typeof reason !== 'string' || !REASON.test(reason)) {
    throw badRequest(
      `the reason of an event must be one word such as MailSent, at most 128 letters and digits, not ${shown(reason)}`,
    );
  }
  if (typeof message !== 'string') throw badRequest('the message of an event must be a string');
}

/**
 * Formats an argument that is not a valid text. The text of a plugin's object is not read, because that may throw.
 */
function shown(value: unknown): string {
  return typeof value === 'string' ? `"${formatExcerpt(value)}"` : `a value of type ${typeof value}`;
}

/** Replaces halves of surrogate pairs. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

const NAME_PART_MAX = 200;

/** The object name of an event: equal for repeated events. */
function eventName([involved, ...rest]: readonly [InvolvedObject, EventType, string, string]): string {
  const { apiVersion, kind, name, uid } = involved;
  const digest = createHash('sha256').update(JSON.stringify([apiVersion, kind, name, uid, ...rest]));
  // A label of a name must not begin with a hyphen.
  const part = name.slice(0, NAME_PART_MAX).replace(/\.$/, '');
  return `${part}-${digest.digest('hex').slice(0, 16)}`;
}
