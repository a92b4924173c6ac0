/** Hands out names, each once. */
export class Names {
  readonly #taken: Set<string>;

  constructor(reserved: Iterable<string> = []) {
    this.#taken = new Set(reserved);
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** The name itself when it is free, else the one that says more, else that with a number. */
  take(name: string, longer: string): string {
    let free = name;
    if (this.#taken.has(free)) free = longer;
    for (let n = 2; this.#taken.has(free); n++) free = `${longer}${n}`;
    this.#taken.add(free);
    return free;
  }

  reserve(name: string): void {
    this.#taken.add(name);
  }
}

/** Words of any text, joined with capitals: `demo.example.com` is `DemoExampleCom`. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Whether a name is in PascalCase, as names of operations should be. */
export function isPascalCase(name: string): boolean {
  return /^[A-Z][A-Za-z0-9]*$/.test(name);
}

/** A text as the name of a component of a document. */
export function componentName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]/g, '_') || 'Schema';
}
