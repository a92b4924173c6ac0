/**
 * Preloaded into a process that was forked: tells, over the channel to its parent, how long the event loop was held
 * between `begin` and `end`. A hold is the time between two turns, in which nobody else is answered, but for what the
 * loop was idle: a machine that is shared wakes it up late at times. Of a hold, the thread ran so long; for what is
 * left, it waited for a processor, a page of a file, or the machine.
 */
import { openSync, readSync } from 'node:fs';
import process from 'node:process';

const schedule = openSync('/proc/thread-self/schedstat', 'r');
const text = Buffer.alloc(100);
const NONE = { ms: 0, ranMs: 0, from: 0, to: 0 };
let last = now();
let longest = NONE;

process.on('message', (message) => {
  last = now();
  if (message === 'end') process.send(longest);
  longest = NONE;
});
process.channel.unref();
globalThis.setInterval(look, 1).unref();

function look() {
  const current = now();
  const ms = current.ms - last.ms - (current.idleMs - last.idleMs);
  if (ms > longest.ms)
    longest = { ms, ranMs: current.ranMs - last.ranMs, from: last.clockMs, to: current.clockMs };
  last = current;
}

function now() {
  const length = readSync(schedule, text, 0, text.length, 0);
  const [ranNs] = text.latin1Slice(0, length).split(' ');
  return {
    ms: performance.now(),
    // The same for all processes.
    clockMs: Number(process.hrtime.bigint()) / 1e6,
    idleMs: performance.nodeTiming.idleTime,
    ranMs: Number(ranNs) / 1e6,
  };
}
