/** A command of a `console` block, and what is shown below it. */
export interface ShownCommand {
  readonly command: string;
  readonly output: string;
}

/** Files that a document shows: a comment `<!-- file: PATH -->` before a code block names it. */
export function shownFiles(text: string): Record<string, string> {
  const found = text.matchAll(/<!-- file: (\S+) -->\n\n```\w+\n([\s\S]*?)^```$/gm);
  return Object.fromEntries([...found].map((match) => [match[1] ?? '', match[2] ?? '']));
}

/** Commands that a document shows, in order: `$ command`, with `> ` before further lines of it. */
export function shownCommands(text: string): ShownCommand[] {
  const commands: { command: string; output: string }[] = [];
  for (const [, block = ''] of text.matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
    for (const line of block.split('\n').slice(0, -1)) {
      const last = commands.at(-1);
      if (line.startsWith('$ ')) commands.push({ command: line.slice(2), output: '' });
      else if (last !== undefined && last.output === '' && line.startsWith('> '))
        last.command += `\n${line.slice(2)}`;
      else if (last !== undefined) last.output += `${line}\n`;
    }
  }
  return commands;
}

/** Whether a text is what is shown; a line `...` stands for any lines. */
export function isAsShown(text: string, shown: string): boolean {
  const pattern = shown
    .split('\n')
    .map((line) => (line === '...' ? '(?:.*\\n)*?' : `${line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\n`))
    .join('');
  return new RegExp(`^${pattern.replace(/\\n$/, '')}$`).test(text);
}

/**
 * The document with what its commands print now, one output for each command in order. What is still as shown, dots
 * included, stays as it is.
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
