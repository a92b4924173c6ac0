import { describe, expect, it } from 'vitest';
import { runCli } from '../helpers/cli.js';

const help = async (...argv: string[]): Promise<string> =>
  (await runCli([...argv, '--help'], { cwd: '/' })).out;

/** The names that an overview lists, which is what stands below its headings. */
function commandsOf(overview: string): string[] {
  const below = overview.slice(overview.search(/^(Read objects|Commands):$/m));
  return [...below.matchAll(/^ {2}([a-z-]+)(?: |$)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help' && name !== 'xsvc');
}

describe('help', () => {
  it('has examples for every command', async () => {
    const names = commandsOf(await help());
    expect(names.length).toBeGreaterThan(20);
    for (const name of names)
      expect(await help(name), name).toMatch(new RegExp(`Examples:\\n(.*\\n)*.*xsvc ${name}`));
  });

  it('has examples for every command of plugin', async () => {
    const names = commandsOf(await help('plugin'));
    expect(names).toContain('list');
    for (const name of names) expect(await help('plugin', name), name).toContain(`xsvc plugin ${name}`);
  });

  it('has the commands in groups, in their order', async () => {
    const overview = await help();
    const places = ['Read objects:', '  get ', 'Write objects:', '  apply ', 'Other commands:', '  version '];
    const found = places.map((text) => overview.indexOf(`\n${text}`));
    expect(found).not.toContain(-1);
    expect(found).toEqual([...found].sort((a, b) => a - b));
  });
});
