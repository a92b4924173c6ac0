import { X509Certificate } from 'node:crypto';
import { invalidValue, type Cause } from '../../errors.js';
import { isGroup } from '../../model/names-and-labels.js';

export interface StatedClientConfig {
  readonly url?: string;
  readonly service?: StatedService;
  readonly caBundle?: string;
}

interface StatedService {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

const PORT_MAX = 65_535;

/**
 * Finds the faults of a webhook's address, as Kubernetes does. Its certificates are checked by {@link hasCertificate}.
 * @param at the path of the `clientConfig`
 */
export function clientConfigFaults({ url, service }: StatedClientConfig, at: string): readonly Cause[] {
  if ((url === undefined) === (service === undefined))
    return [required(at, 'exactly one of url and service is required')];
  if (url !== undefined) return urlFaults(url).map((message) => invalidValue(`${at}.url`, message));
  return service === undefined ? [] : serviceFaults(service, `${at}.service`);
}

function urlFaults(text: string): readonly string[] {
  if (!URL.canParse(text)) return ['must be a URL like https://HOST/PATH'];
  const { protocol, username, password, hash, search } = new URL(text);
  return [
    ...(protocol === 'https:' ? [] : ['must begin with https://']),
    ...(username + password === '' ? [] : ['must not name a user']),
    ...(hash === '' ? [] : ['must have no fragment']),
    ...(search === '' ? [] : ['must have no query']),
  ];
}

function serviceFaults({ namespace = '', name = '', path = '', port }: StatedService, at: string): Cause[] {
  return [
    ...(name === '' ? [required(`${at}.name`)] : []),
    ...(namespace === '' ? [required(`${at}.namespace`)] : []),
    ...(port === undefined || (port > 0 && port <= PORT_MAX)
      ? []
      : [invalidValue(`${at}.port`, `must be between 1 and ${PORT_MAX}`)]),
    ...(isPath(path) ? [] : [invalidValue(`${at}.path`, 'must be a path like /convert')]),
  ];
}

/** True for a path of names like those of objects. */
function isPath(text: string): boolean {
  if (text === '' || text === '/') return true;
  const [first, ...names] = text.replace(/\/$/u, '').split('/');
  return first === '' && names.every((name) => name !== '' && isGroup(name));
}

function required(field: string, message = 'is required'): Cause {
  return { field, reason: 'FieldValueRequired', message };
}

const [BEGIN, END] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];

/** True for base64 of PEM with at least one certificate. */
export function hasCertificate(caBundle: string): boolean {
  const [, ...parts] = Buffer.from(caBundle, 'base64').toString().split(BEGIN);
  return parts.some((part) => isCertificate(`${BEGIN}${part.slice(0, part.indexOf(END))}${END}`));
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
