import Negotiator from 'negotiator';

/** Media types of answers, each with its value. The first one is the default. */
export type Offers<T> = readonly [Offer<T>, ...Offer<T>[]];
type Offer<T> = readonly [type: string, answer: T];

/** A longer header is ignored (RFC 9110, section 12.5.1), because parsing it would take long. */
const HEADER_LENGTH_MAX = 1_000;
/** Most cached headers; clients send few different ones. */
const KNOWN_MAX = 100;
/** The charset of all answers, which some clients name. */
const CHARSET = ';charset=utf-8';

/**
 * Finds a client's preferred type by its `Accept` header: by quality, then by specificity, then in the header's
 * order, then in the order of the offers. A client that accepts none of them gets the first.
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
