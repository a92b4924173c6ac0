/** Longer texts are not searched for links. */
const LENGTH_MAX = 2_000;
const WEB = /^https?:\/\/[^\s<>"]+$/i;
/** A domain as URLs have it: in ASCII, or an IP address. */
const DOMAIN = /^[a-z\d._-]+$|^\[[\d.:a-f]+\]$/i;
const EMAIL = /^([^\s@<>"(),:;\\[\]]{1,64})@((?:[a-z\d-]{1,63}\.)+[a-z]{2,63})$/i;

/**
 * The target of a text that is one URL or one e-mail address; undefined for any other text. Only http, https and mailto are
 * followed: objects are data, and must not run a script.
 */
export function findLink(text: string): string | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  const [, local, domain] = EMAIL.exec(text) ?? [];
  if (local !== undefined && domain !== undefined) return formatMailto(local, domain);
  return WEB.test(text) ? readUrl(text) : undefined;
}

/** Without the escapes, a `?` in the address would add headers to the mail. */
function formatMailto(local: string, domain: string): string | undefined {
  try {
    return `mailto:${encodeURIComponent(local)}@${domain}`;
  } catch {
    return undefined;
  }
}

function readUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, href } = new URL(text);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && DOMAIN.test(hostname) ? href : undefined;
}

/** The texts of segments of a path. Undefined when one is not percent-encoded UTF-8. */
export function decoded(segments: readonly string[]): readonly string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
