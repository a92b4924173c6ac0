import { describe, expect, it } from 'vitest';
import { getGroup, inGroups } from '../../src/cli/command-groups.js';
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

  it('has the commands in groups, and those of no group last', () => {
    expect(getGroup('get')).toBe('Read objects:');
    expect(getGroup('something')).toBe('Other commands:');
    const names = ['something', 'version', 'apply', 'get'].map((name) => ({ name }));
    expect(inGroups(names).map(({ name }) => name)).toEqual(['get', 'apply', 'version', 'something']);
  });
});
