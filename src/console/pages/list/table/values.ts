/** The values of a cell as texts. The service joins several values with commas, and writes an array as JSON. */
export function getTexts(value: unknown): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  if (Array.isArray(value)) return value.filter((one) => one !== null && one !== undefined).map(asText);
  if (typeof value !== 'string') return [asText(value)];
  return value.startsWith('[') ? (readArray(value) ?? [value]) : value.split(',');
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Undefined unless it is a JSON array of scalars. */
export function readArray(text: string): readonly string[] | undefined {
  try {
    const values: unknown = JSON.parse(text);
    const isPlain = Array.isArray(values) && values.every((one) => typeof one !== 'object');
    return isPlain ? values.map(asText) : undefined;
  } catch {
    return undefined;
  }
}
