/**
 * The non-empty lines of a text that arrives in parts.
 * @param brokenOff creates the error for a text that ends within a line
 */
export async function* splitLines(
  parts: AsyncIterable<string>,
  brokenOff: () => Error,
): AsyncGenerator<string> {
  let rest = '';
  for await (const part of parts) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest !== '') throw brokenOff();
}
