import { readFileSync } from 'node:fs';

/** The unit in which Linux counts processor time. */
const TICK_MICROS = 10_000;
/** Where a process's file has its time and that of its ended children, after the name in parentheses. */
const FIELDS = [12, 13, 14, 15];

/** Microseconds of processor time that processes took until now, with their children, also those that ended. */
export function cpuMicros(...pids) {
  return pids.flatMap(family).reduce((sum, pid) => sum + microsOf(pid), 0);
}

function family(pid) {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').slice(0, -1);
  return [pid, ...children.flatMap(family)];
}

function microsOf(pid) {
  const text = read(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')')).split(' ');
  return FIELDS.reduce((sum, at) => sum + Number(fields[at] ?? 0) * TICK_MICROS, 0);
}

/** Nothing for a process that ended meanwhile. */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
