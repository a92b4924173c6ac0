import { X509Certificate } from 'node:crypto';
import type { Cause } from '../../errors.js';
import { isDnsSubdomain } from '../../model/names-and-labels.js';
import type { ObjectDraft } from '../../model/object.js';
import { fault } from '../crd/rules/fault.js';
import { isDns1035Label, LABEL_FORM } from '../crd/rules/name-forms.js';
import type { KindRules } from '../kinds/kind-check.js';
import { compileCondition } from './conditions.js';
import type { WebhookConfiguration, WebhookEntry } from './configuration.js';
import { expressionFaults, operationRuleFaults, oneOf, selectorFaults } from './rule-faults.js';

export const WEBHOOK_CONFIGURATION: KindRules = {
  validate: (object) => {
    const { webhooks = [] } = object as ObjectDraft & Pick<WebhookConfiguration, 'webhooks'>;
    return webhooks.flatMap((webhook, i) => webhookFaults(webhook, `webhooks[${i}]`));
  },
};

function webhookFaults(webhook: WebhookEntry, path: string): readonly Cause[] {
  const { name = '', rules = [], timeoutSeconds = 10, matchConditions = [] } = webhook;
  const at = (field: string): string => `${path}.${field}`;
  return [
    ...(isQualified(name)
      ? []
      : [fault(at('name'), 'Invalid', 'should be a domain with at least three segments separated by dots')]),
    ...rules.flatMap((rule, i) => operationRuleFaults(rule, at(`rules[${i}]`))),
    ...oneOf(webhook.failurePolicy, ['Fail', 'Ignore'], at('failurePolicy')),
    ...oneOf(webhook.matchPolicy, ['Equivalent', 'Exact'], at('matchPolicy')),
    ...oneOf(webhook.reinvocationPolicy, ['IfNeeded', 'Never'], at('reinvocationPolicy')),
    ...(webhook.sideEffects === undefined
      ? [fault(at('sideEffects'), 'Required', 'must specify one of None, NoneOnDryRun')]
      : oneOf(webhook.sideEffects, ['None', 'NoneOnDryRun'], at('sideEffects'))),
    ...(timeoutSeconds >= 1 && timeoutSeconds <= 30
      ? []
      : [fault(at('timeoutSeconds'), 'Invalid', 'the timeout value must be between 1 and 30 seconds')]),
    ...selectorFaults(webhook.namespaceSelector, at('namespaceSelector')),
    ...selectorFaults(webhook.objectSelector, at('objectSelector')),
    ...clientFaults(webhook, at('clientConfig')),
    ...versionFaults(webhook, at('admissionReviewVersions')),
    ...conditionFaults(matchConditions, at('matchConditions')),
  ];
}

function isQualified(name: string): boolean {
  return isDnsSubdomain(name) && name.split('.').length >= 3;
}

function clientFaults({ clientConfig = {} }: WebhookEntry, path: string): readonly Cause[] {
  const { url, service, caBundle } = clientConfig;
  if ((url === undefined) === (service === undefined))
    return [fault(path, 'Required', 'exactly one of url or service is required')];
  return [
    ...(url === undefined ? [] : urlFaults(url, `${path}.url`)),
    ...(service === undefined ? [] : serviceFaults(service, `${path}.service`)),
    ...(caBundle === undefined || caBundle === '' ? [] : bundleFaults(caBundle, `${path}.caBundle`)),
  ];
}

const URL_FORM = '; desired format: https://host[/path]';

function urlFaults(text: string, path: string): readonly Cause[] {
  if (!URL.canParse(text)) return [fault(path, 'Required', `url must be a valid URL${URL_FORM}`)];
  const url = new URL(text);
  const faults: readonly (readonly [boolean, string])[] = [
    [url.protocol !== 'https:', `'https' is the only allowed URL scheme${URL_FORM}`],
    [url.host === '', `host must be specified${URL_FORM}`],
    [url.username + url.password !== '', 'user information is not permitted in the URL'],
    [text.includes('#'), 'fragments are not permitted in the URL'],
    [url.search !== '', 'query parameters are not permitted in the URL'],
  ];
  return faults.flatMap(([isFaulty, message]) => (isFaulty ? [fault(path, 'Invalid', message)] : []));
}

function serviceFaults(
  {
    name,
    namespace,
    path,
    port = 443,
  }: Partial<Record<'name' | 'namespace' | 'path', string>> & { port?: number },
  at: string,
): readonly Cause[] {
  const missing = Object.entries({ name, namespace }).filter(([, value]) => (value ?? '') === '');
  const isPort = port >= 1 && port <= 65_535;
  return [
    ...missing.map(([field]) => fault(`${at}.${field}`, 'Required', 'is required')),
    ...(isPort
      ? []
      : [fault(`${at}.port`, 'Invalid', 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...(path === undefined ? [] : pathFaults(path, `${at}.path`)),
  ];
}

function pathFaults(path: string, at: string): readonly Cause[] {
  if (path === '' || path === '/') return [];
  if (!path.startsWith('/')) return [fault(at, 'Invalid', "must start with a '/'")];
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  return segments.flatMap((segment, i) => {
    if (segment === '') return [fault(at, 'Invalid', `segment[${i}] may not be empty`)];
    return isDnsSubdomain(segment) ? [] : [fault(at, 'Invalid', `segment[${i}]: must be a DNS subdomain`)];
  });
}

function bundleFaults(bundle: string, path: string): readonly Cause[] {
  return isCertificate(bundle) ? [] : [fault(path, 'Invalid', 'must be certificates in PEM, as base64')];
}

function isCertificate(base64: string): boolean {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64')).raw.length > 0;
  } catch {
    return false;
  }
}

function versionFaults(
  { admissionReviewVersions: versions = [] }: WebhookEntry,
  path: string,
): readonly Cause[] {
  if (versions.length === 0) return [fault(path, 'Required', 'must specify one of v1')];
  const faults = versions.flatMap((version, i) => {
    if (versions.indexOf(version) < i) return [fault(`${path}[${i}]`, 'Invalid', 'duplicate version')];
    return isDns1035Label(version) ? [] : [fault(`${path}[${i}]`, 'Invalid', LABEL_FORM)];
  });
  return versions.includes('v1')
    ? faults
    : [...faults, fault(path, 'Invalid', 'must include at least one of v1')];
}

const CONDITIONS_MAX = 64;

/** Faults of conditions for asking about a write. */
export function conditionFaults(
  conditions: NonNullable<WebhookEntry['matchConditions']>,
  path: string,
  compile: (expression: string) => unknown = compileCondition,
): readonly Cause[] {
  const faults = conditions.flatMap(({ name = '', expression = '' }, i) => {
    const at = (field: string): string => `${path}[${i}].${field}`;
    return [
      ...(QUALIFIED_NAME.test(name)
        ? []
        : [fault(at('name'), name === '' ? 'Required' : 'Invalid', 'must be a qualified name')]),
      ...(expression.trim() === ''
        ? [fault(at('expression'), 'Required', 'is required')]
        : expressionFaults(at('expression'), () => compile(expression))),
    ];
  });
  return conditions.length > CONDITIONS_MAX
    ? [fault(path, 'Invalid', `must have at most ${CONDITIONS_MAX} items`), ...faults]
    : faults;
}

const QUALIFIED_NAME =
  /^(?:[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;
