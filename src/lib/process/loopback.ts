/** True when an address or host name refers to this machine only. */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1' || name === '0:0:0:0:0:0:0:1')
    return true;
  const mapped = name.replace(/^::ffff:/, '');
  const octets = mapped.split('.');
  return (
    octets.length === 4 &&
    octets[0] === '127' &&
    octets.every((octet) => /^\d{1,3}$/.test(octet) && Number(octet) < 256)
  );
}
