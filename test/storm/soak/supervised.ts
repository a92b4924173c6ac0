import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DaemonProcess } from '../../helpers/daemon.js';
import type { World } from './world.js';

const START_MS = 90_000;
const AGAIN_MS = 200;
/** Within which SIGTERM is obeyed. */
const END_MS = 8_000;
const REPORT_MS = 2_000;

/** A daemon that is started again whenever it ends, as by an init system. */
export class Supervised {
  #daemon: DaemonProcess | undefined;
  /** It is being ended on purpose. */
  #isEnding = false;

  constructor(
    private readonly world: World,
    readonly name: string,
    private readonly startOne: () => Promise<DaemonProcess>,
  ) {}

  /** Starts it; when a start fails, again. A port of workers whose first process was killed is free a moment later. */
  async start(): Promise<void> {
    const until = performance.now() + START_MS;
    for (;;) {
      try {
        this.#follow(await this.startOne());
        return;
      } catch (error) {
        this.#event(`did not start: ${String(error)}`);
        if (performance.now() > until) throw error;
        await sleep(AGAIN_MS);
      }
    }
  }

  async kill(): Promise<void> {
    await this.#ending('SIGKILL');
    await this.start();
  }

  async restart(): Promise<void> {
    await this.end();
    await this.start();
  }

  async pause(ms: number): Promise<void> {
    await this.#pause(this.#daemon?.pid ?? 0, ms);
  }

  killWorker(index: number): void {
    const [pid] = this.workers().slice(index);
    this.#event(`SIGKILL to worker ${String(pid)}`);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }

  async pauseWorker(index: number, ms: number): Promise<void> {
    const [pid] = this.workers().slice(index);
    if (pid !== undefined) await this.#pause(pid, ms);
  }

  /** The processes that it has started. */
  workers(): readonly number[] {
    const pid = this.#daemon?.pid ?? 0;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.split(' ').filter(Boolean).map(Number);
  }

  /** Ends it in order. */
  async end(): Promise<void> {
    const began = performance.now();
    const ended = this.#ending('SIGTERM');
    const late = setTimeout(() => {
      this.world.history.fault(`${this.name} did not end within ${END_MS} ms of SIGTERM`);
      this.report();
      setTimeout(() => this.#daemon?.signal('SIGKILL'), REPORT_MS);
    }, END_MS);
    const code = await ended;
    clearTimeout(late);
    this.#event(`ended in ${Math.round(performance.now() - began)} ms`);
    if (code !== 0) this.world.history.fault(`${this.name} ended with ${String(code)} after SIGTERM`);
  }

  /** Has its processes write what they are doing, as files of the run. */
  report(): void {
    for (const pid of [this.#daemon?.pid ?? 0, ...this.workers()]) process.kill(pid, 'SIGUSR2');
  }

  async #ending(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    this.#event(signal);
    this.#isEnding = true;
    this.#daemon?.signal(signal);
    return (await this.#daemon?.exited)?.code ?? null;
  }

  async #pause(pid: number, ms: number): Promise<void> {
    this.#event(`SIGSTOP to ${pid} for ${ms} ms`);
    process.kill(pid, 'SIGSTOP');
    await sleep(ms);
    process.kill(pid, 'SIGCONT');
  }

  #follow(daemon: DaemonProcess): void {
    this.#event('answers');
    this.#daemon = daemon;
    this.#isEnding = false;
    void daemon.exited.then(({ code, signal }) => {
      const log = path.join(this.world.directory, `${this.name}.log`);
      appendFileSync(log, `${daemon.output.stderr}\n--- ended: ${String(code ?? signal)}\n`);
      if (this.#isEnding) return;
      this.world.history.fault(`${this.name} ended by itself with ${String(code ?? signal)}`);
      void this.start();
    });
  }

  #event(what: string): void {
    this.world.history.event(`${this.name}: ${what}`);
  }
}
