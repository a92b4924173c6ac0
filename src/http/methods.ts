const READING: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request of the method may change something; of a custom endpoint, all other methods may. */
export function isWrite(method: string | undefined): boolean {
  return !READING.has(method);
}
