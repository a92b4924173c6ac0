const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
const HIDDEN_TIME = /§t(\d+)/g;

/** What the server decides about an object that is not stored, or is being deleted. */
const PASSING = [
  'resourceVersion',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
];

/**
 * Replaces what differs between two servers: resource versions, uids and times become `§v1`, `§u1` and the seconds since the start,
 * as `§t1`. One is for one sequence of requests.
 */
export class Names {
  #known = { v: [], u: [] };
  #dates = {};
  #startMs;

  /** @param startMs a whole second, in milliseconds since 1970 */
  constructor(startMs) {
    this.#startMs = startMs;
  }

  /**
   * An answer with these names.
   * @param isDry true for an object that was not stored
   */
  noted(answer, isDry = false) {
    if (isDry || answer.metadata?.deletionTimestamp) return this.hidden(withoutIdentity(answer));
    const { metadata = {} } = answer;
    const { resourceVersion, uid } = metadata;
    for (const [kind, value] of Object.entries({ v: resourceVersion, u: uid }))
      if (value !== undefined && !this.#known[kind].includes(value)) this.#known[kind].push(value);
    if (metadata.creationTimestamp) this.#dates.creationTimestamp = metadata.creationTimestamp;
    return this.hidden(answer);
  }

  /** A value of this server, with these names. */
  hidden(value) {
    return walk(value, (text, name) => {
      if (this.#dates[name] === text) return `§${name}`;
      if (name === 'resourceVersion') return this.#hiddenBy('v', text);
      const times = text.replaceAll(TIME, (time) => {
        const seconds = (Date.parse(time) - this.#startMs) / 1_000;
        return seconds < 0 ? time : `§t${seconds}`;
      });
      return this.#known.u.reduce((rest, uid, at) => rest.replaceAll(uid, `§u${at + 1}`), times);
    });
  }

  #hiddenBy(kind, text) {
    const at = this.#known[kind].indexOf(text);
    return at < 0 ? text : `§${kind}${at + 1}`;
  }

  /** A value with these names, as this server knows it. */
  shown(value) {
    return walk(value, (text) =>
      text
        .replaceAll(HIDDEN_TIME, (_, seconds) => formatTime(this.#startMs + Number(seconds) * 1_000))
        .replaceAll(/§([vu])(\d+)/g, (hidden, kind, at) => this.#known[kind][at - 1] ?? hidden)
        .replaceAll(/§(\w+Timestamp)/g, (hidden, name) => this.#dates[name] ?? hidden),
    );
  }
}

function withoutIdentity({ metadata = {}, ...answer }) {
  const kept = Object.entries(metadata).filter(([name]) => !PASSING.includes(name));
  return { ...answer, metadata: Object.fromEntries(kept) };
}

const formatTime = (ms) => new Date(ms).toISOString().replace('.000Z', 'Z');

function walk(value, replace, name = '') {
  if (typeof value === 'string') return replace(value, name);
  if (Array.isArray(value)) return value.map((item) => walk(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member, replace, key)]));
}
