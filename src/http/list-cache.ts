/** Memory for answers that may be asked for again. */
const BYTES_MAX = 16 * 1024 * 1024;
/** A larger answer is not kept: it would push out many small ones. */
const ANSWER_BYTES_MAX = 256 * 1024;

interface Kept {
  /** State of the store that the answer was read from. */
  readonly stamp: string;
  readonly body: Buffer;
}

/**
 * Pages as they were sent, as long as nothing in the store changed: whoever shows a list asks for the same one
 * again and again. The least recently used go first.
 */
export class ListCache {
  private readonly answers = new Map<string, Kept>();
  private bytes = 0;

  /** Undefined when the request was not answered in this state of the store. */
  find(request: string, stamp: string): Buffer | undefined {
    const kept = this.answers.get(request);
    if (kept === undefined) return undefined;
    this.drop(request, kept);
    if (kept.stamp !== stamp) return undefined;
    this.add(request, kept);
    return kept.body;
  }

  put(request: string, kept: Kept): void {
    const old = this.answers.get(request);
    if (old !== undefined) this.drop(request, old);
    if (kept.body.length > ANSWER_BYTES_MAX) return;
    this.add(request, kept);
    for (const [oldest, answer] of this.answers) {
      if (this.bytes <= BYTES_MAX) return;
      this.drop(oldest, answer);
    }
  }

  private add(request: string, kept: Kept): void {
    this.answers.set(request, kept);
    this.bytes += kept.body.length + request.length;
  }

  private drop(request: string, kept: Kept): void {
    this.answers.delete(request);
    this.bytes -= kept.body.length + request.length;
  }
}
