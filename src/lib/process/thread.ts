import { parentPort, Worker, type Transferable } from 'node:worker_threads';

export interface ThreadOptions {
  /** The `workerData` of the module. */
  readonly data?: string;
  /** Memory for new objects, in MiB. Default: that of V8. */
  readonly youngMb?: number;
}

/**
 * Another thread of this process, which runs a module that calls {@link answerRequests}. It starts with the first
 * request, and answers in the order of the requests. When the thread cannot start or has failed, it gives no answer.
 */
export class Thread<Request, Answer> {
  #hasEnded = false;
  #worker: Worker | undefined;
  readonly #waiting: ((answer: Answer | undefined) => void)[] = [];

  constructor(
    private readonly module: URL,
    private readonly options: ThreadOptions = {},
  ) {}

  /** True when the thread can answer no more requests. */
  get isGone(): boolean {
    return this.#hasEnded;
  }

  /**
   * Sends a request. Resolves with the answer; undefined when the thread is gone.
   * @param moved memory of the request that is transferred instead of copied
   */
  async ask(request: Request, moved: readonly Transferable[] = []): Promise<Answer | undefined> {
    const worker = this.#started();
    if (worker === undefined) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      // A process must not end while it waits, and the thread alone must not keep it alive.
      worker.ref();
      worker.postMessage({ request }, moved);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (worker === undefined) return;
    worker.ref();
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({});
    await ended;
  }

  #started(): Worker | undefined {
    if (this.#hasEnded) return undefined;
    try {
      return (this.#worker ??= this.#start());
    } catch {
      // The system has no more threads for this process.
      this.#hasEnded = true;
      return undefined;
    }
  }

  #start(): Worker {
    const { data, youngMb } = this.options;
    const worker = new Worker(this.module, {
      workerData: data,
      execArgv: [],
      resourceLimits: youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb },
    });
    worker.on('message', (answer: Answer) => this.#settle(answer));
    // Without a listener the error would be thrown here. The thread ends after it.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      this.#hasEnded = true;
      while (this.#waiting.length > 0) this.#settle(undefined);
    });
    return worker;
  }

  #settle(answer: Answer | undefined): void {
    this.#waiting.shift()?.(answer);
    if (this.#waiting.length === 0) this.#worker?.unref();
  }
}

/** A message to a {@link Thread}; without a request, the thread shall end. */
interface Message<Request> {
  readonly request?: Request;
}

/**
 * Answers the requests to this thread until it shall end.
 * @param end runs before the thread ends
 */
export function answerRequests<Request, Answer>(
  answer: (request: Request) => Answer,
  end: () => Promise<void> = () => Promise.resolve(),
): void {
  parentPort?.on('message', ({ request }: Message<Request>) => {
    if (request === undefined) void end().then(() => parentPort?.close());
    else parentPort?.postMessage(answer(request));
  });
}
