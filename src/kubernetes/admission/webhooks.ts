import { getMessage, ServiceError, type ErrorDetails } from '../../errors.js';
import { applyJsonPatch } from '../../lib/json/json-patch.js';
import { deepEqual, isRecord } from '../../lib/json/json.js';
import { qualifiedPlural } from '../../model/resource.js';
import type { JsonObject } from '../../model/object.js';
import type { Logger } from '../../lib/log/logger.js';
import type { Mutation, ReviewedObject } from '../../service/write/review/reviewers.js';
import { WebhookCallError, type WebhookClient } from '../webhooks/webhook-client.js';
import { readAnswer, UnusableAnswer, type AdmissionAnswer } from './answer.js';
import type { Attributes, ShownWrite } from './attributes.js';
import { TooExpensive } from '../../lib/work/allowance.js';
import { valuesOf } from './conditions.js';
import type { AdmissionWebhook } from './configuration.js';
import { findRuled, isSelected } from './matching.js';

const REVIEW = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };

/** Asks webhooks about writes. */
export class WebhookCalls {
  constructor(
    private readonly client: Pick<WebhookClient, 'post'>,
    private readonly logger: Logger,
  ) {}

  /**
   * Asks mutating webhooks one after another. Those that want it are asked once more when a later one has changed the object.
   * @throws ServiceError
   */
  async mutate(webhooks: readonly AdmissionWebhook[], given: Attributes): Promise<Mutation> {
    const warnings: string[] = [];
    const asked = new Set<AdmissionWebhook>();
    const due = new Set<AdmissionWebhook>();
    let attributes = given;
    const ask = async (webhook: AdmissionWebhook): Promise<void> => {
      const shown = await findShown(webhook, attributes);
      const answer = shown && (await this.#ask(webhook, shown, true));
      if (shown === undefined) return;
      warnings.push(...(answer?.warnings ?? []));
      const patched = answer?.patch === undefined ? undefined : patch(webhook, shown, answer.patch);
      if (patched !== undefined && !deepEqual(patched, shown.variables.object)) {
        attributes = attributes.with(await attributes.inOwnVersion(patched));
        for (const one of asked) due.add(one);
      }
      if (webhook.isRepeated) asked.add(webhook);
    };
    for (const webhook of webhooks) await ask(webhook);
    for (const webhook of webhooks) if (due.has(webhook)) await ask(webhook);
    return { object: attributes === given ? undefined : attributes.object, warnings };
  }

  /**
   * Asks validating webhooks at the same time.
   * @returns warnings
   * @throws ServiceError of the first one that refuses
   */
  async validate(webhooks: readonly AdmissionWebhook[], attributes: Attributes): Promise<readonly string[]> {
    const answers = await Promise.allSettled(
      webhooks.map(async (webhook) => {
        const shown = await findShown(webhook, attributes);
        return shown && this.#ask(webhook, shown, false);
      }),
    );
    return answers.flatMap((answer) => {
      if (answer.status === 'rejected') throw answer.reason;
      return answer.value?.warnings ?? [];
    });
  }

  /** @returns undefined when the webhook cannot be asked, and its configuration says that this does not matter */
  async #ask(
    { name, client, timeoutMs, signal, isIgnored }: AdmissionWebhook,
    { variables, details }: ShownWrite,
    isMutating: boolean,
  ): Promise<AdmissionAnswer | undefined> {
    const { request, object, oldObject } = variables;
    try {
      const review = { ...REVIEW, request: { ...request, object, oldObject } } as JsonObject;
      const answer = await this.client.post(client, review, { timeoutMs, signal }).catch((error: unknown) => {
        throw error instanceof WebhookCallError
          ? new UnusableAnswer(`failed to call webhook: ${error.message}`)
          : error;
      });
      return readAnswer(answer, { name, uid: request.uid, isMutating, details });
    } catch (error) {
      if (!(error instanceof UnusableAnswer)) throw error;
      const message = `failed calling webhook "${name}": ${error.message}`;
      if (!isIgnored) throw internal(message, details);
      this.logger.warn(`${message}; the write goes on, because its failurePolicy is Ignore`);
      return undefined;
    }
  }
}

/** The write in the version that the webhook wants; undefined when it is not to be asked. */
async function findShown(webhook: AdmissionWebhook, attributes: Attributes): Promise<ShownWrite | undefined> {
  const resource = findRuled(webhook.rules, attributes.target, webhook.matchPolicy);
  if (resource === undefined || !(await isSelected(webhook, attributes))) return undefined;
  const own = await attributes.shownIn(attributes.target.resource);
  try {
    if (!webhook.conditions(valuesOf(own.variables), attributes.write.allowance)) return undefined;
  } catch (error) {
    if (error instanceof TooExpensive) throw error.in(`in webhook "${webhook.name}"`);
    if (webhook.isIgnored) return undefined;
    const { model, name } = attributes.write;
    const subject = `${qualifiedPlural(model.resource)} "${name}"`;
    throw new ServiceError('Forbidden', `${subject} is forbidden: ${getMessage(error)}`, own.details);
  }
  return resource === attributes.target.resource ? own : attributes.shownIn(resource);
}

/** @throws ServiceError `InternalError` for a patch that cannot be applied */
function patch(
  { name }: AdmissionWebhook,
  { variables, details }: ShownWrite,
  operations: unknown,
): ReviewedObject {
  const { object } = variables;
  if (object === null)
    throw internal(
      `admission webhook "${name}" attempted to modify the object, which is not supported for this operation`,
      details,
    );
  try {
    const patched = applyJsonPatch(object, operations);
    if (!isRecord(patched)) throw new Error('the result is no object');
    for (const field of ['apiVersion', 'kind'])
      if (patched[field] !== object[field]) throw new Error(`it must leave ${field} as it is`);
    return patched;
  } catch (error) {
    throw internal(
      `the patch of the admission webhook "${name}" cannot be applied: ${getMessage(error)}`,
      details,
    );
  }
}

/** Clients see the messages of errors about an object only. */
function internal(message: string, details: ErrorDetails): ServiceError {
  return new ServiceError('InternalError', `Internal error occurred: ${message}`, details);
}
