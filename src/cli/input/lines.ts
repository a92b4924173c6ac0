/** A line of a file, including its end. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Undefined when the line is longer than {@link LINE_BYTES_MAX}. */
  readonly bytes: Uint8Array | undefined;
}

/** The limit of a line in memory: a file may have any content. */
export const LINE_BYTES_MAX = 64 * 1024 * 1024;

const LINE_END = 0x0a;

/** The lines of a stream of bytes. The memory is bounded for any input. */
export async function* splitLines(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<Line> {
  let number = 0;
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array): void => {
    length += part.length;
    if (length <= LINE_BYTES_MAX) parts.push(part);
    else parts = [];
  };
  const take = (): Line => {
    const bytes = length <= LINE_BYTES_MAX ? Buffer.concat(parts, length) : undefined;
    [parts, length] = [[], 0];
    number += 1;
    return { number, bytes };
  };
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, start)) {
      add(bytes.subarray(start, end + 1));
      yield take();
      start = end + 1;
    }
    if (start < bytes.length) add(bytes.subarray(start));
  }
  if (length > 0) yield take();
}
