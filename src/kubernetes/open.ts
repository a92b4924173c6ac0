import { dropEarlierEvents } from '../events/earlier-events.js';
import type { ModelPlan } from '../lifecycle/model-plan.js';
import type { Logger } from '../lib/log/logger.js';
import type { SchemeRegistry } from '../model/declare/registry.js';
import type { JsonObject } from '../model/object.js';
import { PLATFORM, type Scheme } from '../model/declare/scheme.js';
import { ADMIT_ALL, type CheckedWrite } from '../owners/writer.js';
import type { Service } from '../service/service.js';
import { workAfterChanges } from '../lib/work/after-changes.js';
import { WriteAdmission } from './admission/write-admission.js';
import { Attempts } from './attempts.js';
import { CORE_KINDS } from './core-kinds.js';
import type { Definition } from './crd/definition.js';
import {
  CONDITIONS_INDEX,
  definitionCheck,
  isTrue,
  statusOf,
  type DefinitionCheckOptions,
} from './crd/definition-check.js';
import { refuseIndexFaults } from './crd/index-faults.js';
import { DefinitionWork } from './crd/definition-work.js';
import { modelOf } from './crd/model.js';
import { planDefinition } from './crd/plan.js';
import { ownerOf, ServedDefinitions } from './crd/served-definitions.js';
import { openApiService } from './inert/api-service.js';
import { openDefaultRoles } from './inert/default-roles.js';
import { FULL_KINDS } from './inert/kinds.js';
import { FULL_RULES } from './inert/rules.js';
import { expireEvents } from './kinds/event-expiry.js';
import { modelOfKind, withDefaults } from './kinds/model.js';
import { NamespaceContent } from './kinds/namespace-content.js';
import { openNamespaces } from './kinds/namespaces.js';
import { KIND_RULES } from './kinds/rules.js';
import type { ServiceUrls } from './webhooks/service-urls.js';
import { WebhookClient } from './webhooks/webhook-client.js';

export interface KubernetesOptions {
  readonly service: Service;
  readonly registry: SchemeRegistry;
  readonly logger: Logger;
  /** Default: `on`. */
  readonly kinds?: ServedKinds;
  /** Default: none has an address. */
  readonly serviceUrls?: ServiceUrls;
  /** False: writes that admission webhooks would be asked about are refused. Default: true. */
  readonly asksWebhooks?: boolean;
}

/** All kinds, or only those that operators cannot do without. */
export type ServedKinds = 'on' | 'full';

/** The kinds that are served. */
export interface Kubernetes {
  /**
   * The work of the process that leads. Ends when the signal is aborted; never throws.
   * @param write runs the writes
   */
  readonly lead: (write: CheckedWrite, signal: AbortSignal) => Promise<void>;
  /** Does the work of {@link lead} that is possible now, for a store that no process leads. */
  readonly finish: () => Promise<void>;
  /** Deletes what has expired. */
  readonly sweep: () => Promise<void>;
  /** See {@link planDefinition}. */
  readonly plan: (definition: JsonObject, signal: AbortSignal) => Promise<ModelPlan>;
}

/**
 * Serves the kinds of Kubernetes, and the kinds of the stored definitions. They end with the service.
 * @throws ServiceError when the models cannot be opened
 */
