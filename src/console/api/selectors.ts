/** The field selector for objects with a value of a field. */
export function fieldIs(field: string, value: string): string {
  return `${field}=${escapeFieldValue(value)}`;
}

export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=()]/g, '\\$&');
}

/** The filter for objects whose names begin with a text. */
export function nameBegins(prefix: string): string {
  return `metadata.name.startsWith(${JSON.stringify(prefix)})`;
}

/** The name of a label in filters and facets. */
export function labelField(key: string): string {
  return `metadata.labels[${JSON.stringify(key)}]`;
}

/** The key of the label with such a name. */
export function findLabelKey(field: string): string | undefined {
  return /^metadata\.labels\["([^"]*)"\]$/.exec(field)?.[1];
}
