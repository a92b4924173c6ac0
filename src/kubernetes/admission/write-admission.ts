import { unavailable } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import { isReservedGroup } from '../../model/names-and-labels.js';
import { qualifiedPlural, type Resource } from '../../model/resource.js';
import type { Service } from '../../service/service.js';
import type {
  Mutation,
  UnpreparedWrite,
  ReviewedWrite,
  Reviewers,
} from '../../service/write/review/reviewers.js';
import type { WebhookClient } from '../webhooks/webhook-client.js';
import { Attributes, versionsOf } from './attributes.js';
import { webhooksOf, type AdmissionWebhook, type WebhookConfiguration } from './configuration.js';
import { ADMISSION_GROUP, ADMISSION_KINDS } from './kinds.js';
import { findRuled, type RuleTarget } from './matching.js';
import type { AdmissionPolicy, PolicyBinding } from './policies/policy.js';
import { Policies } from './policies/policies.js';
import { StoredConfigurations } from './stored-configurations.js';
import { WebhookCalls } from './webhooks.js';

export interface WriteAdmissionOptions {
  readonly service: Service;
  readonly logger: Logger;
  readonly resourceOf: (kind: string) => Resource;
  /** Undefined: writes that somebody would have to be asked about are refused. */
  readonly client: WebhookClient | undefined;
}

/** Asks about writes what the stored configurations say. */
export class WriteAdmission implements Reviewers {
  readonly #configurations: StoredConfigurations;
  readonly #calls: WebhookCalls | undefined;
  readonly #policies: Policies;
  #mutating: readonly AdmissionWebhook[] = [];
  #validating: readonly AdmissionWebhook[] = [];
  /** By webhook, as {@link webhooksOf} names it. */
  #endings = new Map<string, AbortController>();

  constructor(private readonly options: WriteAdmissionOptions) {
    const { service, logger, client, resourceOf } = options;
    this.#calls = client && new WebhookCalls(client, logger);
    this.#policies = new Policies(service);
    this.#configurations = new StoredConfigurations({
      service,
      logger,
      resources: ADMISSION_KINDS.map(({ kind }) => resourceOf(kind)),
      onChange: ([mutating = [], policies = [], bindings = [], validating = []]) => {
        this.#replaceWebhooks(mutating, validating);
        this.#policies.replace(policies as readonly AdmissionPolicy[], bindings as readonly PolicyBinding[]);
      },
    });
  }

  async start(): Promise<void> {
    const { service } = this.options;
    service.beforeClose(() => this.#configurations.stop());
    await this.#configurations.start();
    service.reviewWrites(this);
  }

  #replaceWebhooks(
    mutatingConfigurations: readonly WebhookConfiguration[],
    validatingConfigurations: readonly WebhookConfiguration[],
  ): void {
    const oldEndings = this.#endings;
    const endings = new Map<string, AbortController>();
    const signalOf = (webhook: string): AbortSignal => {
      const ending = oldEndings.get(webhook) ?? new AbortController();
      endings.set(webhook, ending);
      return ending.signal;
    };
    this.#mutating = webhooksOf(mutatingConfigurations, signalOf);
    this.#validating = webhooksOf(validatingConfigurations, signalOf);
    this.#endings = endings;
    for (const [webhook, ending] of oldEndings)
      if (!endings.has(webhook)) ending.abort(new Error('its configuration was deleted or changed'));
  }

  concerns(write: UnpreparedWrite): boolean {
    const isNobody = this.#mutating.length + this.#validating.length === 0 && this.#policies.isEmpty;
    if (isNobody || isExempt(write.resource)) return false;
    const target = { ...write, findVersions: () => versionsOf(this.options.service, write.resource) };
    return this.#mustAsk(target) || this.#policies.concern(target);
  }

  mutate(write: ReviewedWrite): Promise<Mutation> {
    const attributes = this.#attributesOf(write);
    return this.#calls === undefined
      ? Promise.resolve({ object: undefined, warnings: [] })
      : this.#calls.mutate(this.#mutating, attributes);
  }

  async validate(write: ReviewedWrite): Promise<readonly string[]> {
    const attributes = this.#attributesOf(write);
    const warnings = await this.#policies.validate(attributes);
    return [...warnings, ...((await this.#calls?.validate(this.#validating, attributes)) ?? [])];
  }

  #mustAsk(target: RuleTarget): boolean {
    return [...this.#mutating, ...this.#validating].some(
      ({ rules, matchPolicy }) => findRuled(rules, target, matchPolicy) !== undefined,
    );
  }

  /** @throws ServiceError `ServiceUnavailable` when webhooks must be asked, and cannot */
  #attributesOf(write: ReviewedWrite): Attributes {
    const attributes = new Attributes(this.options.service, write);
    if (this.#calls !== undefined || !this.#mustAsk(attributes.target)) return attributes;
    throw unavailable(
      `admission webhooks must be asked about writes of ${qualifiedPlural(write.model.resource)}, and only a running daemon asks them; ` +
        'start it with "xsvc serve" and use --server',
    );
  }
}

/** Configurations of the service and of admission itself, so that a broken webhook can be removed. */
function isExempt({ group, storedGroup = group }: Pick<Resource, 'group' | 'storedGroup'>): boolean {
  return group === ADMISSION_GROUP || (storedGroup !== '' && isReservedGroup(storedGroup));
}
