const GROUP = 0x10000;

/** For each object the number of the newest segment that has it, 1 to 65,535; 0 for none. */
export class Newest {
  readonly #groups = new Map<number, Uint16Array>();

  get(objectId: number): number {
    return this.#groups.get(Math.floor(objectId / GROUP))?.[objectId % GROUP] ?? 0;
  }

  set(objectId: number, segment: number): void {
    const high = Math.floor(objectId / GROUP);
    let group = this.#groups.get(high);
    if (group === undefined) this.#groups.set(high, (group = new Uint16Array(GROUP)));
    group[objectId % GROUP] = segment;
  }

  clone(): Newest {
    const copy = new Newest();
    for (const [high, group] of this.#groups) copy.#groups.set(high, group.slice());
    return copy;
  }

  /** Memory, in bytes. */
  get bytes(): number {
    return this.#groups.size * GROUP * 2;
  }
}
