import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A text for people: the README, or a page below `docs/`. */
export interface ShownDocument {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** A file that a document shows, or lines that it adds to one. */
export interface ShownFile {
  readonly path: string;
  readonly text: string;
  readonly isAddition: boolean;
}

/** A command of a `console` block, and what is shown below it. */
export interface ShownCommand {
  readonly command: string;
  readonly output: string;
  /** Flags of the service that the command is shown with; empty for a plain one. */
  readonly flags: string;
}

const CONSOLE = /^<!-- serve:(.*?)-->$|^```console\n([\s\S]*?)^```$/gm;

/** The README and all pages below `docs/`, by path. */
export function readDocuments(root: string): ShownDocument[] {
  const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file.split(path.sep).join('/')}`);
  return ['README.md', ...pages.sort()].map((file) => ({
    path: file,
    text: readFileSync(path.join(root, file), 'utf8'),
  }));
}

/**
 * Files that a document shows: a comment before a code block names one, `<!-- file: PATH -->` when it shows all of it,
 * `<!-- add: PATH -->` when it shows lines that are added to one.
 */
export function shownFiles(text: string): ShownFile[] {
  const found = text.matchAll(/<!-- (file|add): (\S+) -->\n\n```\w+\n([\s\S]*?)^```$/gm);
  return [...found].map(([, how, file = '', lines = '']) => ({
    path: file,
    text: lines,
    isAddition: how === 'add',
  }));
}

/** Puts shown files together: what is added comes after the file itself, wherever it is shown. */
export function filesOf(shown: readonly ShownFile[]): Record<string, string> {
  const files: Record<string, string> = {};
  for (const isAddition of [false, true]) {
    for (const file of shown) {
      if (file.isAddition === isAddition) files[file.path] = (files[file.path] ?? '') + file.text;
    }
  }
  return files;
}

/**
 * Commands that a document shows, in order: `$ command`, with `> ` before further lines of it. A comment
 * `<!-- serve: FLAGS -->` says with which flags the service runs for those that follow, up to the next such comment.
 */
export function shownCommands(text: string): ShownCommand[] {
  const commands: { command: string; output: string; flags: string }[] = [];
  let flags = '';
  for (const [, given, block = ''] of text.matchAll(CONSOLE)) {
    if (given !== undefined) flags = given.trim();
    for (const line of block.split('\n').slice(0, -1)) {
      const last = commands.at(-1);
      if (line.startsWith('$ ')) commands.push({ command: line.slice(2), output: '', flags });
      else if (last !== undefined && last.output === '' && line.startsWith('> '))
        last.command += `\n${line.slice(2)}`;
      else if (last !== undefined) last.output += `${line}\n`;
    }
  }
  return commands;
}

/** True when a text equals the shown one; a line `...` in it matches any lines. */
export function isAsShown(text: string, shown: string): boolean {
  const pattern = shown
    .split('\n')
    .map((line) => (line === '...' ? '(?:.*\\n)*?' : `${line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\n`))
    .join('');
  return new RegExp(`^${pattern.replace(/\\n$/, '')}$`).test(text);
}

/**
 * The document with the current output of its commands, one output for each command in order. An output that still
 * matches the shown one keeps its text, dots included.
 */
export function recorded(
  text: string,
  outputs: readonly string[],
  comparable: (output: string) => string,
): string {
  let next = 0;
  return text.replace(/^```console\n[\s\S]*?^```$/gm, (block) => {
    const lines = shownCommands(block).map(({ command, output }) => {
      const now = outputs[next++] ?? '';
      const isSame = isAsShown(comparable(now), comparable(output));
      return `$ ${command.replace(/\n/g, '\n> ')}\n${isSame ? output : now}`;
    });
    return `\`\`\`console\n${lines.join('')}\`\`\``;
  });
}

/** The parts of links that a document has to files of the repository: path from its root, and the heading in it. */
export function linksOf({ path: from, text }: ShownDocument): { path: string; heading: string }[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', heading = ''] = target.split('#');
      return {
        path: file === '' ? from : path.posix.normalize(path.posix.join(path.posix.dirname(from), file)),
        heading,
      };
    });
}

/** The anchors of the headings of a document. */
export function headingsOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
