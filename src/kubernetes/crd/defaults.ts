import type { Json, JsonObject } from '../../model/object.js';
import { isJsonObject } from '../../model/schema/schema-walk.js';

/** A definition with the values that Kubernetes sets where there are none. Values of a wrong type stay. */
export function withDefinitionDefaults(crd: JsonObject): JsonObject {
  const spec = crd.spec ?? {};
  if (!isJsonObject(spec)) return crd;
  const { names = {}, conversion, versions } = spec;
  return {
    ...crd,
    spec: {
      ...spec,
      ...(isJsonObject(names) && { names: withNames(names) }),
      ...(Array.isArray(versions) && {
        versions: versions.map(withFlags),
      }),
      conversion: withPort(conversion ?? { strategy: 'None' }),
    },
  };
}

const HTTPS_PORT = 443;

function withPort(conversion: Json): Json {
  if (!isJsonObject(conversion) || !isJsonObject(conversion.webhook)) return conversion;
  const { webhook } = conversion;
  const { clientConfig } = webhook;
  if (!isJsonObject(clientConfig) || !isJsonObject(clientConfig.service)) return conversion;
  const service = { port: HTTPS_PORT, ...clientConfig.service };
  return { ...conversion, webhook: { ...webhook, clientConfig: { ...clientConfig, service } } };
}

function withNames(names: JsonObject): JsonObject {
  const { kind, singular, listKind } = names;
  if (typeof kind !== 'string' || kind === '') return names;
  return {
    ...names,
    singular: isUnset(singular) ? kind.toLowerCase() : singular,
    listKind: isUnset(listKind) ? `${kind}List` : listKind,
  };
}

function withFlags(version: Json): Json {
  return isJsonObject(version) ? { served: false, storage: false, ...version } : version;
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
