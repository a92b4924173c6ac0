/**
 * A text in the browser's storage: for the tab, or longer. The storage may be refused or full; then only the page keeps the text.
 */
export class KeptText {
  #kept: string | undefined;

  constructor(
    readonly where: 'sessionStorage' | 'localStorage',
    readonly key: string,
  ) {}

  get(): string | undefined {
    return this.#kept ?? this.#try((storage) => storage.getItem(this.key)) ?? undefined;
  }

  /** @param text undefined removes the text */
  set(text: string | undefined): void {
    this.#kept = text;
    this.#try((storage) => {
      // When the new text does not fit, the old one must not return.
      storage.removeItem(this.key);
      if (text !== undefined) storage.setItem(this.key, text);
    });
  }

  /** Without permission, even the access to the storage throws. */
  #try<T>(use: (storage: Storage) => T): T | undefined {
    try {
      return use(window[this.where]);
    } catch {
      return undefined;
    }
  }
}
