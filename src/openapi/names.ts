/** A wanted name, and a function that returns a longer one for when it is taken. */
export type Wish = readonly [wanted: string, longer: () => string];

/** Assigns names, each once. */
export class Names {
  readonly #taken: Set<string>;

  constructor(reserved: Iterable<string> = []) {
    this.#taken = new Set(reserved);
  }

  /** Takes the name itself when it is free, else the longer one, else the longer one with a number. */
  take(wanted: string, longer: () => string): string {
    if (!this.#taken.has(wanted)) {
      this.#taken.add(wanted);
      return wanted;
    }
    const base = longer();
    let free = base;
    for (let n = 2; this.#taken.has(free); n++) free = `${base}${n}`;
    this.#taken.add(free);
    return free;
  }

  /** Takes several names when all of them are free; otherwise takes none and returns false. */
  takeAll(names: readonly string[]): boolean {
    if (names.some((name) => this.#taken.has(name))) return false;
    for (const name of names) this.#taken.add(name);
    return true;
  }
}

/** Words of any text, joined with capitals: `demo.example.com` is `DemoExampleCom`. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** True when a name is in PascalCase, as names of operations should be. */
export function isPascalCase(name: string): boolean {
  return /^[A-Z][A-Za-z0-9]*$/.test(name);
}

export function componentName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/g, '_') || 'Schema';
}
