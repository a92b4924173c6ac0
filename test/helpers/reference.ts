import { readFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { run } from '../../src/cli/program.js';
import { AUDIT_FIELDS } from '../../src/audit/entry.js';
import { environmentName, SETTING_NAMES } from '../../src/config.js';
import { testIo } from '../cli/helpers.js';

/** The parts of reference pages that come from the program itself. `npm run docs` writes them again. */

export const ROOT = new URL('../..', import.meta.url).pathname;

/** A page with one part replaced, as Prettier formats it. */
export async function pageWith(file: string, part: string, text: string): Promise<string> {
  const page = readFileSync(path.join(ROOT, file), 'utf8');
  const [begin, end] = [`<!-- ${part}: written by npm run docs -->`, `<!-- end of ${part} -->`];
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`${file} has no place for ${part}: ${begin} … ${end}`);
  const filepath = path.join(ROOT, file);
  const written = `${page.slice(0, before)}${begin}\n\n${text}\n\n${page.slice(after)}`;
  return format(written, { ...(await resolveConfig(filepath)), filepath });
}

/** The help text of a command. */
export async function helpOf(command: readonly string[], columns = 100): Promise<string> {
  const io = testIo({ cwd: '/', columns });
  await run([...command, '--help'], io);
  return io.stdout.text;
}

interface Group {
  readonly heading: string;
  readonly commands: readonly string[];
}

/** The commands of an overview, below their headings. */
function groupsOf(overview: string): Group[] {
  const from = overview.search(/^(Read objects|Commands):$/m);
  const blocks = overview.slice(from).split(/\n\n+/);
  return blocks.flatMap((block) => {
    const [heading = '', ...lines] = block.split('\n');
    const names = lines.flatMap((line) => /^ {2}([a-z-]+)(?: |$)/.exec(line)?.[1] ?? []);
    const commands = names.filter((name) => name !== 'help');
    const isGroup = heading.endsWith(':') && commands.length > 0 && !/^(Examples|Exit codes)/.test(heading);
    return isGroup ? [{ heading: heading.slice(0, -1), commands }] : [];
  });
}

/** All commands, and those below them, by the words that call them. */
export async function commandPaths(): Promise<string[][]> {
  const paths: string[][] = [];
  for (const name of commandsIn(await helpOf([]))) {
    paths.push([name]);
    for (const inner of commandsIn(await helpOf([name]))) paths.push([name, inner]);
  }
  return paths;
}

function commandsIn(help: string): string[] {
  return groupsOf(help).flatMap((group) => group.commands);
}

const SUMMARY = /\n\n([\s\S]*?)\n\n/;

/** All commands: a table of them by group, then the help of each. */
export async function commandReference(): Promise<string> {
  const overview: string[] = [];
  const details: string[] = [];
  const tell = async (command: readonly string[]): Promise<string> => {
    const name = command.join(' ');
    const help = await helpOf(command);
    const own = help.replace(/^Global Options:\n(?: .*\n?)*\n?/m, '').trimEnd();
    details.push(`### xsvc ${name}\n\n\`\`\`text\n${own}\n\`\`\``);
    const summary = (SUMMARY.exec(help)?.[1] ?? '').replace(/\s+/g, ' ').replaceAll('|', '\\|');
    return `| [\`${name}\`](#xsvc-${command.join('-')}) | ${summary} |`;
  };
  for (const { heading, commands } of groupsOf(await helpOf([]))) {
    overview.push('', `**${heading}**`, '', '| command | what it does |', '| --- | --- |');
    for (const name of commands) {
      overview.push(await tell([name]));
      for (const inner of commandsIn(await helpOf([name]))) overview.push(await tell([name, inner]));
    }
  }
  const [globals = ''] = /^Options:\n(?: .*\n)*/m.exec(await helpOf([])) ?? [];
  const shared = `Every command takes these as well:\n\n\`\`\`text\n${globals.trimEnd()}\n\`\`\``;
  return [...overview, '', shared, '', '## Each command', '', details.join('\n\n')].join('\n');
}

/** A setting as the help of its flag describes it. */
export interface DocumentedSetting {
  readonly name: string;
  /** With what it takes. */
  readonly flag: string;
  readonly about: string;
  /** Undefined where there is none. */
  readonly fallback: string | undefined;
  readonly isRepeatable: boolean;
  readonly isSwitch: boolean;
}

/** The help of flags that are settings too, and of the flags for a server, from `xsvc serve --help`. */
export async function documentedSettings(): Promise<DocumentedSetting[]> {
  const lines = (await helpOf(['serve'], 1000)).split('\n');
  const reported = lines.flatMap((line): DocumentedSetting[] => {
    const [, flag = '', takes = '', text = ''] = /^ {2}--([a-z-]+)( <[a-z]+>)? +(.*)$/.exec(line) ?? [];
    if (flag === '') return [];
    const [, notes = ''] = /\(([^()]*)\)$/.exec(text) ?? [];
    return [
      {
        name: flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        flag: `--${flag}${takes}`,
        about: text.replace(/ \([^()]*\)$/, ''),
        fallback: /default: (.*)$/.exec(notes)?.[1],
        isRepeatable: notes.includes('repeatable'),
        isSwitch: takes === '',
      },
    ];
  });
  const order = [...SETTING_NAMES, 'server', 'token'];
  return reported
    .filter(({ name }) => order.includes(name))
    .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

/** All settings, as a table. */
export async function settingReference(): Promise<string> {
  const rows = (await documentedSettings()).map((reported) => {
    const { name, flag, about, fallback, isRepeatable } = reported;
    const key = SETTING_NAMES.includes(name) ? `\`${name}\`` : '';
    const repeat = isRepeatable ? ', repeatable' : '';
    const absent = reported.isSwitch ? 'off' : 'none';
    const given = fallback !== undefined && /^\S+$/.test(fallback) ? `\`${fallback}\`` : (fallback ?? absent);
    return `| \`${flag}\`${repeat} | ${key} | \`${environmentName(name)}\` | ${given} | ${about} |`;
  });
  const head = '| flag | key | variable | default | what it decides |\n| --- | --- | --- | --- | --- |';
  return [head, ...rows].join('\n');
}

/** The fields of the audit log, as a table. */
export function auditReference(): Promise<string> {
  const rows = Object.entries(AUDIT_FIELDS).map(([name, about]) => `| \`${name}\` | ${about} |`);
  return Promise.resolve(['| field | value |', '| --- | --- |', ...rows].join('\n'));
}
