import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { getMessage } from '../../errors.js';
import { formatSize } from '../../lib/time/duration.js';
import { UsageError } from '../exit.js';
import type { CliIo } from '../io.js';
import { readBytes } from './bytes.js';
import { expandPattern, isPattern } from './glob.js';

/** A text with manifests, and its name in messages. */
export interface InputText {
  readonly name: string;
  readonly text: string;
  /** Lines of the file before the text, when it is a part of one. Default 0. */
  readonly linesBefore?: number;
}

const EXTENSIONS = /\.(ya?ml|json|ndjson|jsonl)$/i;
/** The limit of a text, which is completely in memory; `import` reads a document at a time. */
const TEXT_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Reads the inputs of `-f`, in that order: files, the manifests of directories (with `recursive`, also of sub-directories),
 * patterns, and `-` for standard input. A file that is named twice is read once.
 * @throws UsageError for an input that does not exist, cannot be read, or has no manifest
 */
export async function* readInputs(
  io: CliIo,
  names: readonly string[],
  recursive: boolean,
): AsyncGenerator<InputText> {
  const seen = new Set<string>();
  for (const name of names) {
    if (name === '-') {
      if (!seen.has(name)) yield { name: '<stdin>', text: await readText(io.stdin, 'standard input') };
      seen.add(name);
      continue;
    }
    for (const file of await getFiles(io.cwd, name, recursive)) {
      const absolute = path.resolve(io.cwd, file);
      if (seen.has(absolute)) continue;
      seen.add(absolute);
      yield { name: file, text: await readText(readBytes(absolute, file), file) };
    }
  }
}

/**
 * The files of one `-f`.
 * @param extensions selects the files of a directory
 * @throws UsageError when it has none
 */
export async function getFiles(
  cwd: string,
  name: string,
  recursive: boolean,
  extensions = EXTENSIONS,
): Promise<string[]> {
  if (name === '') throw new UsageError('-f needs a file, a directory, a glob, or -');
  const found = await stat(path.resolve(cwd, name)).catch(() => undefined);
  if (found?.isDirectory() === true) {
    const files = await filesBelow(path.resolve(cwd, name), name, recursive, extensions);
    if (files.length > 0) return files;
    const hint = recursive ? '' : '; -R also reads its subdirectories';
    throw new UsageError(`the directory ${name} contains no .yaml, .yml, .json or .ndjson file${hint}`);
  }
  if (found !== undefined) return [name];
  if (!isPattern(name)) throw new UsageError(`the file ${name} does not exist`);
  const files = await expandPattern(name, cwd);
  if (files.length > 0) return files;
  throw new UsageError(`no file matches ${name}`);
}

async function filesBelow(
  directory: string,
  shown: string,
  recursive: boolean,
  extensions: RegExp,
): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const files: string[] = [];
  for (const entry of entries) {
    const name = path.join(shown, entry.name);
    if (entry.isDirectory()) {
      if (recursive)
        files.push(...(await filesBelow(path.join(directory, entry.name), name, recursive, extensions)));
    } else if (extensions.test(entry.name)) {
      files.push(name);
    }
  }
  return files;
}

/** @throws UsageError when it is too large, or is not text in UTF-8 */
export async function readText(input: AsyncIterable<Uint8Array | string>, shown: string): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let text = '';
  try {
    for await (const chunk of input) {
      bytes += chunk.length;
      if (bytes > TEXT_BYTES_MAX) break;
      text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    }
    if (bytes <= TEXT_BYTES_MAX) return text + decoder.decode();
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`cannot read ${shown}: ${getMessage(error)}`);
  }
  throw new UsageError(
    `${shown} is larger than ${formatSize(TEXT_BYTES_MAX)}; xsvc import reads files of any size, as YAML or NDJSON`,
  );
}
