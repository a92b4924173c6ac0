import { badRequest, formatExcerpt } from '../errors.js';
import type { JsonObject } from '../model/object.js';
import { getApiVersion } from '../model/resource.js';
import type { Service } from '../service/service.js';
import { readDeadLetters, replayDeadLetters, type DeadLetterPage } from './dead-letters.js';
import { replayFrom } from './progress.js';
import { WEBHOOKS } from './webhook.js';

/** The changes that a webhook sends again. */
export type Replay = { readonly fromRevision: number } | { readonly deadletters: true };

/** Reads the body of a request. @throws ServiceError `BadRequest` */
export function readReplay({ fromRevision, deadletters }: Readonly<Record<string, unknown>>): Replay {
  if (deadletters === true && fromRevision === undefined) return { deadletters };
  const revision =
    typeof fromRevision === 'string' && /^\d+$/.test(fromRevision) ? Number(fromRevision) : fromRevision;
  const isRevision = typeof revision === 'number' && Number.isSafeInteger(revision) && revision >= 0;
  if (isRevision && (deadletters === undefined || deadletters === false)) return { fromRevision: revision };
  throw badRequest('state either fromRevision, a revision of the store, or deadletters: true');
}

/**
 * Makes a webhook send changes again. The process that leads begins within a second.
 * @throws ServiceError `NotFound`; `Expired` when the log no longer has the changes, `BadRequest` for a future revision
 */
export async function replay(service: Service, name: string, what: Replay): Promise<JsonObject> {
  const { metadata } = await service.get(WEBHOOKS, name);
  const { engine } = service.store;
  const head = { apiVersion: getApiVersion(WEBHOOKS), kind: 'WebhookReplay' };
  if ('deadletters' in what) {
    return { ...head, deadletters: true, count: await replayDeadLetters(engine, metadata.uid) };
  }
  await replayFrom(engine, metadata.uid, what.fromRevision);
  return { ...head, fromRevision: what.fromRevision };
}

/**
 * The changes that a webhook has given up, oldest first.
 * @param token of the page before
 * @throws ServiceError `NotFound`, `BadRequest`
 */
export async function deadLetters(service: Service, name: string, token?: string): Promise<DeadLetterPage> {
  if (token !== undefined && !/^\d{1,15}$/.test(token))
    throw badRequest(`continue: "${formatExcerpt(token)}" is not a token of this list`);
  const { metadata } = await service.get(WEBHOOKS, name);
  return readDeadLetters(service.store.engine, metadata.uid, Number(token ?? 0));
}

/** The same as an answer. */
export async function deadLetterList(service: Service, name: string, token?: string): Promise<JsonObject> {
  const { items, continue: next } = await deadLetters(service, name, token);
  return {
    apiVersion: getApiVersion(WEBHOOKS),
    kind: 'DeadLetterList',
    metadata: next === undefined ? {} : { continue: next },
    items: items.map((letter) => ({ ...letter })),
  };
}
