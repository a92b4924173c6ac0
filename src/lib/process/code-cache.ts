import { createHash } from 'node:crypto';
import fs, { constants, type Stats } from 'node:fs';
import path from 'node:path';

/** A digest follows the code, because V8 does not find all damage. */
const DIGEST_BYTES = 32;
/** The limit of files in a directory; each has 1 to 4 MB. */
const FILES_MAX = 16;
const WRITABLE_BY_OTHERS = 0o022;

/** Finds code that an earlier process compiled. Ignores a damaged file, and one that other users could have written. */
export function findCode(directories: readonly string[], name: string): Uint8Array | undefined {
  for (const directory of directories) {
    const code = unlessFailed(() => readCode(directory, name));
    if (code !== undefined) return code;
  }
  return undefined;
}

/**
 * Stores code in the first directory that the user may write, if there is one.
 * @param compile is called only for such a directory
 */
export function putCode(directories: readonly string[], name: string, compile: () => Uint8Array): void {
  const directory = directories.find((one) => unlessFailed(() => makeOwn(one)) === true);
  if (directory === undefined) return;
  unlessFailed(() => {
    const code = compile();
    const temporary = path.join(directory, `${name}.${process.pid}`);
    fs.writeFileSync(temporary, Buffer.concat([code, digest(code)]), { mode: 0o600 });
    fs.renameSync(temporary, path.join(directory, name));
    removeOldest(directory);
  });
}

function readCode(directory: string, name: string): Uint8Array | undefined {
  if (!isTrusted(fs.statSync(directory))) return undefined;
  const file = fs.openSync(path.join(directory, name), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!isTrusted(fs.fstatSync(file))) return undefined;
    const bytes = fs.readFileSync(file);
    const code = bytes.subarray(0, -DIGEST_BYTES);
    return digest(code).equals(bytes.subarray(code.length)) ? code : undefined;
  } finally {
    fs.closeSync(file);
  }
}

/** Creates a directory, never below one of another user. @returns true when only its user may write it */
function makeOwn(directory: string): boolean {
  if (!fs.existsSync(directory)) {
    const parent = path.dirname(directory);
    if (!fs.existsSync(parent) && !makeOwn(parent)) return false;
    if (!isOfUserOrRoot(fs.statSync(parent))) return false;
    fs.mkdirSync(directory, { mode: 0o700 });
  }
  fs.accessSync(directory, constants.W_OK);
  return isTrusted(fs.statSync(directory));
}

/** True when nobody but root and the user of this process could have written it. */
function isTrusted(stats: Stats): boolean {
  return isOfUserOrRoot(stats) && (process.geteuid === undefined || (stats.mode & WRITABLE_BY_OTHERS) === 0);
}

function isOfUserOrRoot({ uid }: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || uid === user || uid === 0;
}

function removeOldest(directory: string): void {
  const files = fs.readdirSync(directory).map((name) => path.join(directory, name));
  const byAge = files.map((file) => ({ file, ms: fs.statSync(file).mtimeMs })).sort((a, b) => b.ms - a.ms);
  for (const { file } of byAge.slice(FILES_MAX)) fs.rmSync(file, { force: true });
}

function digest(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** The program runs without a cache, too. */
function unlessFailed<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
