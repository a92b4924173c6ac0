import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { badRequest, getMessage } from '../../errors.js';
import { isEncrypted, type EtcdAddress } from './address.js';

/**
 * The CA certificates and the client certificate, as currently in the files.
 * @throws ServiceError `BadRequest` for files that cannot be read, or that do not belong together
 */
export function readCertificates({ caFile, client }: EtcdAddress): SecureContext {
  try {
    return createSecureContext({
      ...(caFile !== undefined && { ca: readFileSync(caFile) }),
      ...(client && { cert: readFileSync(client.certFile), key: readFileSync(client.keyFile) }),
    });
  } catch (error) {
    throw badRequest(
      `cannot use the certificates for etcd: ${getMessage(error)}; cacert, cert and key of the address are files in PEM`,
    );
  }
}

/** OpenSSL's errors for the certificate of a member. */
const DISTRUSTED = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
/** A member's errors for the client certificate, or for its absence. */
const REFUSED = /^ERR_SSL_\w*ALERT_(?:\w*CERTIFICATE\w*|UNKNOWN_CA|ACCESS_DENIED)$/u;

/** The reason why a connection needs a change of certificates first; undefined when it failed for another reason. */
export function certificateProblem(error: unknown, { client }: EtcdAddress): string | undefined {
  const code = getCode(error);
  if (DISTRUSTED.has(code))
    return `its certificate is not trusted: ${getMessage(error)}; set cacert in the address to the certificate of the authority that signed it`;
  if (!REFUSED.test(code)) return undefined;
  if (client === undefined)
    return 'it requires a client certificate; add cert=FILE and key=FILE to the address';
  return `it rejects the certificate in ${client.certFile}${getValidity(client.certFile)}`;
}

function getValidity(certFile: string): string {
  try {
    return (
      findExpiry(certFile) ??
      '; the certificate must be a client certificate signed by the authority in --trusted-ca-file of etcd'
    );
  } catch (error) {
    return `: ${getMessage(error)}`;
  }
}

/**
 * The likely cause of a connection that ended without a reason: a member closes connections that it does not accept,
 * and its error message is sometimes lost.
 * @param isMade true when the TLS handshake was complete
 */
export function likelyCause(error: unknown, address: EtcdAddress, isMade: boolean): string | undefined {
  if (!isEncrypted(address)) return undefined;
  const expired = address.client && expiredCertificate(address.client);
  if (expired !== undefined) return expired;
  return !isMade && getCode(error) === 'ECONNRESET' ? 'perhaps it does not use TLS' : undefined;
}

function expiredCertificate({ certFile }: NonNullable<EtcdAddress['client']>): string | undefined {
  try {
    const expiry = findExpiry(certFile);
    return expiry && `the client certificate was ${certFile}${expiry}`;
  } catch {
    // The file may be incomplete while another process writes it.
    return undefined;
  }
}

function getCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** @throws Error when the file has no certificate */
function findExpiry(certFile: string): string | undefined {
  const { validTo } = new X509Certificate(readFileSync(certFile));
  return Date.parse(validTo) < Date.now() ? `, which has expired (${validTo})` : undefined;
}
