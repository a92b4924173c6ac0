import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';

const SRC = new URL('../../src/', import.meta.url).pathname;
const SENTENCES = new URL('../../docs/internals/folders.yaml', import.meta.url).pathname;

/** The sentence of each folder below `src`, and of the files beside them that are rooms; in the order of rooms. */
export function folderSentences(): ReadonlyMap<string, string> {
  const read = load(readFileSync(SENTENCES, 'utf8'));
  if (typeof read !== 'object' || read === null) throw new Error(`${SENTENCES} is not a map`);
  return new Map(Object.entries(read).map(([name, sentence]) => [name, String(sentence)]));
}

/** Rooms in their order: the first part of each path. */
export function rooms(): string[] {
  return [...new Set([...folderSentences().keys()].map((name) => name.split('/')[0] ?? ''))];
}

/** Folders below `src` that have files, each with the number of its files; and files of `src` itself. */
export function sourceFolders(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const entry of readdirSync(SRC, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const folder = path.relative(SRC, entry.parentPath).split(path.sep).join('/');
    const name = folder === '' ? entry.name : folder;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** The sentences as a table of Markdown. */
export function folderTable(): string {
  const row = ([name, sentence]: readonly [string, string]): string =>
    `| \`src/${name}${name.endsWith('.ts') ? '' : '/'}\` | ${sentence} |`;
  return ['| folder | what it is for |', '| --- | --- |', ...[...folderSentences()].map(row)].join('\n');
}
