/** What the thread of a `Converter` runs. */
import { answerRequests } from '../lib/thread.js';
import { convert, type Conversion } from './conversion.js';
import type { Converted, ConversionRequest } from './converter.js';

answerRequests(
  ({ conversion, into }: ConversionRequest): Converted =>
    convertInto(Buffer.from(into), conversion) ?? Buffer.from([...convert(conversion)].join('')),
);

/** @returns how many bytes it took; undefined when there are not so many */
function convertInto(room: Buffer, conversion: Conversion): number | undefined {
  let used = 0;
  for (const text of convert(conversion)) {
    if (Buffer.byteLength(text) > room.length - used) return undefined;
    used += room.write(text, used);
  }
  return used;
}
