import Negotiator from 'negotiator';

/** Media types that can be answered, each with what it stands for. The first is for those who do not mind. */
export type Offers<T> = readonly [Offer<T>, ...Offer<T>[]];
type Offer<T> = readonly [type: string, answer: T];

/** A longer header is not read, as if it were not there (RFC 9110, section 12.5.1): that would take long. */
const HEADER_LENGTH_MAX = 1_000;
/** Clients send few different ones. */
const KNOWN_MAX = 100;
/** Everything is sent in it, and some clients say so. */
const CHARSET = ';charset=utf-8';

/**
 * Finds what clients like best by their `Accept`: by quality, then by how exactly they name it, then in the order that
 * they name it, then in the order of the offers. Who accepts none of them gets the first.
 */
export function negotiation<T>(offers: Offers<T>): (accept: string | undefined) => T {
  const [[first, fallback]] = offers;
  const answers = new Map(offers.map(([type, answer]) => [type + CHARSET, answer] as const));
  const types = [...answers.keys()];
  const known = new Map<string, T>();
  return (accept) => {
    if (accept === undefined || accept === first || accept === '*/*' || accept.length > HEADER_LENGTH_MAX)
      return fallback;
    const seen = known.get(accept);
    if (seen !== undefined) return seen;
    const [best = ''] = new Negotiator({ headers: { accept } }).mediaTypes(types);
    const answer = answers.get(best) ?? fallback;
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(accept, answer);
    return answer;
  };
}
