import { list } from '../../lib/parse-value.js';

/** Where services of Kubernetes are reached: `NAMESPACE/NAME` to `https://HOST:PORT`. */
export type ServiceUrls = ReadonlyMap<string, string>;

const LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const FORM = new RegExp(`^(${LABEL}/${LABEL})=(.+)$`, 'u');

/** Parses texts like `shop/webhooks=https://127.0.0.1:9443`. */
export function serviceUrls(value: unknown): ServiceUrls {
  return new Map(list(',')(value).map(readOne));
}

function readOne(text: string): readonly [service: string, url: string] {
  const found = FORM.exec(text);
  const [service, given] = [found?.[1] ?? '', found?.at(-1) ?? ''];
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === 'https:' && url.origin === given.replace(/\/$/u, '').replace(/:443$/u, ''))
    return [service, url.origin];
  throw new Error(`must be like NAMESPACE/NAME=https://HOST:PORT, not "${text}"`);
}
