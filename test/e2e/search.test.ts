import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFiles, runCli, type CliResult } from '../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const GROUP = 'logs.example.com/v1';
const PLUGIN = `import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';
const text = { type: 'string' };
class Entry extends AbstractExtension {
  static schema = { type: 'object', properties: { spec: { type: 'object', properties: { title: text, body: text } } } };
}
GVK({ group: 'logs.example.com', version: 'v1', kind: 'Entry', plural: 'entries', singular: 'entry' })(Entry);
export default class Main extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(Entry, (specs) => {
      specs.add(IndexSpecs.text('search').indexFunc(({ spec }) => [spec?.title, spec?.body]));
    });
  }
}
`;
const TEXTS = [
  ['a', 'Disk full', 'The disk of the host is full'],
  ['b', 'Disk', 'disk disk'],
  ['c', 'Café closed', 'read only disk'],
  ['d', 'Tape', 'only read'],
] as const;

let cwd = '';
let daemon: DaemonProcess;

beforeAll(async () => {
  cwd = temporaryDirectory();
  const lines = TEXTS.map(([name, title, body]) =>
    JSON.stringify({ apiVersion: GROUP, kind: 'Entry', metadata: { name }, spec: { title, body } }),
  );
  await putFiles(cwd, {
    'plugins/logs/plugin.yaml':
      'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: logs }\nspec: { version: 1.0.0 }\n',
    'plugins/logs/index.mjs': PLUGIN,
    'all.ndjson': `${lines.join('\n')}\n`,
  });
  expect(await runCli(['apply', '-f', 'all.ndjson'], { cwd })).toMatchObject({ code: 0 });
  const dataDir = path.join(cwd, '.xsvc');
  daemon = await startDaemonProcess({ dataDir, plugins: [path.join(cwd, 'plugins/logs')] });
});
afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

describe.each([
  ['the store', () => []],
  ['a server', () => ['--server', daemon.url]],
])('get --search with %s', (_door, flags: () => readonly string[]) => {
  const xsvc = (...given: readonly string[]): Promise<CliResult> => runCli([...given, ...flags()], { cwd });
  const search = async (text: string, ...more: readonly string[]): Promise<string[]> => {
    const { code, out } = await xsvc('get', 'entries', '--search', text, '-o', 'name', ...more);
    expect(code).toBe(0);
    return out.split('\n').flatMap((line) => line.replace('entries/', '') || []);
  };

  it('finds what the words say, by relevance', async () => {
    expect(await search('disk')).toEqual(['b', 'a', 'c']);
    expect(await search('FULL disk ')).toEqual(['a']);
    expect(await search('cafe ')).toEqual(['c']);
    expect(await search('"read only"')).toEqual(['c']);
    expect(await search('only -"read only"')).toEqual(['d']);
    expect(await search('disk', '--sort', 'metadata.name,desc')).toEqual(['c', 'b', 'a']);
    expect(await search('disk', '--page', '2', '--size', '2')).toEqual(['c']);
    expect(await search('disk', '--filter', 'metadata.name != "b"', '--limit', '1')).toEqual(['a']);
    expect(await search('nothing')).toEqual([]);
    expect(await search('')).toEqual(['a', 'b', 'c', 'd']);
  });

  it('explains the search', async () => {
    const { out } = await xsvc('get', 'entries', '--search', 'full "the disk" dis', '--explain');
    expect(out).toContain('SEARCH    full the disk dis* "the disk": 1, ');
    expect(out).toContain('ORDER     by relevance, the whole order');
  });

  it('refuses what it cannot do', async () => {
    const refusal = async (...given: readonly string[]): Promise<string> => {
      const { code, err } = await xsvc('get', ...given);
      expect(code).not.toBe(0);
      return err;
    };
    expect(await refusal('entries', '--search', '-disk')).toContain('only excluded words');
    expect(await refusal('entries', '--search', 'x', '--watch')).toContain(
      '--watch cannot be combined with --search',
    );
    expect(await refusal('entries', 'a', '--search', 'x')).toContain('names cannot be combined');
    expect(await refusal('plugins', '--search', 'x')).toContain('search: Plugin has no text index');
  });
});
