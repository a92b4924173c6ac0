/** A value as code: JSON with plain keys and single quotes. */
export function toCode(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCode).join(', ')}]`;
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${key(name)}: ${toCode(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** A name of a property. */
export function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : quoted(name);
}

function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

/** An access to a member that may be absent: `o.spec?.size?.unit`. */
export function accessTo(way: readonly string[]): string {
  return way.reduce(
    (path, name) => path + (/^[A-Za-z_$][\w$]*$/.test(name) ? `?.${name}` : `?.[${quoted(name)}]`),
    'o.spec',
  );
}