export async function openKubernetes({
  service,
  registry,
  logger,
  kinds = 'on',
  serviceUrls = new Map(),
  asksWebhooks = true,
}: KubernetesOptions): Promise<Kubernetes> {
  const schemes = registerKinds(registry, kinds, {
    findTaken: (definition) => definitions.findTaken(definition),
    now: () => service.now(),
  });
  await Promise.all([...schemes.values()].map((scheme) => service.models.open(scheme)));
  const resourceOf = (kind: string) => getScheme(schemes, kind).resource;
  const namespaces = resourceOf('Namespace');
  const resource = resourceOf('CustomResourceDefinition');
  const webhooks = new WebhookClient({ serviceUrls });
  const means = { webhooks, cacheBudget: service.cacheBudget };
  const definitions = new ServedDefinitions({ service, registry, logger, resource, means });
  service.beforeWrites(resource, (definition) => refuseIndexFaults(service.models, definition, means));
  service.beforeClose(() => definitions.stop());
  service.beforeClose(() => {
    webhooks.close();
    return Promise.resolve();
  });
  await definitions.start();
  await openNamespaces(service, { namespaces, serviceAccounts: resourceOf('ServiceAccount') });
  if (kinds === 'full') {
    await openDefaultRoles(service, resourceOf('ClusterRole'));
    await openApiService(service, resourceOf('Service'));
    const client = asksWebhooks ? webhooks : undefined;
    await new WriteAdmission({ service, logger, resourceOf, client }).start();
  }
  const content = new NamespaceContent({ service, namespaces });
  return {
    lead: async (admit, signal) => {
      const work = new DefinitionWork({ service, resource, signal, admit });
      const follow = { store: service.store, logger, signal };
      await Promise.all([
        workAfterChanges({ ...follow, purpose: 'delete the content of namespaces' }, () =>
          content.finishAll(admit, signal),
        ),
        workAfterChanges({ ...follow, purpose: 'do the work on definitions' }, () => work.run()),
      ]);
    },
    finish: async () => {
      const { signal } = new AbortController();
      const definitionWork = new DefinitionWork({ service, resource, signal, admit: ADMIT_ALL });
      const attempts = new Attempts();
      await attempts.run(() => content.finishAll(ADMIT_ALL, signal));
      await attempts.run(() => definitionWork.run());
      attempts.end();
    },
    sweep: async () => {
      await expireEvents(service, resourceOf('Event'));
      await dropEarlierEvents(service.models.lifecycle);
    },
    plan: (definition, signal) => planDefinition({ models: service.models, means, signal }, definition),
  };
}

/** For checks of stored definitions, which decide nothing. */
const STORED: DefinitionCheckOptions = {
  findTaken: () => ({ resources: new Set(), kinds: new Set() }),
  now: () => new Date(),
};

/**
 * Registers the stored kinds without serving them.
 * @returns their schemes, by kind
 */
export function registerKinds(
  registry: SchemeRegistry,
  kinds: ServedKinds,
  definitions = STORED,
): ReadonlyMap<string, Scheme> {
  const core = CORE_KINDS.filter(({ use }) => use === 'stored').map((one) =>
    one.kind === 'CustomResourceDefinition'
      ? {
          ...modelOfKind(one, {}, (schema) => definitionCheck(schema(), definitions)),
          indexes: [CONDITIONS_INDEX],
        }
      : modelOfKind(one, KIND_RULES[one.kind]),
  );
  const more = kinds === 'full' ? FULL_KINDS : [];
  const models = [
    ...core,
    ...more.map((one) => modelOfKind(one, withDefaults(one.message, FULL_RULES[one.kind]))),
  ];
  return new Map(models.map((model) => [model.kind, registry.registerData(model, PLATFORM)]));
}

/** Registers the kinds of the stored definitions without serving them. Their definitions are registered already. */
export async function registerDefinedKinds(
  registry: SchemeRegistry,
  service: Service,
  serviceUrls: ServiceUrls,
): Promise<void> {
  const means = { webhooks: new WebhookClient({ serviceUrls }), cacheBudget: service.cacheBudget };
  service.beforeClose(() => {
    means.webhooks.close();
    return Promise.resolve();
  });
  const { resource } = registry.getScheme(DEFINITIONS);
  if (service.store.findTable(resource) === undefined) return;
  for await (const object of service.listAll(resource)) {
    const status = statusOf(object);
    if (!isTrue(status, 'Established')) continue;
    const { acceptedNames: names = {} } = status;
    const model = modelOf({ definition: object as Definition, names, means });
    registry.registerData(model, ownerOf(object.metadata.name));
  }
}

const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };

function getScheme(schemes: ReadonlyMap<string, Scheme>, kind: string): Scheme {
  const scheme = schemes.get(kind);
  if (scheme === undefined) throw new Error(`the kinds lack ${kind}`);
  return scheme;
}
