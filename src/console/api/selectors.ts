/** The field selector for objects whose field has a value. */
export function fieldIs(field: string, value: string): string {
  return `${field}=${escapeFieldValue(value)}`;
}

export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=()]/g, '\\$&');
}

/** How a label is called in filters and facets. */
export function labelField(key: string): string {
  return `metadata.labels[${JSON.stringify(key)}]`;
}

/** The key of a label that is called so. */
export function findLabelKey(field: string): string | undefined {
  return /^metadata\.labels\["([^"]*)"\]$/.exec(field)?.[1];
}
