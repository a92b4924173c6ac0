/** What the browser keeps of texts: for the tab, or for longer. It may refuse to, or be full; then only the page keeps them. */
export class KeptText {
  #kept: string | undefined;

  constructor(
    readonly where: 'sessionStorage' | 'localStorage',
    readonly key: string,
  ) {}

  get(): string | undefined {
    return this.#kept ?? this.#try((storage) => storage.getItem(this.key)) ?? undefined;
  }

  /** @param text undefined: nothing is kept any more */
  set(text: string | undefined): void {
    this.#kept = text;
    this.#try((storage) => {
      // Where there is no room for the new text, the old one must not come back.
      storage.removeItem(this.key);
      if (text !== undefined) storage.setItem(this.key, text);
    });
  }

  /** Where a page may keep nothing, already the name of the storage throws. */
  #try<T>(use: (storage: Storage) => T): T | undefined {
    try {
      return use(window[this.where]);
    } catch {
      return undefined;
    }
  }
}
