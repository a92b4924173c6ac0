import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { pause } from '../../lib/coalesce.js';
import { arrayAt, isObject, objectAt, textAt, type JsonObject } from '../../lib/json.js';
import { ApiError } from '../errors.js';
import { getJson, postJson, send } from '../http.js';
import { getPath, objectPath } from '../models.js';
import { getName } from '../objects.js';

/** The model of definitions: models that are objects. */
export const DEFINITIONS = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
} as const;

const AT_ONCE = '500';

/** The first definitions. */
export function useDefinitions(isAllowed: boolean): UseQueryResult<readonly JsonObject[]> {
  return useQuery({
    queryKey: ['definitions'],
    queryFn: async ({ signal }) =>
      arrayAt(await getJson(`${getPath(DEFINITIONS)}?limit=${AT_ONCE}`, signal), 'items').filter(isObject),
    enabled: isAllowed,
  });
}

export async function readDefinitionObject(name: string, signal?: AbortSignal): Promise<JsonObject> {
  const found = await getJson(objectPath(DEFINITIONS, name), signal);
  return isObject(found) ? found : {};
}

export function useDefinition(name: string): UseQueryResult<JsonObject> {
  return useQuery({
    queryKey: ['definition', name],
    queryFn: ({ signal }) => readDefinitionObject(name, signal),
  });
}

/** The members of `spec.names` for the reasons of a conflict. */
const MEMBERS: Readonly<Record<string, string>> = {
  PluralConflict: 'plural',
  SingularConflict: 'singular',
  ShortNamesConflict: 'plural',
  KindConflict: 'kind',
  ListKindConflict: 'kind',
};

/**
 * Stores a new definition, and waits until its model is served. Nothing is stored when another model has one of its names.
 */
export async function createDefinition(definition: JsonObject): Promise<void> {
  const url = `${getPath(DEFINITIONS)}?fieldValidation=Strict`;
  const tried = await postJson(`${url}&dryRun=All`, definition);
  const names = findCondition(tried, 'NamesAccepted');
  if (names?.status === 'False') {
    const message = textAt(names, 'message') ?? '';
    const member = MEMBERS[textAt(names, 'reason') ?? ''] ?? 'plural';
    throw new ApiError(409, message, 'Conflict', { causes: [{ field: `spec.names.${member}`, message }] });
  }
  await send(url, { method: 'POST', body: definition });
  await waitUntilServed(getName(definition));
}

/** Replaces a definition. @throws ApiError also when somebody else changed it, Unreachable */
export async function replaceDefinition(definition: JsonObject): Promise<void> {
  const name = getName(definition);
  const url = `${objectPath(DEFINITIONS, name)}?fieldValidation=Strict`;
  await send(url, { method: 'PUT', body: definition });
  await waitUntilServed(name);
}

const TRIES = 50;
const PAUSE_MS = 200;

async function waitUntilServed(name: string): Promise<void> {
  for (let i = 0; i < TRIES; i++) {
    const stored = await readDefinitionObject(name);
    if (findCondition(stored, 'Established')?.status === 'True') return;
    await pause(PAUSE_MS);
  }
}

function findCondition(definition: unknown, type: string): JsonObject | undefined {
  return arrayAt(objectAt(definition, 'status'), 'conditions')
    .filter(isObject)
    .find((condition) => condition.type === type);
}
