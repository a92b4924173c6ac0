// Adds one to the number in a file under the lock of the file, again and again: `locking-process.mjs FILE TIMES`.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { withFileLock } from '../../dist/cli/remote/file-lock.js';

/** Time for several attempts to take the lock, in milliseconds. */
const ATTEMPTS_MS = 100;

const [file, times] = process.argv.slice(2);
for (let i = 0; i < Number(times); i++) {
  const timer = setTimeout(() => process.send?.('waits'), ATTEMPTS_MS);
  await withFileLock(file, async () => {
    clearTimeout(timer);
    const number = Number(readFileSync(file, 'utf8'));
    process.send?.('locked');
    await sleep(1);
    // In one step, because the process may be killed.
    writeFileSync(`${file}.next`, String(number + 1));
    renameSync(`${file}.next`, file);
  });
}
