import { t } from '../../../texts.js';

/** The limit of a file: all of it is in the memory of the tab. */
const FILE_BYTES_MAX = 100 * 1024 * 1024;

/** Reads a file as text. @throws Error with a text for people */
export async function readText(file: Blob): Promise<string> {
  if (file.size > FILE_BYTES_MAX)
    throw new Error(t`The file is larger than 100 MiB. Use xsvc import on the command line.`);
  return decode(new Uint8Array(await file.arrayBuffer()));
}

/** UTF-8, or UTF-16 with a byte order mark. */
export function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (text.includes('\0')) throw new TypeError('binary');
    return text;
  } catch {
    throw new Error(t`The file is not text in UTF-8. Save it again in this encoding.`);
  }
}
