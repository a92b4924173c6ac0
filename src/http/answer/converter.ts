import { badRequest } from '../../errors.js';
import { asBuffer } from '../../lib/bytes.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import { Yielder } from '../../lib/work/yield.js';
import { Thread } from '../../lib/process/thread.js';
import { convert, parseYamlBody, toYaml, type YamlConversion, type ReadBody } from './conversion.js';

/** This many bytes of JSON are converted in less than half a millisecond, which is not worth another thread. */
const HERE_BYTES_MAX = 4 * 1024;
/**
 * An object of this size takes a few milliseconds; most objects are smaller, so that few services need the thread.
 */
const OBJECT_HERE_BYTES_MAX = 16 * 1024;
/** The next output is rarely longer than this multiple of the last one. */
const GROWTH = 1.5;
/** A failed thread is replaced up to this number; then a system without threads is assumed. */
const THREADS_MAX = 20;
/**
 * Size of the thread's young generation, in megabytes. Collecting so little garbage takes a tenth of a millisecond.
 * For more, V8 uses threads of the whole process, and the event loop waits for a processor.
 */
const YOUNG_MB = 3;

export type ConversionRequest =
  | {
      readonly kind: 'items';
      readonly conversion: YamlConversion;
      /** The buffer for the answer, if it fits. */
      readonly into: SharedArrayBuffer;
    }
  /** Converts JSON to YAML. */
  | { readonly kind: 'document'; readonly json: Uint8Array }
  /** Converts YAML to JSON. */
  | { readonly kind: 'body'; readonly yaml: Uint8Array };

/** The number of written bytes, or the bytes themselves when the buffer was too small. */
export type Converted = number | Uint8Array;
export type ConversionAnswer = Converted | ReadBody;

/**
 * Converts objects in another thread, so that neither the work nor its garbage blocks other requests. Without a
 * thread, the conversion runs in this one.
 */
export class Converter {
  #thread = newThread();
  #threads = 1;
  #isClosed = false;

  /**
   * @param conversion its memory must not change until the result
   * @param memory holds the result until its next use
   */
  convert(conversion: YamlConversion, memory: ConvertedMemory): MaybePromise<Buffer> {
    if (conversion.items.bytes.length <= HERE_BYTES_MAX) return convertHere(conversion);
    return this.#convertThere(conversion, memory);
  }

  /** Converts JSON of an object to a YAML document. */
  yaml(json: Uint8Array): MaybePromise<Buffer> {
    if (json.length <= OBJECT_HERE_BYTES_MAX) return toYaml(json);
    return this.#ask({ kind: 'document', json }).then((yaml) =>
      yaml instanceof Uint8Array ? asBuffer(yaml) : toYaml(json),
    );
  }

  /**
   * Parses a body in YAML. The thread returns JSON, which is parsed again here; that is faster than the transfer of
   * the value.
   * @throws ServiceError `BadRequest`
   */
  async parseYaml(yaml: Uint8Array): Promise<unknown> {
    if (yaml.length <= OBJECT_HERE_BYTES_MAX) return parseYamlBody(yaml);
    const read = await this.#ask({ kind: 'body', yaml });
    if (typeof read !== 'object' || read instanceof Uint8Array) return parseYamlBody(yaml);
    if ('fault' in read) throw badRequest(read.fault);
    const yielder = new Yielder();
    const value: unknown = JSON.parse(asBuffer(read.json).toString());
    if (yielder.isDue) await yielder.take();
    return value;
  }

  /** Stops the thread. Later conversions run in this thread. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#thread.close();
  }

  async #convertThere(conversion: YamlConversion, memory: ConvertedMemory): Promise<Buffer> {
    const converted = await this.#ask({ kind: 'items', conversion, into: memory.shared });
    const isConverted = typeof converted === 'number' || converted instanceof Uint8Array;
    return isConverted ? memory.take(converted) : convertHere(conversion);
  }

  /** Undefined when the thread is gone, or ended during the request. */
  #ask(request: ConversionRequest): Promise<ConversionAnswer | undefined> {
    if (this.#thread.isGone && !this.#isClosed && this.#threads < THREADS_MAX) {
      this.#thread = newThread();
      this.#threads += 1;
    }
    return this.#thread.ask(request);
  }
}

function newThread(): Thread<ConversionRequest, ConversionAnswer> {
  return new Thread(new URL('conversion-worker.js', import.meta.url), { youngMb: YOUNG_MB });
}

function convertHere(conversion: YamlConversion): Buffer {
  return Buffer.from([...convert(conversion)].join(''));
}

/** Memory for the output for one client. It is reused each time, so that a long list leaves little garbage. */
export class ConvertedMemory {
  /** Grows to the needed size. */
  shared = new SharedArrayBuffer(0);

  take(converted: Converted): Buffer {
    if (typeof converted === 'number') return Buffer.from(this.shared, 0, converted);
    this.shared = new SharedArrayBuffer(Math.ceil(converted.byteLength * GROWTH));
    return asBuffer(converted);
  }
}
