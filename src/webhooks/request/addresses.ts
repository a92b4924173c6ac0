import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Subnet } from '../../lib/parse-value.js';

/** Addresses of the machine and of its networks, of groups, and of no host. */
const REFUSED: readonly (readonly [address: string, prefix: number, text: string])[] = [
  ['0.0.0.0', 8, 'of no host'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'of a shared network'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'of a test network'],
  ['224.0.0.0', 4, 'of a group'],
  ['240.0.0.0', 4, 'reserved'],
  ['::', 128, 'of no host'],
  ['::1', 128, 'loopback'],
  // These contain an IPv4 address, which may be private. Those of ::ffff:0:0/96 are compared as IPv4 addresses.
  ['64:ff9b::', 96, 'a form of an IPv4 address'],
  ['64:ff9b:1::', 48, 'private'],
  ['2002::', 16, 'a form of an IPv4 address'],
  ['fc00::', 7, 'private'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'private'],
  ['ff00::', 8, 'of a group'],
];

interface Rule {
  readonly addresses: BlockList;
  readonly text: string;
}

/** Finds the addresses of a name, see `dns.lookup` with `all`. */
export type ResolveName = (
  name: string,
  options: { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Refuses receivers within the network of the service, unless the operator allows them. */
export class AddressGuard {
  readonly #rules: readonly Rule[];
  readonly #allowed = new BlockList();
  /** The last host with its answer: a webhook asks for each request. */
  #asked: { readonly host: string; readonly refusal: string | undefined } | undefined;

  /** @param resolveName default: that of the system */
  constructor(
    allowed: readonly Subnet[],
    private readonly resolveName: ResolveName = resolve,
  ) {
    for (const { address, prefix, family } of allowed) this.#allowed.addSubnet(address, prefix, family);
    this.#rules = REFUSED.map(([address, prefix, text]) => {
      const addresses = new BlockList();
      addresses.addSubnet(address, prefix, familyOf(address));
      return { addresses, text };
    });
  }

  /** The reason why a host is refused; undefined for one that may be used, and for a name. */
  refusalOf(host: string): string | undefined {
    if (this.#asked?.host !== host) {
      const address = host.replace(/^\[(.*)\]$/, '$1');
      this.#asked = { host, refusal: isIP(address) === 0 ? undefined : this.#refusal(address) };
    }
    return this.#asked.refusal;
  }

  /**
   * Resolves a name to the addresses that may be used, for a connection to these and no others: a second question could have
   * another answer.
   */
  readonly lookup: LookupFunction = (name, options, callback) => {
    this.resolveName(name, { all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '', 0);
        return;
      }
      const usable = addresses.filter(
        ({ address, family }) => isOfFamily(family, options.family) && this.#refusal(address) === undefined,
      );
      const [first] = usable;
      if (first === undefined) {
        const reason = addresses
          .map(({ address }) => this.#refusal(address))
          .find((text) => text !== undefined);
        callback(new Error(reason ?? `${name} has no address`), '', 0);
      } else if (options.all === true) callback(null, usable);
      else callback(null, first.address, first.family);
    });
  };

  #refusal(address: string): string | undefined {
    // The zone of a link-local address.
    const [plain = ''] = address.split('%');
    const family = familyOf(plain);
    if (this.#allowed.check(plain, family)) return undefined;
    const rule = this.#rules.find(({ addresses }) => addresses.check(plain, family));
    if (rule === undefined) return undefined;
    return `the address ${plain} is ${rule.text}; an operator can allow it with --webhook-allow`;
  }
}

/** @param wanted 4, 6, `IPv4` or `IPv6`; 0 or undefined for both */
function isOfFamily(family: number, wanted: number | string = 0): boolean {
  return wanted === 0 || String(wanted).endsWith(String(family));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
