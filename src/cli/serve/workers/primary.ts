import cluster, { type Worker } from 'node:cluster';
import type { Listening } from '../../../daemon/listeners.js';
import type { Logger } from '../../../lib/log/logger.js';
import { addressOf } from '../../../lib/origin.js';
import { takenSecrets } from '../../../lib/process/secrets.js';
import { EXIT } from '../../exit.js';
import type { CliIo } from '../../io.js';
import { enveloped, listeningLine, messageIn, WORKER_ENV, type Message } from './messages.js';
import { Rounds } from './round.js';

/** The delay before a dead worker is replaced: at first, and at most when it dies repeatedly. */
const AGAIN_MS = 100;
const AGAIN_MS_MAX = 5_000;
/** The lifetime after which a death is not caused by the start. */
const SOUND_MS = 10_000;

/** After a stop, workers whose start does not end: the event loop of one may be blocked, and receives no message. */
const SIGNAL_MS = 500;
const KILL_MS = 8_000;

/** Signals by which the system or a person asks a process to end. All processes of a group receive them at the same time. */
const STOP_SIGNALS: ReadonlySet<string | null> = new Set(['SIGTERM', 'SIGINT']);

interface Slot {
  readonly number: number;
  worker: Worker | undefined;
  isReady: boolean;
  startedAt: number;
  /** Consecutive deaths, each soon after the start. */
  deaths: number;
  again: NodeJS.Timeout | undefined;
}

/**
 * Serves with several processes on one address and one store; this one only starts them, and replaces those that die. The first
 * starts alone, so that the work on the store is done once, and errors are reported once.
 * @returns the exit code
 */
export function runWorkers(
  count: number,
  logger: Logger,
  { io, stop, reopens }: WorkersOptions,
): Promise<number> {
  // The system assigns a connection to a worker that accepts it. If this process passed connections on, those on the way to a dying
  // worker would be lost without notice to their clients.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  return new Promise((resolve) => {
    const workers = new Workers(count, logger, {
      onReady: (url) => io.stdout.write(listeningLine(url)),
      onEnd: resolve,
    });
    stop.addEventListener('abort', () => {
      logger.info('stopping');
      workers.stop(EXIT.done);
    });
    if (reopens) io.onHangup(() => workers.reopen());
    workers.start();
  });
}

export interface WorkersOptions {
  readonly io: CliIo;
  /** Aborted when all must end. */
  readonly stop: AbortSignal;
  /** True when workers have files to open again. */
  readonly reopens: boolean;
}

interface Ports {
  readonly api: number;
  readonly plugins: number;
}

interface Events {
  /** Called when all answer for the first time. */
  readonly onReady: (url: string) => void;
  /** Called when none is left after a stop. */
  readonly onEnd: (code: number) => void;
}

class Workers {
  readonly #slots: readonly Slot[];
  readonly #rounds: Rounds;
  /** The ports of workers: 0 while they listen on the configured ones. */
  #ports: Ports = { api: 0, plugins: 0 };
  #pickedPorts: Ports | undefined;
  #hasStarted = false;
  /** The exit code when all must end. */
  #ending: number | undefined;

