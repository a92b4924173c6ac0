import { isIPv4, isIPv6 } from 'node:net';
import { fail } from '../failure.js';
import { fn, method, scalarKind, STRING, type Overload } from '../overload.js';
import { CelScalar } from '../scalars.js';
import * as types from '../types.js';

class Ip extends CelScalar {
  readonly kind = 'ip';

  constructor(
    readonly family: 4 | 6,
    readonly bits: bigint,
  ) {
    super();
  }

  toString(): string {
    return this.family === 4 ? textOfV4(this.bits) : textOfV6(this.bits);
  }
}

class Cidr extends CelScalar {
  readonly kind = 'cidr';

  constructor(
    readonly ip: Ip,
    readonly length: number,
  ) {
    super();
  }

  get width(): number {
    return this.ip.family === 4 ? 32 : 128;
  }

  contains({ family, bits }: Ip): boolean {
    const shift = BigInt(this.width - this.length);
    return family === this.ip.family && bits >> shift === this.ip.bits >> shift;
  }

  masked(): Cidr {
    const shift = BigInt(this.width - this.length);
    return new Cidr(new Ip(this.ip.family, (this.ip.bits >> shift) << shift), this.length);
  }

  toString(): string {
    return `${this.ip.toString()}/${this.length}`;
  }
}

function textOfV4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');
}

function textOfV6(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((bits >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const text = groups.join(':');
  const zeros = [...text.matchAll(/(?:^|(?<=:))0(?::0)+(?=:|$)/g)].sort(
    (a, b) => b[0].length - a[0].length,
  )[0];
  if (zeros === undefined) return text;
  const before = text.slice(0, zeros.index).replace(/:$/, '');
  const after = text.slice(zeros.index + zeros[0].length).replace(/^:/, '');
  return `${before}::${after}`;
}

/** Converts an address of version 6 whose end may be written as one of version 4. */
function withoutVersion4(text: string): string {
  const at = text.lastIndexOf(':') + 1;
  const v4 = text.slice(at);
  if (!v4.includes('.')) return text;
  const bits = getBits(v4.split('.').map(Number), 8n);
  return `${text.slice(0, at)}${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
}

/** Undefined for a text that is not an address, an address with a zone, and one of version 4 written as version 6. */
function readIp(text: string): Ip | undefined {
  if (isIPv4(text)) return new Ip(4, getBits(text.split('.').map(Number), 8n));
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const plain = withoutVersion4(text);
  const [head = '', tail] = plain.split('::');
  const getGroups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [getGroups(head), getGroups(tail ?? '')];
  const zeros = tail === undefined ? [] : Array<string>(8 - first.length - last.length).fill('0');
  const bits = getBits(
    [...first, ...zeros, ...last].map((group) => parseInt(group, 16)),
    16n,
  );
  return bits >> 32n === 0xffffn ? undefined : new Ip(6, bits);
}

function getBits(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);
}

function readCidr(text: string): Cidr | undefined {
  const [, address = '', length = ''] = /^([^/]{1,60})\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const ip = readIp(address);
  if (ip === undefined) return undefined;
  const cidr = new Cidr(ip, Number(length));
  return cidr.length <= cidr.width ? cidr : undefined;
}

function getIp(text: string): Ip {
  return readIp(text) ?? fail('the text is not an IP address');
}

function getCidr(text: string): Cidr {
  return readCidr(text) ?? fail('the text is not a CIDR');
}

function isIn(ip: Ip, ...networks: readonly string[]): boolean {
  return networks.some((network) => getCidr(network).contains(ip));
}

const IP_TYPE = { kind: 'ip' } as const;
const CIDR_TYPE = { kind: 'cidr' } as const;
const IP = scalarKind(IP_TYPE, Ip);
const CIDR = scalarKind(CIDR_TYPE, Cidr);

const MULTICAST_LINK = ['224.0.0.0/24', 'ff02::/16'];
const UNICAST_LINK = ['169.254.0.0/16', 'fe80::/10'];

function isGlobalUnicast(ip: Ip): boolean {
  return !isIn(
    ip,
    ...['0.0.0.0/32', '::/128', '127.0.0.0/8', '::1/128', '224.0.0.0/4', 'ff00::/8', '255.255.255.255/32'],
    ...UNICAST_LINK,
  );
}

/** Functions of IP addresses and networks, as in Kubernetes. */
export const ADDRESSES: readonly Overload[] = [
  fn('ip', [STRING], IP_TYPE, ([text]) => getIp(text)),
  fn('isIP', [STRING], types.BOOL, ([text]) => readIp(text) !== undefined),
  fn('ip.isCanonical', [STRING], types.BOOL, ([text]) => getIp(text).toString() === text),
  method('family', [IP], types.INT, ([ip]) => BigInt(ip.family)),
  method('isUnspecified', [IP], types.BOOL, ([ip]) => ip.bits === 0n),
  method('isLoopback', [IP], types.BOOL, ([ip]) => isIn(ip, '127.0.0.0/8', '::1/128')),
  method('isLinkLocalMulticast', [IP], types.BOOL, ([ip]) => isIn(ip, ...MULTICAST_LINK)),
  method('isLinkLocalUnicast', [IP], types.BOOL, ([ip]) => isIn(ip, ...UNICAST_LINK)),
  method('isGlobalUnicast', [IP], types.BOOL, ([ip]) => isGlobalUnicast(ip)),
  fn('string', [IP], types.STRING, ([ip]) => ip.toString()),

  fn('cidr', [STRING], CIDR_TYPE, ([text]) => getCidr(text)),
  fn('isCIDR', [STRING], types.BOOL, ([text]) => readCidr(text) !== undefined),
  method('ip', [CIDR], IP_TYPE, ([cidr]) => cidr.ip),
  method('masked', [CIDR], CIDR_TYPE, ([cidr]) => cidr.masked()),
  method('prefixLength', [CIDR], types.INT, ([cidr]) => BigInt(cidr.length)),
  method('containsIP', [CIDR, IP], types.BOOL, ([cidr, ip]) => cidr.contains(ip)),
  method('containsIP', [CIDR, STRING], types.BOOL, ([cidr, text]) => cidr.contains(getIp(text))),
  method('containsCIDR', [CIDR, CIDR], types.BOOL, ([cidr, other]) => covers(cidr, other)),
  method('containsCIDR', [CIDR, STRING], types.BOOL, ([cidr, text]) => covers(cidr, getCidr(text))),
  fn('string', [CIDR], types.STRING, ([cidr]) => cidr.toString()),
];

function covers(cidr: Cidr, other: Cidr): boolean {
  return cidr.length <= other.length && cidr.contains(other.ip);
}
