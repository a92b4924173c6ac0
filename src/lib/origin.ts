/** The host and the port that an origin names. */
export interface OriginAddress {
  /** An IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** @param origin in the form of browsers, which leave out the standard port */
export function addressOf(origin: string): OriginAddress {
  const { protocol, hostname, port } = new URL(origin);
  const isTls = protocol === 'https:';
  const standard = isTls ? 443 : 80;
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? standard : Number(port),
    isTls,
  };
}

/** The same origin with another port. */
export function withPort(origin: string, port: number): string {
  const url = new URL(origin);
  url.port = String(port);
  return url.origin;
}
