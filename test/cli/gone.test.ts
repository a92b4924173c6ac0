import { describe, expect, it } from 'vitest';
import { runCli } from '../helpers/cli.js';

describe('a command or flag that is gone', () => {
  it.each([
    [
      'plugin install ./note.tgz --force',
      "error: 'plugin install' is gone: a plugin is a directory: npm install NAME",
    ],
    ['plugin remove note --yes', "error: 'plugin remove' is gone: a plugin is a directory: remove it"],
    ['types --language python', 'error: --language python is gone: give the description (xsvc openapi'],
    ['types --language go', 'error: --language go is gone'],
    ['why notes a --server http://127.0.0.1:1', "error: 'why' is gone: describe shows the finalizers"],
    ['plugin install --help', "error: 'plugin install' is gone"],
  ])('%s ends with 2 and what to do instead', async (line, message) => {
    const { code, out, err } = await runCli(line.split(' '), { cwd: '/' });
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });

  it('is in no help, and does not hide objects of that name', async () => {
    expect((await runCli(['plugin', '--help'], { cwd: '/' })).out).not.toMatch(/^ +install/m);
    expect((await runCli(['get', 'plugin', 'install'], { cwd: '/' })).err).not.toContain('is gone');
  });
});
