import type { Logger } from '../lib/log/logger.js';
import type { DataModel, DataVersion } from '../model/declare/data-model.js';
import type { SchemeRegistry } from '../model/declare/registry.js';
import { PLATFORM } from '../model/declare/scheme.js';
import type { CheckedWrite } from '../owners/writer.js';
import type { Service } from '../service/service.js';
import { CORE_KINDS, type CoreKind } from './core-kinds.js';
import { leadDefinitions } from './crd/lead-definitions.js';
import { CONDITIONS_INDEX, definitionCheck } from './crd/definition-check.js';
import { ServedDefinitions } from './crd/served-definitions.js';
import { schemaOfMessage } from './schema.js';
import { applyStrategicMerge } from './strategic-merge.js';

export interface KubernetesOptions {
  readonly service: Service;
  readonly registry: SchemeRegistry;
  readonly logger: Logger;
}

/** The kinds of Kubernetes on a service. */
export interface Kubernetes {
  /** Work of the process that leads. Ends with the signal, and never throws. */
  lead(signal: AbortSignal, admit: CheckedWrite): Promise<void>;
}

/**
 * Serves the kinds of Kubernetes, and the kinds of the stored definitions. They end with the service.
 * @throws ServiceError when the models cannot be opened
 */
export async function openKubernetes({ service, registry, logger }: KubernetesOptions): Promise<Kubernetes> {
  const kind = CORE_KINDS.find((one) => one.kind === 'CustomResourceDefinition');
  if (kind === undefined) throw new Error('the kinds lack CustomResourceDefinition');
  const schema = schemaOfMessage(kind.message);
  const check = definitionCheck(schema, {
    findTaken: (definition) => definitions.findTaken(definition),
    now: () => service.now(),
  });
  const scheme = registry.registerData(
    modelOfKind(kind, { schema, check, indexes: [CONDITIONS_INDEX] }),
    PLATFORM,
  );
  await service.models.open(scheme);
  const definitions = new ServedDefinitions({ service, registry, logger, resource: scheme.resource });
  service.beforeClose(() => definitions.stop());
  await definitions.start();
  const { resource } = scheme;
  return { lead: (signal, admit) => leadDefinitions({ service, logger, resource, signal, admit }) };
}

function modelOfKind(
  { group, version, kind, plural, singular, shortNames, scope, columns }: CoreKind,
  { schema, check, indexes }: Pick<DataModel, 'indexes'> & Pick<DataVersion, 'schema' | 'check'>,
): DataModel {
  return {
    group,
    kind,
    plural,
    singular,
    shortNames,
    categories: [],
    ...(scope === 'Namespaced' && { scope }),
    origin: 'core',
    strategicMerge: (object, patch) => applyStrategicMerge(schema, object, patch),
    storageVersion: version,
    indexes,
    versions: [{ version, schema, columns, isServed: true, statusBy: 'subresource', check }],
  };
}
