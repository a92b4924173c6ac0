import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest, formatExcerpt, ServiceError } from '../../errors.js';
import { formatSize } from '../../lib/time/duration.js';
import { ArrivingBody, BodyBudget } from '../admission/body-budget.js';
import { bodyFormat, unsupported, type BodyFormat, type BodyParsers } from '../answer/media.js';

/** Initial buffer of a body of unknown length, in bytes; it doubles each time. */
const FIRST_BYTES = 16 * 1024;
/** Larger bodies wait for each other. In bytes. */
const LARGE_BYTES = 256 * 1024;
/** Longest time that a large body counts as in work, in milliseconds. Its request may wait for another large one. */
const IN_WORK_MS = 500;

/** Requests of Express have their answer. */
type ReadRequest = IncomingMessage & { readonly res?: ServerResponse | undefined };

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
  read(req: ReadRequest, leastMax = 0): Promise<Buffer> {
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
        req.off('data', onData).off('error', closed).off('close', closed).off('end', whole);
        req.socket.off('close', closed);
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
      const closed = (): void => end(() => reject(brokenOff()));
      const whole = (): void => {
        const bytes = parts.whole();
        end(() => resolve(bytes.length > LARGE_BYTES ? this.#inWork(req, bytes) : bytes));
      };
      req.on('data', onData).once('error', closed).once('close', closed).once('end', whole);
      // A request that is answered before its body is complete emits no `close` event.
      req.socket.once('close', closed);
    });
  }

  /** Waits until few large bodies are in work: objects take up to thirty times the length of their body. */
  async #inWork(req: ReadRequest, bytes: Buffer): Promise<Buffer> {
    const { inWork } = this.budget;
    const leave = (): void => {
      inWork.stopWaiting(req);
      inWork.release(req);
    };
    req.res?.once('close', leave);
    if (!(await inWork.take(req, bytes.length))) throw brokenOff();
    setTimeout(leave, IN_WORK_MS).unref();
    return bytes;
  }
}

function brokenOff(): ServiceError {
  return badRequest('the connection closed before the request was read');
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
