import { randomUUID } from 'node:crypto';
import { getMessage } from '../../errors.js';
import type { CacheBudget } from '../../lib/cache-budget.js';
import { deepEqual, findProblem, formatProblem, isRecord } from '../../lib/json/json.js';
import { RemoteConversion } from '../../model/evolve/remote-conversion.js';
import type { ExtensionObject, JsonObject, Metadata } from '../../model/object.js';
import { getApiVersion } from '../../model/resource.js';
import { objectNodeOf } from '../../model/structural/node.js';
import { repair } from '../../model/structural/repair.js';
import { checkMetadata } from '../../model/structural/structural-check.js';
import type { WebhookClient, WebhookClientConfig } from '../webhooks/webhook-client.js';
import type { Definition, DefinitionConversion } from './definition.js';
import { REVIEW_VERSIONS } from './rules/conversion.js';

/** The means to convert objects. */
export interface ConversionMeans {
  readonly webhooks: Pick<WebhookClient, 'post'>;
  /** The memory for converted objects. */
  readonly cacheBudget: CacheBudget;
}

/** Longest time of a call, as in Kubernetes. */
const TIMEOUT_MS = 30_000;
const GROUP = 'apiextensions.k8s.io';
const KIND = 'ConversionReview';

/** The conversions of a definition whose objects a webhook converts; undefined for others. */
export function remoteConversion(
  { spec: { group = '', versions = [], conversion = {} } = {} }: Definition,
  { webhooks, cacheBudget }: ConversionMeans,
): RemoteConversion | undefined {
  if (conversion.strategy !== 'Webhook') return undefined;
  const nodes = new Map(
    versions.map(({ name: version = '', schema }) => [
      getApiVersion({ group, version }),
      objectNodeOf(schema?.openAPIV3Schema ?? ANY_SCHEMA),
    ]),
  );
  const client = clientOf(conversion);
  const reviewVersion = conversion.webhook?.conversionReviewVersions?.find((one) =>
    REVIEW_VERSIONS.includes(one),
  );
  return new RemoteConversion(async (objects, apiVersion) => {
    const [first] = objects;
    const what = `conversion webhook for ${first?.apiVersion ?? ''}, Kind=${first?.kind ?? ''}`;
    const uid = randomUUID();
    const request = { uid, desiredAPIVersion: apiVersion, objects: objects.map(asSent) };
    const review = { apiVersion: `${GROUP}/${reviewVersion ?? 'v1'}`, kind: KIND, request };
    let converted: readonly unknown[];
    try {
      converted = readAnswer(await webhooks.post(client, review, { timeoutMs: TIMEOUT_MS }), review);
    } catch (error) {
      throw new Error(`${what} failed: ${getMessage(error)}`, { cause: error });
    }
    if (converted.length !== objects.length)
      throw new Error(`${what} returned ${converted.length} objects, expected ${objects.length}`);
    return objects.map((object, i) => {
      const { [i]: made } = converted;
      const fault = faultOf(made, object, apiVersion);
      if (fault !== undefined)
        throw new Error(`${what} returned invalid converted object at index ${i}: ${fault}`);
      const node = nodes.get(apiVersion);
      if (node !== undefined) repair(node, made);
      return made as ExtensionObject;
    });
  }, cacheBudget);
}

const ANY_SCHEMA: JsonObject = { type: 'object' };

function clientOf({ webhook }: DefinitionConversion): WebhookClientConfig {
  const { url, service, caBundle = '' } = webhook?.clientConfig ?? {};
  const { namespace = '', name = '', ...place } = service ?? {};
  // Tools that set the bundle later begin with one that is blank.
  const isBlank = Buffer.from(caBundle, 'base64').toString().trim() === '';
  return {
    ...(url !== undefined && { url }),
    ...(service !== undefined && { service: { namespace, name, ...place } }),
    ...(!isBlank && { caBundle }),
  };
}

const REVISION = /^[1-9]\d*$/u;

/** An object that is not stored yet has no revision. */
function asSent({ metadata, ...object }: ExtensionObject): JsonObject {
  const { resourceVersion, ...others } = metadata;
  const sent = REVISION.test(resourceVersion) ? metadata : others;
  return { ...object, metadata: sent } as JsonObject;
}

/** @throws Error that says what is wrong with the answer */
function readAnswer(
  answer: Readonly<Record<string, unknown>>,
  review: { readonly apiVersion: string; readonly request: { readonly uid: string } },
): readonly unknown[] {
  const { apiVersion, kind, response } = answer;
  // Kubernetes compares neither in the older version.
  const isStrict = review.apiVersion === `${GROUP}/v1`;
  if (isStrict && !(apiVersion === review.apiVersion && kind === KIND))
    throw new Error(`expected webhook response of ${review.apiVersion}, Kind=${KIND}`);
  if (!isRecord(response)) throw new Error('no response provided');
  const { uid, result, convertedObjects } = response;
  if (isStrict && uid !== review.request.uid)
    throw new Error(`expected response.uid="${review.request.uid}", got ${JSON.stringify(uid ?? '')}`);
  const { status = '', message } = isRecord(result) ? result : {};
  if (status !== 'Success') {
    if (typeof message === 'string' && message !== '') throw new Error(message);
    throw new Error(`response.result.status was '${String(status)}', not 'Success'`);
  }
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

const IDENTITY = ['name', 'namespace', 'uid'] as const;
const CONVERTED = ['labels', 'annotations'] as const;

/** The reason why an answer is not the object in the version; undefined when it is. */
function faultOf(made: unknown, { kind, metadata }: ExtensionObject, apiVersion: string): string | undefined {
  if (!isRecord(made)) return 'it is no object';
  if (made.apiVersion !== apiVersion)
    return `invalid groupVersion (expected ${apiVersion}, received ${String(made.apiVersion)})`;
  if (made.kind !== kind) return `invalid kind (expected ${kind}, received ${String(made.kind)})`;
  const { metadata: given } = made;
  if (!isRecord(given)) return 'missing metadata in converted object';
  const changed = IDENTITY.find((field) => (given[field] ?? '') !== (metadata[field] ?? ''));
  if (changed !== undefined)
    return `must have the same ${changed}: ${metadata[changed] ?? ''} != ${String(given[changed])}`;
  const problem = findProblem(made);
  return problem === undefined ? labelsFault(given, metadata) : formatProblem(problem);
}

/** Only those that the webhook changed are checked. */
function labelsFault(
  given: Readonly<Record<string, unknown>>,
  { name, ...before }: Metadata,
): string | undefined {
  const changed = CONVERTED.filter((field) => !deepEqual(given[field] ?? {}, before[field] ?? {}));
  if (changed.length === 0) return undefined;
  const metadata = Object.fromEntries(changed.map((field) => [field, given[field]]));
  const causes = checkMetadata({ metadata: { ...metadata, name } });
  const found = causes.find(({ field }) => changed.some((one) => field.startsWith(`metadata.${one}`)));
  return found && `${found.field}: ${found.message}`;
}
