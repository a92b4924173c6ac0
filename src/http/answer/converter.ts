import { badRequest } from '../../errors.js';
import { asBuffer } from '../../lib/bytes.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import { Yielder } from '../../lib/work/yield.js';
import { Thread } from '../../lib/process/thread.js';
import { convert, parseYamlBody, toYaml, type Conversion, type ReadBody } from './conversion.js';

/** So many bytes of JSON are converted in less than half a millisecond, which is not worth asking another thread. */
const HERE_BYTES_MAX = 4 * 1024;
/** As many as take a few milliseconds; most objects are smaller, so that few services need the thread. */
const OBJECT_HERE_BYTES_MAX = 16 * 1024;
/** What comes next is rarely so many times as long. */
const GROWTH = 1.5;
/** A thread that failed is followed by another, but where there can be none, it is tried no more. */
const THREADS_MAX = 20;
/**
 * Memory for what is new in the thread. To collect the garbage of so little takes a tenth of a millisecond; for more, V8
 * calls threads that it has for all of the process, and the event loop waits for a processor.
 */
const YOUNG_MB = 3;

export type ConversionRequest =
  | {
      readonly kind: 'items';
      readonly conversion: Conversion;
      /** Where the answer goes if there is room for it. */
      readonly into: SharedArrayBuffer;
    }
  /** JSON that becomes YAML. */
  | { readonly kind: 'document'; readonly json: Uint8Array }
  /** YAML that becomes JSON. */
  | { readonly kind: 'body'; readonly yaml: Uint8Array };

/** The number of bytes that were written, or these where there was no room. */
export type Converted = number | Uint8Array;
export type ConversionAnswer = Converted | ReadBody;

/**
 * Converts objects in another thread, so that neither the work nor its garbage keeps others from being answered. Where
 * there can be no thread, it is done here.
 */
export class Converter {
  private thread = newThread();
  private threads = 1;
  private isClosed = false;

  /**
   * @param conversion its memory must stay as it is until this is done
   * @param memory where the bytes are, until it is used again
   */
  convert(conversion: Conversion, memory: ConvertedMemory): MaybePromise<Buffer> {
    if (conversion.items.bytes.length <= HERE_BYTES_MAX) return convertHere(conversion);
    return this.convertThere(conversion, memory);
  }

  /** JSON of an object as a YAML document. */
  yaml(json: Uint8Array): MaybePromise<Buffer> {
    if (json.length <= OBJECT_HERE_BYTES_MAX) return toYaml(json);
    return this.ask({ kind: 'document', json }).then((yaml) =>
      yaml instanceof Uint8Array ? asBuffer(yaml) : toYaml(json),
    );
  }

  /**
   * What a body in YAML says. Its value is parsed here again, from JSON, for that is faster than to hand it over.
   * @throws ServiceError `BadRequest`
   */
  async parseYaml(yaml: Uint8Array): Promise<unknown> {
    if (yaml.length <= OBJECT_HERE_BYTES_MAX) return parseYamlBody(yaml);
    const read = await this.ask({ kind: 'body', yaml });
    if (typeof read !== 'object' || read instanceof Uint8Array) return parseYamlBody(yaml);
    if ('fault' in read) throw badRequest(read.fault);
    const breaks = new Yielder();
    const value: unknown = JSON.parse(asBuffer(read.json).toString());
    if (breaks.isDue) await breaks.take();
    return value;
  }

  /** Ends the thread. What is converted afterwards is converted here. */
  close(): Promise<void> {
    this.isClosed = true;
    return this.thread.close();
  }

  private async convertThere(conversion: Conversion, memory: ConvertedMemory): Promise<Buffer> {
    const converted = await this.ask({ kind: 'items', conversion, into: memory.shared });
    const isConverted = typeof converted === 'number' || converted instanceof Uint8Array;
    return isConverted ? memory.take(converted) : convertHere(conversion);
  }

  /** Undefined when the thread is gone, or was by what it was asked. */
  private ask(request: ConversionRequest): Promise<ConversionAnswer | undefined> {
    if (this.thread.isGone && !this.isClosed && this.threads < THREADS_MAX) {
      this.thread = newThread();
      this.threads += 1;
    }
    return this.thread.ask(request);
  }
}

function newThread(): Thread<ConversionRequest, ConversionAnswer> {
  return new Thread(new URL('conversion-worker.js', import.meta.url), { youngMb: YOUNG_MB });
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
    this.shared = new SharedArrayBuffer(Math.ceil(converted.byteLength * GROWTH));
    return asBuffer(converted);
  }
}
