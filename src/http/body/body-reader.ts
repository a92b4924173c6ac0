import type { IncomingMessage } from 'node:http';
import { badRequest, formatExcerpt, ServiceError } from '../../errors.js';
import { formatSize } from '../../lib/time/duration.js';
import { ArrivingBody, BodyBudget } from '../admission/body-budget.js';
import { bodyFormat, unsupported, type BodyFormat, type BodyParsers } from '../answer/media.js';

/** Initial buffer of a body of unknown length, in bytes; it doubles each time. */
const FIRST_BYTES = 16 * 1024;

/** Reads bodies of requests within a memory budget. */
export class BodyReader {
  /**
   * @param bytesMax of one body
   * @param budget of all bodies. Default: a separate one
   * @param parsers of formats beside JSON and YAML. Default: none
   */
  constructor(
    private readonly bytesMax: number,
    private readonly budget = new BodyBudget(),
    private readonly parsers?: BodyParsers,
  ) {}

  /**
   * The format of a request's body.
   * @throws ServiceError `UnsupportedMediaType`
   */
  formatOf({ headers }: IncomingMessage): BodyFormat {
    return bodyFormat(headers['content-type'], this.parsers);
  }

  /**
   * Reads a request's whole body.
   * @param leastMax the limit, when it is larger than that of the reader
   * @throws ServiceError `RequestEntityTooLarge` as soon as the limit is exceeded, `BadRequest` when the client
   * disconnects, `UnsupportedMediaType` for a compressed body, `ServiceUnavailable` without enough memory
   */
  read(req: IncomingMessage, leastMax = 0): Promise<Buffer> {
    const bytesMax = Math.max(this.bytesMax, leastMax);
    const encoding = req.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity')
      return Promise.reject(
        unsupported(`content encoding "${formatExcerpt(encoding)}"`, 'the body without an encoding'),
      );
    const announced = Number(req.headers['content-length'] ?? 0);
    if (announced > bytesMax) return Promise.reject(tooLarge(bytesMax));
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        req.off('data', onData).off('error', brokenOff).off('close', brokenOff).off('end', whole);
        req.socket.off('close', brokenOff);
        parts.close();
        settle();
      };
      const fail = (reason: ServiceError): void => {
        req.pause();
        end(() => reject(reason));
      };
      const parts = new Parts(announced, this.budget, fail);
      const onData = (chunk: Buffer): void => {
        const isTooLarge = parts.length + chunk.length > bytesMax;
        const refusal = isTooLarge ? tooLarge(bytesMax) : parts.add(chunk);
        if (refusal !== undefined) fail(refusal);
      };
      const brokenOff = (): void =>
        end(() => reject(badRequest('the connection closed before the body was complete')));
      const whole = (): void => {
        const bytes = parts.whole();
        end(() => resolve(bytes));
      };
      req.on('data', onData).once('error', brokenOff).once('close', brokenOff).once('end', whole);
      // A request that is answered before its body is complete emits no `close` event.
      req.socket.once('close', brokenOff);
    });
  }
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError('RequestEntityTooLarge', `the body is larger than ${formatSize(bytesMax)}`);
}

/** The parts of a body, joined as they arrive. */
class Parts {
  readonly #arriving: ArrivingBody;
  #only: Buffer | undefined;
  #bytes = Buffer.alloc(0);
  #length = 0;

  /**
   * @param announced its length; 0 when it is not known
   * @param end called when its memory was taken away
   */
  constructor(
    private readonly announced: number,
    private readonly budget: BodyBudget,
    end: (reason: ServiceError) => void,
  ) {
    this.#arriving = new ArrivingBody(end);
  }

  get length(): number {
    return this.#length;
  }

  /** @returns the error when memory is missing; undefined when the chunk was added */
  add(chunk: Buffer): ServiceError | undefined {
    // Most bodies arrive in one part, which needs no additional memory.
    if (this.#length === 0 && chunk.length === this.announced) this.#only = chunk;
    else {
      const needed = this.#length + chunk.length;
      const refusal = needed > this.#bytes.length ? this.#grow(needed) : undefined;
      if (refusal !== undefined) return refusal;
      this.#bytes.set(chunk, this.#length);
      this.budget.progress(this.#arriving, chunk.length);
    }
    this.#length += chunk.length;
    return undefined;
  }

  whole(): Buffer {
    return this.#only ?? this.#bytes.subarray(0, this.#length);
  }

  close(): void {
    this.budget.giveBack(this.#arriving);
    this.#bytes = Buffer.alloc(0);
  }

  #grow(needed: number): ServiceError | undefined {
    const size = this.announced || Math.max(FIRST_BYTES, needed, this.#bytes.length * 2);
    const refusal = this.budget.take(this.#arriving, size - this.#bytes.length);
    if (refusal !== undefined) return refusal;
    const larger = Buffer.allocUnsafeSlow(size);
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
    return undefined;
  }
}
