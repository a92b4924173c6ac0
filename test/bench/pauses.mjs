/** When the processors of this machine stood still; see `pause-witness.mjs`. Linux only. */
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const WITNESS = new URL('pause-witness.mjs', import.meta.url).pathname;
const FIRST = ['chrt', '--fifo', '50', 'taskset', '--cpu-list'];

/**
 * Watches all processors until {@link Pauses.stop}.
 * @returns undefined where nothing may run before everybody else: only root may have it
 */
export function watchPauses() {
  const [command, ...args] = [...FIRST, '0', 'true'];
  return spawnSync(command, args).status === 0 ? new Pauses() : undefined;
}

class Pauses {
  #processors = Array.from({ length: availableParallelism() }, (_, processor) => {
    const [command, ...args] = [...FIRST, String(processor), process.execPath, WITNESS];
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const seen = { child, pauses: [] };
    child.stdout.setEncoding('utf8').on('data', (lines) => {
      for (const line of lines.trim().split('\n')) seen.pauses.push(line.split(' ').map(Number));
    });
    return seen;
  });

  /** The part of that time in which the processor that paused most stood still; all in milliseconds. */
  within(from, to) {
    const shared = ([begin, end]) => Math.max(0, Math.min(end, to) - Math.max(begin, from));
    return Math.max(
      ...this.#processors.map(({ pauses }) => pauses.reduce((ms, pause) => ms + shared(pause), 0)),
    );
  }

  stop() {
    for (const { child } of this.#processors) child.kill();
  }
}
