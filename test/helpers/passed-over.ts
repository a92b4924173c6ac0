import { execFileSync } from 'node:child_process';
import path from 'node:path';

/**
 * Makes LMDB take an earlier commit for the newest of the store that is open in a directory: what a process leaves that
 * is killed while it opens the store. In another process, because closing the file would take LMDB's locks from this one.
 */
export function passOver(directory: string, commits = 1): void {
  execFileSync(process.execPath, ['-e', SET_BACK, path.join(directory, 'lock.mdb'), String(commits)]);
}

const SET_BACK = `
  const fs = require('node:fs');
  const [file, commits] = process.argv.slice(1);
  const handle = fs.openSync(file, 'r+');
  const bytes = Buffer.alloc(16);
  fs.readSync(handle, bytes, 0, 16, 0);
  if (bytes.readUInt32LE(0) !== 0xbeefc0de) throw new Error('it is not the lock file of LMDB');
  bytes.writeBigUInt64LE(bytes.readBigUInt64LE(8) - BigInt(commits), 8);
  fs.writeSync(handle, bytes, 8, 8, 8);`;
