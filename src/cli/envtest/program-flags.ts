/** The flags with which envtest starts a program, by name without dashes; the last value of each. */
export type ProgramFlags = ReadonlyMap<string, string>;

/** The flags of a program that have a meaning here, and those that need none. */
export interface KnownFlags {
  readonly used: readonly string[];
  readonly ignored: readonly string[];
}

/** The value of a flag without one. */
const ON = 'true';

/**
 * Reads flags as Go programs do: `--name=value`, `--name value` or `--name`.
 * @param onIgnored gets the names of flags that are not known
 */
export function readProgramFlags(
  words: readonly string[],
  { used, ignored }: KnownFlags,
  onIgnored: (name: string) => void,
): ProgramFlags {
  const flags = new Map<string, string>();
  words.forEach((word, at) => {
    const [, name, value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) return;
    const next = words[at + 1];
    flags.set(name, value ?? (next === undefined || next.startsWith('-') ? ON : next));
  });
  for (const name of flags.keys()) if (!used.includes(name) && !ignored.includes(name)) onIgnored(name);
  return flags;
}

/** The help of a program, as envtest looks for flags in it. */
export function programHelp({ used, ignored }: KnownFlags): string {
  return [...used, ...ignored].map((name) => `  --${name}\n`).join('');
}
