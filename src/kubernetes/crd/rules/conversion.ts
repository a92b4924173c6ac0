import type { Cause } from '../../../errors.js';
import { clientConfigFaults, hasCertificate } from '../../webhooks/client-config-faults.js';
import type { Definition, DefinitionConversion } from '../definition.js';
import { fault } from './fault.js';
import { isDns1035Label, LABEL_FORM } from './name-forms.js';

const STRATEGIES = ['None', 'Webhook'];
const AT = 'spec.conversion';
const CLIENT = `${AT}.webhook.clientConfig`;
const VERSIONS = `${AT}.webhook.conversionReviewVersions`;

export const REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** Faults in how a definition says that its objects are converted. @param before the definition that it replaces */
export function checkConversion(
  { strategy = '', webhook }: DefinitionConversion,
  before: Definition | undefined,
): readonly Cause[] {
  if (strategy === '') return [fault(`${AT}.strategy`, 'Required', 'is required')];
  if (!STRATEGIES.includes(strategy))
    return [fault(`${AT}.strategy`, 'NotSupported', `must be one of ${STRATEGIES.join(', ')}`)];
  const { clientConfig, conversionReviewVersions: versions = [] } = webhook ?? {};
  if (strategy === 'None') {
    const message = 'must not be set where the strategy is not Webhook';
    const set = [
      ...(clientConfig === undefined ? [] : [CLIENT]),
      ...(versions.length === 0 ? [] : [VERSIONS]),
    ];
    return set.map((at) => fault(at, 'Forbidden', message));
  }
  return [
    ...(clientConfig === undefined
      ? [fault(CLIENT, 'Required', 'is required where the strategy is Webhook')]
      : [...clientConfigFaults(clientConfig, CLIENT), ...bundleFaults(clientConfig.caBundle, before)]),
    ...versionFaults(versions),
  ];
}

/** As in Kubernetes, the bundle of a definition may be set later; a good one must not be replaced by another. */
function bundleFaults(caBundle = '', { spec, status }: Definition = {}): readonly Cause[] {
  const isEstablished = status?.conditions?.some(
    (one) => one.type === 'Established' && one.status === 'True',
  );
  const known = spec?.conversion?.webhook?.clientConfig?.caBundle ?? '';
  if (caBundle === '' || hasCertificate(caBundle) || isEstablished !== true) return [];
  if (known !== '' && !hasCertificate(known)) return [];
  return [fault(`${CLIENT}.caBundle`, 'Invalid', 'must be PEM with a certificate, as base64')];
}

function versionFaults(versions: readonly string[]): readonly Cause[] {
  if (versions.length === 0)
    return [fault(VERSIONS, 'Required', 'is required where the strategy is Webhook')];
  const isSent = versions.some((version) => REVIEW_VERSIONS.includes(version));
  return [
    ...versions.flatMap((version, i) => {
      if (versions.indexOf(version) < i) return [fault(`${VERSIONS}[${i}]`, 'Invalid', 'is listed twice')];
      return isDns1035Label(version) ? [] : [fault(`${VERSIONS}[${i}]`, 'Invalid', LABEL_FORM)];
    }),
    ...(isSent ? [] : [fault(VERSIONS, 'Invalid', `must include one of ${REVIEW_VERSIONS.join(', ')}`)]),
  ];
}
