/** The operator's configuration cannot be used. An error of usage, not of an object: exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** At least one sentence. */
  readonly faults: readonly string[];

  constructor(...faults: readonly string[]) {
    const [fault = ''] = faults;
    super(
      faults.length > 1 ? `${faults.length} errors in the configuration:\n  ${faults.join('\n  ')}` : fault,
    );
    this.faults = faults;
  }
}

type Readers = Readonly<Record<string, () => unknown>>;

/** Calls all functions. @throws ConfigError with the faults of all of them, each once */
export function readAll<R extends Readers>(readers: R): { readonly [Name in keyof R]: ReturnType<R[Name]> } {
  const values: Record<string, unknown> = {};
  const faults = new Set<string>();
  for (const [name, read] of Object.entries(readers))
    try {
      values[name] = read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const fault of error.faults) faults.add(fault);
    }
  if (faults.size > 0) throw new ConfigError(...faults);
  // Each value is that of the function with its name.
  return values as { readonly [Name in keyof R]: ReturnType<R[Name]> };
}
