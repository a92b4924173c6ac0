import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its key, in PEM. */
export interface SelfSigned {
  readonly cert: Buffer;
  readonly key: Buffer;
}

const DAYS = 365;
const DAY_MS = 24 * 3_600_000;

/** Tags of the encoding of certificates (DER). */
const TAG = {
  integer: 0x02,
  bits: 0x03,
  bytes: 0x04,
  oid: 0x06,
  text: 0x0c,
  time: 0x17,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;

const OID = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAltName: '551d11',
} as const;

/** Makes a certificate that its own key has signed. @param hosts names and IPv4 addresses of the server */
export function makeSelfSigned(hosts: readonly string[]): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const name = sequence(
    der(TAG.set, sequence(oid(OID.commonName), der(TAG.text, Buffer.from(hosts[0] ?? 'localhost')))),
  );
  const now = Date.now();
  const content = sequence(
    // Version 3.
    der(TAG.version, der(TAG.integer, Buffer.from([2]))),
    // Positive, and not longer than 20 bytes.
    der(TAG.integer, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(now - DAY_MS), time(now + DAYS * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(TAG.extensions, sequence(sequence(oid(OID.subjectAltName), der(TAG.bytes, altNames(hosts))))),
  );
  const signature = sign('sha256', content, privateKey);
  const whole = sequence(content, algorithm, der(TAG.bits, Buffer.concat([Buffer.from([0]), signature])));
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  return { cert: Buffer.from(pem(whole)), key: Buffer.from(key) };
}

function altNames(hosts: readonly string[]): Buffer {
  const names = [...new Set(hosts)].flatMap((host) => {
    if (isIP(host) === 0) return der(TAG.dnsName, Buffer.from(host));
    return isIP(host) === 4 ? der(TAG.ipAddress, Buffer.from(host.split('.').map(Number))) : [];
  });
  return sequence(...names);
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function der(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  return length < 0x100 ? Buffer.from([0x81, length]) : Buffer.from([0x82, length >> 8, length & 0xff]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(TAG.sequence, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return der(TAG.oid, Buffer.from(hex, 'hex'));
}

/** `YYMMDDhhmmssZ` */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\..*/g, '');
  return der(TAG.time, Buffer.from(`${digits.slice(2)}Z`));
}
