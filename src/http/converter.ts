import type { MaybePromise } from '../lib/maybe-promise.js';
import { Thread } from '../lib/thread.js';
import { convert, type Conversion } from './conversion.js';

/** So many bytes of JSON are converted in less than half a millisecond, which is not worth asking another thread. */
const HERE_BYTES_MAX = 4 * 1024;
/** What comes next is rarely so many times as long. */
const GROWTH = 1.5;
/**
 * Memory for what is new in the thread. To collect the garbage of so little takes a tenth of a millisecond; for more, V8
 * calls threads that it has for all of the process, and the event loop waits for a processor.
 */
const YOUNG_MB = 3;

export interface ConversionRequest {
  readonly conversion: Conversion;
  /** Where the answer goes if there is room for it. */
  readonly into: SharedArrayBuffer;
}

/** The number of bytes that were written, or these where there was no room. */
export type Converted = number | Uint8Array;

/**
 * Converts objects in another thread, so that neither the work nor its garbage keeps others from being answered. Where
 * there can be no thread, it is done here.
 */
export class Converter {
  private readonly thread = new Thread<ConversionRequest, Converted>(
    new URL('conversion-worker.js', import.meta.url),
    { youngMb: YOUNG_MB },
  );

  /**
   * @param conversion its memory must stay as it is until this is done
   * @param memory where the bytes are, until it is used again
   */
  convert(conversion: Conversion, memory: ConvertedMemory): MaybePromise<Buffer> {
    if (conversion.items.bytes.length <= HERE_BYTES_MAX) return convertHere(conversion);
    return this.convertThere(conversion, memory);
  }

  /** Ends the thread. What is converted afterwards is converted here. */
  close(): Promise<void> {
    return this.thread.close();
  }

  private async convertThere(conversion: Conversion, memory: ConvertedMemory): Promise<Buffer> {
    const converted = await this.thread.ask({ conversion, into: memory.shared });
    return converted === undefined ? convertHere(conversion) : memory.take(converted);
  }
}

function convertHere(conversion: Conversion): Buffer {
  return Buffer.from([...convert(conversion)].join(''));
}

/** Memory for what is converted for one client. It is used again each time, so that a long list leaves little garbage. */
export class ConvertedMemory {
  /** Grows to what is needed. */
  shared = new SharedArrayBuffer(0);

  take(converted: Converted): Buffer {
    if (typeof converted === 'number') return Buffer.from(this.shared, 0, converted);
    const { buffer, byteOffset, byteLength } = converted;
    this.shared = new SharedArrayBuffer(Math.ceil(byteLength * GROWTH));
    return Buffer.from(buffer, byteOffset, byteLength);
  }
}
