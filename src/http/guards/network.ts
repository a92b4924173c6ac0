import type { IncomingMessage } from 'node:http';

/** The IPv4 address of an IPv6 socket that an IPv4 client is connected to; undefined for other addresses. */
function mappedAddress(address: string): string | undefined {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
}

/**
 * The network address of a client, for people. Headers of proxies are not read, because any client can send them.
 * Undefined after the connection was closed.
 */
export function clientAddress({ socket: { remoteAddress } }: IncomingMessage): string | undefined {
  return remoteAddress && (mappedAddress(remoteAddress) ?? remoteAddress);
}

/** The network that identifies an address: an IPv6 host has a whole network of 64 bits. */
export function getNetwork(address: string): string {
  const mapped = mappedAddress(address);
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const groups = [...(first ?? [])];
  if (tail !== undefined) while (groups.length + (last?.length ?? 0) < 8) groups.push('0');
  return [...groups, ...(last ?? [])].slice(0, 4).join(':');
}