  constructor(
    private readonly count: number,
    private readonly logger: Logger,
    private readonly events: Events,
  ) {
    this.#slots = Array.from({ length: count }, (_, i) => ({
      number: i + 1,
      worker: undefined,
      isReady: false,
      startedAt: 0,
      deaths: 0,
      again: undefined,
    }));
    this.#rounds = new Rounds((number, message) => this.#send(this.#slots[number - 1], message));
  }

  start(): void {
    const [first] = this.#slots;
    if (first !== undefined) this.#fork(first);
  }

  reopen(): void {
    for (const slot of this.#slots) this.#send(slot, { kind: 'reopen' });
  }

  stop(code: number): void {
    if (this.#ending !== undefined) return;
    this.#ending = code;
    for (const slot of this.#slots) {
      clearTimeout(slot.again);
      this.#send(slot, { kind: 'stop' });
    }
    const starting = this.#slots.filter(({ isReady }) => !isReady);
    const signal = (name: 'SIGTERM' | 'SIGKILL'): void => {
      for (const { worker } of starting) worker?.process.kill(name);
    };
    setTimeout(() => signal('SIGTERM'), SIGNAL_MS).unref();
    setTimeout(() => signal('SIGKILL'), KILL_MS).unref();
    this.#endIfAlone();
  }

  #fork(slot: Slot): void {
    const worker = cluster.fork({
      ...takenSecrets(),
      [WORKER_ENV.number]: slot.number,
      [WORKER_ENV.count]: this.count,
      [WORKER_ENV.port]: this.#ports.api,
      [WORKER_ENV.pluginPort]: this.#ports.plugins,
      // While another worker answers, no request may reach plugins that are starting.
      [WORKER_ENV.listensLate]: this.#pickedPorts === undefined ? '' : '1',
    });
    Object.assign(slot, { worker, isReady: false, startedAt: performance.now() });
    worker.on('message', (value: unknown) => {
      const message = messageIn(value);
      if (message !== undefined) this.#receive(slot, message);
    });
    worker.on('error', (error) => this.logger.warn(`worker ${slot.number}: ${error.message}`));
    worker.on('exit', (code, signal) => this.#exited(slot, code, signal));
  }

  #receive(slot: Slot, message: Message): void {
    if (message.kind === 'joined') {
      if (this.#ending !== undefined) this.#send(slot, { kind: 'stop' });
    } else if (message.kind === 'ready') this.#ready(slot, message.listening);
    else if (message.kind === 'answer') this.#rounds.answer(slot.number, message);
    else if (message.kind === 'ask') {
      const others = this.#slots.filter((other) => other !== slot && other.isReady);
      this.#rounds.ask(
        slot.number,
        message,
        others.map(({ number }) => number),
      );
    }
  }

  #ready(slot: Slot, { url, pluginOrigin }: Listening): void {
    slot.isReady = true;
    if (this.#hasStarted) {
      this.logger.info(`worker ${slot.number} is serving again`, { pid: slot.worker?.process.pid });
      return;
    }
    const plugins = pluginOrigin === undefined ? 0 : addressOf(pluginOrigin).port;
    this.#pickedPorts = { api: addressOf(url).port, plugins };
    if (this.#ending !== undefined) return;
    for (const other of this.#slots) if (other.worker === undefined) this.#fork(other);
    if (!this.#slots.every(({ isReady }) => isReady)) return;
    this.#hasStarted = true;
    this.events.onReady(url);
  }

  #exited(slot: Slot, code: number | null, signal: string | null): void {
    const pid = slot.worker?.process.pid;
    Object.assign(slot, { worker: undefined, isReady: false });
    this.#rounds.forget(slot.number);
    const wasAsked = code === EXIT.done || STOP_SIGNALS.has(signal);
    if (this.#ending !== undefined) {
      if (!wasAsked) this.#ending = Math.max(this.#ending, code ?? EXIT.failed);
      this.#endIfAlone();
      return;
    }
    // An error that prevents the first start also prevents others; it was reported.
    if (!this.#hasStarted && !wasAsked) {
      this.stop(code ?? EXIT.failed);
      return;
    }
    // An automatic port is kept while a worker listens on it; after that a new one is chosen.
    if (this.#pickedPorts !== undefined && this.#slots.every(({ worker }) => worker === undefined))
      this.#ports = this.#pickedPorts;
    slot.deaths = performance.now() - slot.startedAt < SOUND_MS ? slot.deaths + 1 : 0;
    const delayMs = Math.min(AGAIN_MS_MAX, AGAIN_MS * 2 ** slot.deaths);
    this.logger.error(`worker ${slot.number} has exited; a replacement is starting`, {
      pid,
      ...(signal === null ? { code } : { signal }),
      delayMs,
    });
    slot.again = setTimeout(() => this.#fork(slot), delayMs);
  }

  #send(slot: Slot | undefined, message: Message): void {
    if (slot?.worker?.isConnected() === true) slot.worker.send(enveloped(message));
  }

  #endIfAlone(): void {
    if (this.#ending !== undefined && this.#slots.every(({ worker }) => worker === undefined))
      this.events.onEnd(this.#ending);
  }
}
