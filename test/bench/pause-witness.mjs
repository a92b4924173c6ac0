/**
 * Tells when a processor stood still: sleeps half a millisecond at a time, on that processor and before everybody else
 * there, and prints from when to when it could not, in milliseconds of the monotonic clock. The cause of a
 * pause is no process of this machine: a virtual machine does not always run.
 *
 * Usage, for root: chrt --fifo 50 taskset --cpu-list N node test/bench/pause-witness.mjs
 */
import { writeSync } from 'node:fs';
import process from 'node:process';

const SLEEP_MS = 0.5;
/** Waking up late and collecting its own garbage take less. */
const PAUSE_MS = 2.5;

const cell = new Int32Array(new SharedArrayBuffer(4));
for (let last = now(); ; last = now()) {
  Atomics.wait(cell, 0, 0, SLEEP_MS);
  const current = now();
  if (current - last > PAUSE_MS) writeSync(1, `${last} ${current}\n`);
}

function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
