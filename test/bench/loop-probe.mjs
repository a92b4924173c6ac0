/**
 * Preloaded into a process that was forked. Reports, over the channel to its parent, the longest holds of the event
 * loop between `begin` and `end`, the longest first. A hold is the time between two turns, in which nobody else is
 * answered, except the time that the loop was idle: a shared machine wakes it up late at times. Each hold has
 * the time that the thread ran, and the time that it waited for a processor that others used. For the rest, it waited
 * for a page of a file or another thread. While garbage is collected, it does either.
 */
import { openSync, readSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';

const schedule = openSync('/proc/thread-self/schedstat', 'r');
const text = Buffer.alloc(100);
/** The number of holds that are reported. */
const HOLDS = 20;
const collections = [];
new PerformanceObserver((list) => collections.push(...list.getEntries())).observe({ entryTypes: ['gc'] });
let last = now();
let longest = [];

process.on('message', async (message) => {
  // The timer has not measured the current hold yet.
  look();
  const ended = longest;
  longest = [];
  if (message !== 'end') return;
  // The observer reports garbage collections with a delay.
  await after(50);
  process.send(ended.map((hold) => ({ ...hold, collectedMs: collectedWithin(hold.from, hold.to) })));
  collections.length = 0;
});
process.channel.unref();
globalThis.setInterval(look, 1).unref();

function look() {
  const current = now();
  const ms = current.ms - last.ms - (current.idleMs - last.idleMs);
  if (longest.length < HOLDS || ms > longest.at(-1).ms) {
    const ranMs = current.ranMs - last.ranMs;
    const waitedMs = current.waitedMs - last.waitedMs;
    longest.push({ ms, ranMs, waitedMs, from: last.clockMs, to: current.clockMs });
    longest.sort((a, b) => b.ms - a.ms).splice(HOLDS);
  }
  last = current;
}

/** For how much of that time garbage was collected. */
function collectedWithin(from, to) {
  const clock = clockMs() - performance.now();
  return collections.reduce((sum, { startTime, duration }) => {
    const begin = startTime + clock;
    return sum + Math.max(0, Math.min(begin + duration, to) - Math.max(begin, from));
  }, 0);
}

function now() {
  const length = readSync(schedule, text, 0, text.length, 0);
  const [ranNs, waitedNs] = text.latin1Slice(0, length).split(' ');
  return {
    ms: performance.now(),
    clockMs: clockMs(),
    idleMs: performance.nodeTiming.idleTime,
    ranMs: Number(ranNs) / 1e6,
    waitedMs: Number(waitedNs) / 1e6,
  };
}

/** The same for all processes. */
function clockMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}
