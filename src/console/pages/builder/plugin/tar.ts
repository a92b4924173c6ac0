/** The size of a block of an archive, in bytes. */
const BLOCK = 512;

interface ArchivedFile {
  /** With its directories; at most 100 bytes. */
  readonly name: string;
  readonly text: string;
}

/** An archive of files in the format `ustar`, as `tar -x` reads it. */
export function writeTar(files: readonly ArchivedFile[]): Blob {
  const parts = files.flatMap(({ name, text }) => {
    const content = new TextEncoder().encode(text);
    return [header(name, content.length), content, new Uint8Array(-content.length & (BLOCK - 1))];
  });
  return new Blob([...parts, new Uint8Array(2 * BLOCK)], { type: 'application/x-tar' });
}

function header(name: string, size: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  const put = (text: string, at: number): void => block.set(new TextEncoder().encode(text), at);
  const octal = (value: number, width: number): string => value.toString(8).padStart(width - 1, '0');
  put(name, 0);
  put(octal(0o644, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(size, 12), 124);
  put(octal(Math.floor(Date.now() / 1_000), 12), 136);
  // The sum counts its own field as blanks.
  put('        ', 148);
  put('0', 156);
  put('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 7)}\0 `, 148);
  return block;
}
