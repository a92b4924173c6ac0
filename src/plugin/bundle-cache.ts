import { createHash, randomUUID } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { makeDirectories } from '../lib/make-directories.js';
import type { Bundle, BundleRequest } from './bundle.js';
import { isRecord } from '../lib/json/json.js';

/** Incremented when the same inputs compile to another text. */
const FORMAT = 1;

/** The inputs of an entry, stored next to the text. */
interface Entry {
  readonly key: string;
  readonly format: Bundle['format'];
  /** Hash of the text, to detect a damaged one. */
  readonly code: string;
  /** File to the hash of its content at that time; `null` for a missing file. */
  readonly inputs: Readonly<Record<string, string | null>>;
}

/**
 * Compiled plugins on disk, by content: an entry is valid only while every input file is unchanged. Missing, stale and damaged
 * entries are all treated as missing. Safe to share between processes, and to delete.
 */
export class BundleCache {
  constructor(private readonly directory: string) {}

  /** The text compiled from exactly this content; undefined when the cache has none. */
  async find(request: BundleRequest): Promise<Bundle | undefined> {
    const entry = parseEntry(await readText(this.#entryFile(request)));
    if (entry === undefined || entry.key !== cacheKey(request)) return undefined;
    if (!(await unchanged(entry.inputs))) return undefined;
    const code = await readText(this.#codeFile(entry.code, entry.format));
    if (code === undefined || hash(code) !== entry.code) return undefined;
    return { format: entry.format, code, files: getFiles(entry, request) };
  }

  /** Stores a text. A directory that is not writable only costs time at the next start. */
  async store(request: BundleRequest, bundle: Bundle): Promise<void> {
    const entry: Entry = {
      key: cacheKey(request),
      format: bundle.format,
      code: hash(bundle.code),
      inputs: await hashes([...bundle.files, packageFile(request)]),
    };
    try {
      await this.#put(this.#codeFile(entry.code, entry.format), bundle.code);
      await this.#put(this.#entryFile(request), JSON.stringify(entry));
    } catch {
      // The plugin runs in any case.
    }
  }

  /** Stores any text as a file that can be imported, and returns its path. @throws Error when it cannot be written */
  async fileFor(code: string): Promise<string> {
    const file = path.join(this.directory, `${hash(code)}.run.mjs`);
    if ((await readText(file)) !== code) await this.#put(file, code);
    return file;
  }

  #entryFile(request: BundleRequest): string {
    return path.join(this.directory, `${hash(request.main)}.json`);
  }

  #codeFile(codeHash: string, format: Bundle['format']): string {
    return path.join(this.directory, `${codeHash}.${format === 'cjs' ? 'cjs' : 'mjs'}`);
  }

  /** Writes the file completely or not at all, also when two processes write the same file. */
  async #put(file: string, text: string): Promise<void> {
    await makeDirectories(this.directory, 0o700);
    // Files here are executed, so only the owner may write; an existing directory may be open to others.
    await chmod(this.directory, 0o700).catch(() => undefined);
    const temporary = `${file}.${randomUUID()}`;
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, file);
  }
}

/** All inputs of the text except the files. */
function cacheKey(request: BundleRequest): string {
  const shims = [...request.shims].map(([name, exports]) => [name, [...exports].sort()]);
  return hash(JSON.stringify([FORMAT, compilerVersion(), process.versions.node, request.main, shims]));
}

/** Read from its package file: the cache exists to avoid importing the compiler. */
function compilerVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('esbuild/package.json');
  return isRecord(manifest) ? String(manifest.version) : '';
}

/** A file that affects how modules are resolved, without being part of the text. */
function packageFile(request: BundleRequest): string {
  return path.join(request.directory, 'package.json');
}

function getFiles(entry: Entry, request: BundleRequest): string[] {
  const files = Object.keys(entry.inputs);
  // A plugin may import its package.json; then it is an input and a part of the text.
  return files.filter((file) => file !== packageFile(request) || entry.inputs[file] !== null).sort();
}

function parseEntry(text: string | undefined): Entry | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is Entry {
  return (
    isRecord(value) &&
    typeof value.key === 'string' &&
    typeof value.code === 'string' &&
    (value.format === 'cjs' || value.format === 'esm') &&
    isRecord(value.inputs)
  );
}

async function unchanged(inputs: Entry['inputs']): Promise<boolean> {
  const now = await hashes(Object.keys(inputs));
  return Object.entries(inputs).every(([file, was]) => now[file] === was);
}

async function hashes(files: readonly string[]): Promise<Record<string, string | null>> {
  const pairs = files.map(async (file) => {
    const text = await readText(file);
    return [file, text === undefined ? null : hash(text)] as const;
  });
  return Object.fromEntries(await Promise.all(pairs));
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
