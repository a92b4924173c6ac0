import { commandPaths, helpOf } from '../../helpers/reference.js';

/** No line of a help is longer. */
const COLUMNS = 1_000;

/** The usage of each command, and each of its flags with its choices and its default. */
export async function commandFacts(): Promise<string[]> {
  const facts: string[] = [];
  for (const command of [[], ...(await commandPaths())]) {
    const help = await helpOf(command, COLUMNS);
    const called = ['xsvc', ...command].join(' ');
    const [own = ''] = help.split(/^Global Options:$/m);
    const [, usage = ''] = /^Usage: (.*)$/m.exec(own) ?? [];
    facts.push(usage, ...flagsOf(own).map((flag) => `${called} ${flag}`));
  }
  return facts;
}

function flagsOf(help: string): string[] {
  return [...help.matchAll(/^ {2}(-.*?)(?: {2,}(.*))?$/gm)].map(([, flag = '', about = '']) => {
    const values = /\((?:choices|default): .*\)$/.exec(about)?.[0];
    return values === undefined ? flag : `${flag} ${values}`;
  });
}
