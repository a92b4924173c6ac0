/** The limit of the kept lines of one plugin, in bytes of UTF-8. */
export const LOG_BYTES_MAX = 256 * 1024;

interface KeptLine {
  readonly text: string;
  readonly bytes: number;
}

export interface LogPart {
  readonly lines: readonly string[];
  /** The position after the part. */
  readonly next: number;
  /** The number of lines between the wanted position and the part that are no longer kept. */
  readonly lost: number;
}

/** The last lines of one plugin, each with a position that never changes. */
export class PluginLog {
  #lines: KeptLine[] = [];
  /** The position of the first kept line. */
  #first = 0;
  #bytes = 0;
  #waiting = new Set<() => void>();

  /** The position of the next line. */
  get end(): number {
    return this.#first + this.#lines.length;
  }

  /** @param text without line ends */
  add(text: string): void {
    const bytes = Buffer.byteLength(text) + 1;
    this.#lines.push({ text, bytes });
    this.#bytes += bytes;
    let dropped = 0;
    while (this.#bytes > LOG_BYTES_MAX) this.#bytes -= this.#lines[dropped++]?.bytes ?? 0;
    if (dropped > 0) this.#lines.splice(0, dropped);
    this.#first += dropped;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const go of waiting) go();
  }

  /** The kept lines from a position on. @param linesMax of the part */
  read(from: number, linesMax = Infinity): LogPart {
    const begin = Math.max(from, this.#first);
    const lines = this.#lines.slice(begin - this.#first, begin - this.#first + linesMax);
    return { lines: lines.map(({ text }) => text), next: begin + lines.length, lost: begin - from };
  }

  /** Resolves when a line after the position exists, or the signal is aborted. */
  async waitFor(position: number, signal: AbortSignal): Promise<void> {
    if (this.end > position || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        signal.removeEventListener('abort', go);
        this.#waiting.delete(go);
        resolve();
      };
      signal.addEventListener('abort', go);
      this.#waiting.add(go);
    });
  }
}
