/** True for the URL of a server: HTTP or HTTPS, without a user or a password. */
export function isServerUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** True when two URLs are those of one server. */
export function isSameServer(one: string, other: string): boolean {
  return normalized(one) === normalized(other);
}

function normalized(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
