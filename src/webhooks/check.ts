import { validateHeaderName, validateHeaderValue } from 'node:http';
import { getMessage, invalidValue, type Cause } from '../errors.js';
import { deepEqual, isRecord } from '../lib/json/json.js';
import { parseDuration } from '../lib/time/duration.js';
import type { SchemeRegistry } from '../model/declare/registry.js';
import type { JsonObject, ObjectDraft } from '../model/object.js';
import { isStorageVersion, type Resource } from '../model/resource.js';
import { compileModel, type ObjectCheck } from '../model/validate/validator.js';
import { bind } from '../query/bind.js';
import { readListOptions } from '../query/list-request.js';
import type { Credentials, Secrets } from './credentials.js';
import { WEBHOOKS, type WebhookModel, type WebhookSpec } from './webhook.js';
import { HIDDEN, withoutSecrets } from './hidden.js';
import { readKey } from './request/signature.js';

const TIMEOUT_MS_MAX = 5 * 60_000;
/** Headers that belong to the request itself, in lower case. */
const RESERVED = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]);

/** The storage version of a registered model. */
export function findModel(
  registry: Pick<SchemeRegistry, 'schemes'>,
  { group, kind }: WebhookModel,
): Resource | undefined {
  const found = registry
    .schemes()
    .filter(({ resource }) => resource.group === group && resource.kind === kind);
  return (found.find(({ resource }) => isStorageVersion(resource)) ?? found[0])?.resource;
}

/** Checks webhooks, and replaces their secrets by encrypted ones, in place. */
export function webhookCheck(
  schema: JsonObject,
  registry: Pick<SchemeRegistry, 'schemes'>,
  credentials: Credentials,
): ObjectCheck {
  let compiled: ObjectCheck | undefined;
  return (object, stored, options) => {
    compiled ??= compileModel(schema);
    const result = compiled(object, stored, options);
    if (result.causes.length > 0 || options?.isStored === true) return result;
    const sealing = seal(object, stored, credentials);
    const isSame = deepEqual(object.spec, stored?.spec);
    const causes = isSame ? [] : [...sealing, ...specCauses(object.spec as WebhookSpec, registry)];
    return { ...result, causes };
  };
}

/** A webhook as its author writes it. */
type StatedSpec = Partial<Record<keyof WebhookSpec | 'secret', unknown>> & {
  headers?: Record<string, string>;
  secret?: string;
  credentials?: string;
};

/** @returns the faults of the secrets */
function seal(
  object: ObjectDraft,
  stored: ObjectDraft | undefined,
  credentials: Credentials,
): readonly Cause[] {
  const spec = object.spec as StatedSpec;
  const { uid = '', name = '' } = object.metadata ?? {};
  const own = storedCredentials(stored);
  const kept = spec.credentials ?? own;
  // Earlier releases sealed them for the name, which a later webhook may have too.
  const before =
    kept === undefined
      ? NONE
      : (credentials.open(uid, kept) ?? (kept === own ? credentials.open(name, kept) : undefined));
  if (before === undefined)
    return [
      invalidValue(
        'spec.credentials',
        'was not made by this service for this webhook; leave it out, and state secret and headers',
      ),
    ];
  const { secret = before.secret, headers: stated } = spec;
  const causes: Cause[] = [];
  const headers: Record<string, string> = {};
  for (const [header, value] of Object.entries(stated ?? before.headers)) {
    const known = value === HIDDEN ? before.headers[header] : value;
    if (known === undefined)
      causes.push(invalidValue(`spec.headers.${header}`, `has no stored value; state it`));
    else headers[header] = known;
  }
  causes.push(...headerCauses(headers));
  if (spec.secret !== undefined && spec.secret !== '' && readKey(spec.secret) === undefined)
    causes.push(invalidValue('spec.secret', 'must be whsec_ and a key in base64, best of 24 to 64 bytes'));
  if (causes.length > 0) return causes;
  withoutSecrets(object);
  const names = Object.keys(headers);
  if (names.length > 0) spec.headers = Object.fromEntries(names.map((header) => [header, HIDDEN]));
  const isNothing = names.length === 0 && (secret === undefined || secret === '');
  if (isNothing) delete spec.credentials;
  else spec.credentials = credentials.seal(uid, { ...(secret !== '' && { secret }), headers });
  return [];
}

const NONE: Secrets = { headers: {} };

function storedCredentials(stored: ObjectDraft | undefined): string | undefined {
  const { spec } = stored ?? {};
  return isRecord(spec) && typeof spec.credentials === 'string' ? spec.credentials : undefined;
}

function headerCauses(headers: Readonly<Record<string, string>>): readonly Cause[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const field = `spec.headers.${name}`;
    if (RESERVED.has(name.toLowerCase())) return invalidValue(field, 'is set by the service');
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      return [];
    } catch {
      // The error of Node.js contains the value.
      return invalidValue(
        field,
        'is not a header of HTTP: a name of letters, digits and -, and a value of one line',
      );
    }
  });
}

function specCauses(spec: WebhookSpec, registry: Pick<SchemeRegistry, 'schemes'>): readonly Cause[] {
  return [
    ...urlCauses(spec.url),
    ...timeoutCauses(spec.timeout),
    ...spec.models.flatMap((model, i) => modelCauses(spec, model, `spec.models[${i}]`, registry)),
  ];
}

function urlCauses(text: string): readonly Cause[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return [invalidValue('spec.url', 'must be an http or https URL')];
  if (url.username !== '' || url.password !== '')
    return [
      invalidValue(
        'spec.url',
        'must not contain a user or a password; use spec.headers, which are not shown',
      ),
    ];
  return [];
}

function timeoutCauses(text: string): readonly Cause[] {
  try {
    const ms = parseDuration(text);
    if (ms > 0 && ms <= TIMEOUT_MS_MAX) return [];
    return [invalidValue('spec.timeout', 'must be more than 0 and at most 5m')];
  } catch (error) {
    return [invalidValue('spec.timeout', getMessage(error))];
  }
}

function modelCauses(
  spec: WebhookSpec,
  model: WebhookModel,
  field: string,
  registry: Pick<SchemeRegistry, 'schemes'>,
): readonly Cause[] {
  if (model.group === WEBHOOKS.group)
    return [{ field, reason: 'FieldValueForbidden', message: 'a webhook cannot send changes of webhooks' }];
  const resource = findModel(registry, model);
  if (resource === undefined) {
    const message = `there is no model ${model.kind} in the group "${model.group}"`;
    return [{ field, reason: 'FieldValueNotFound', message }];
  }
  return SELECTORS.flatMap((selector) => {
    const text = spec[selector];
    if (text === undefined) return [];
    try {
      bind(readListOptions({ [selector]: text }, resource).condition, resource);
      return [];
    } catch (error) {
      return invalidValue(`spec.${selector}`, `${getMessage(error)} (model ${model.kind})`);
    }
  });
}

const SELECTORS = ['labelSelector', 'fieldSelector', 'filter'] as const;
