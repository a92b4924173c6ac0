/** The network that identifies an address: an IPv6 host has a whole network of 64 bits. */
export function getNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const groups = [...(first ?? [])];
  if (tail !== undefined) while (groups.length + (last?.length ?? 0) < 8) groups.push('0');
  return [...groups, ...(last ?? [])].slice(0, 4).join(':');
}
