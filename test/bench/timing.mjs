import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** The value that so many of all values do not exceed. */
export function quantile(values, part) {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * part) - 1)];
}

/** Runs a task again and again, one after the other. @returns milliseconds of each run, in order */
export async function timesOf(task, { runs, seconds }) {
  const times = [];
  const until = performance.now() + seconds * 1000;
  while (times.length < runs && performance.now() < until) {
    const began = performance.now();
    await task();
    times.push(performance.now() - began);
  }
  return times;
}

/** Resident memory of a process: its own, and the part of mapped files, which the system takes back at will. */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)[1]) * 1024;
  return { own: bytes('RssAnon'), mapped: bytes('RssFile') };
}

/** Bytes of all files on the disk: a file may have holes. */
export function bytesIn(directory) {
  const files = readdirSync(directory, { recursive: true }).map((name) =>
    statSync(path.join(directory, name)),
  );
  return files.reduce((sum, { blocks }) => sum + blocks * 512, 0);
}

export const inMiB = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

export function formatMs(ms) {
  return ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : ms.toFixed(0);
}

/** Columns as wide as they need to be; all but the first stand to the right. */
export function formatTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]));
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}
