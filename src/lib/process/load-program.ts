import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { findCode, putCode } from './code-cache.js';

/** The hash of the program's text, from `bundle.mjs`. */
declare const PROGRAM_HASH: string;
const FILE = fileURLToPath(new URL('xsvc.cjs', import.meta.url));
/** By then a service has started, and compiled its code. */
const SAVE_AFTER_MS = 3_000;
/** The exit code for a wrong command or option. */
const USAGE = 2;

type Parts = Readonly<Record<string, () => object>>;
let parts: Parts | undefined;

/** A part of the program: `main`, `index`, `testing`, or the module of a process. All parts of a process share their modules. */
export function load(name: string): object {
  parts ??= run(name === 'main' ? commandName() : name);
  return parts[name]?.() ?? {};
}

/** Each command needs other functions, and so has its own compiled code: that of all commands takes long to read. */
function commandName(): string {
  return /^[a-z]{1,20}$/.exec(process.argv[2] ?? '')?.[0] ?? 'main';
}

function run(command: string): Parts {
  // The tag of compiled code below depends on it. By default, garbage grows the heap to four times what is in use.
  if (command === 'serve') setFlagsFromString('--heap-growing-percent=200');
  const { version, versions, arch } = process;
  const changed = Math.round(statSync(FILE).mtimeMs);
  const name = [version, versions.v8, arch, cachedDataVersionTag(), PROGRAM_HASH, changed, command].join('_');
  const directories = [path.join(path.dirname(FILE), '../cache'), path.join(userCache(), 'xsvc')];
  const cachedData = findCode(directories, name);
  const script = new Script(readFileSync(FILE, 'latin1'), { filename: FILE, cachedData });
  if (script.cachedDataRejected !== false)
    saveLater(() => putCode(directories, name, () => script.createCachedData()));
  const started: unknown = script.runInThisContext();
  const exports = {};
  // Code from a cache cannot import: V8 then does not know which module it belongs to.
  const importFile = (url: string): Promise<unknown> => import(url);
  const given = [exports, createRequire(FILE), FILE, importFile];
  if (typeof started === 'function') Reflect.apply(started, undefined, given);
  return exports;
}

/** Saves when the process ends, or has run for a while; not for a command that does not exist. */
function saveLater(save: () => void): void {
  const onExit = (code: number): void => (code === USAGE ? undefined : save());
  process.once('exit', onExit);
  setTimeout(() => {
    process.off('exit', onExit);
    save();
  }, SAVE_AFTER_MS).unref();
}

function userCache(): string {
  const given = process.env.XDG_CACHE_HOME ?? '';
  return path.isAbsolute(given) ? given : path.join(homedir(), '.cache');
}
