import type { Metadata } from '../../model/object.js';
import type { WebhookClientConfig } from '../webhooks/webhook-client.js';
import { compileConditions, type Conditions, type MatchCondition } from './conditions.js';

/** Writes that somebody is asked about; `*` stands for all. */
export interface OperationRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  /** `things`, `things/status`, and with a star for all things. */
  readonly resources?: readonly string[];
  readonly scope?: string;
  /** Only in policies. Absent or empty: all names. */
  readonly resourceNames?: readonly string[];
}

/** Settings that decide whether somebody is asked about a write. */
export interface MatchSettings {
  readonly matchPolicy?: string;
  readonly namespaceSelector?: object;
  readonly objectSelector?: object;
}

/** A webhook of a configuration, as stored. */
export interface WebhookEntry extends MatchSettings {
  readonly name?: string;
  readonly clientConfig?: WebhookClientConfig;
  readonly rules?: readonly OperationRule[];
  readonly failurePolicy?: string;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: string;
}

/** A configuration of mutating or of validating webhooks. */
export interface WebhookConfiguration {
  readonly metadata: Metadata;
  readonly webhooks?: readonly WebhookEntry[];
}

/** A webhook that is asked about writes. */
export interface AdmissionWebhook extends MatchSettings {
  readonly name: string;
  readonly client: WebhookClientConfig;
  readonly rules: readonly OperationRule[];
  readonly conditions: Conditions;
  /** True when writes go on although it cannot be asked. */
  readonly isIgnored: boolean;
  readonly isRepeated: boolean;
  readonly timeoutMs: number;
  /** Ends the calls to it, when its configuration is deleted or gives it another address. */
  readonly signal: AbortSignal;
}

/**
 * The webhooks of configurations, in the order in which they are asked.
 * @param signalOf returns the same signal for the same webhook
 */
export function webhooksOf(
  configurations: readonly WebhookConfiguration[],
  signalOf: (webhook: string) => AbortSignal,
): readonly AdmissionWebhook[] {
  return [...configurations]
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap(({ metadata: { uid }, webhooks = [] }) => webhooks.map((webhook) => ({ uid, ...webhook })))
    .map(({ uid, name = '', clientConfig = {}, rules = [], matchConditions = [], ...entry }) => ({
      name,
      client: clientConfig,
      rules,
      conditions: compileConditions(matchConditions),
      matchPolicy: entry.matchPolicy ?? 'Equivalent',
      namespaceSelector: entry.namespaceSelector ?? {},
      objectSelector: entry.objectSelector ?? {},
      isIgnored: entry.failurePolicy === 'Ignore',
      isRepeated: entry.reinvocationPolicy === 'IfNeeded',
      timeoutMs: (entry.timeoutSeconds ?? 10) * 1_000,
      signal: signalOf(JSON.stringify([uid, name, clientConfig.url, clientConfig.service])),
    }));
}
