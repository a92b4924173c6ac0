import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  PAGE_PATH_LENGTH_MAX,
  PAGE_TITLE_LENGTH_MAX,
  PAGES_MAX,
} from '../../src/plugin/manifest/console-pages.js';
import { parseManifest, readManifest } from '../../src/plugin/manifest/manifest.js';
import { PAGE_ICONS } from '../../src/plugin/manifest/page-icons.js';
import { XSVC_VERSION, manifestText, temporaryDirectory } from './helpers.js';

let directory = '';

beforeEach(async () => {
  directory = await temporaryDirectory();
  mkdirSync(path.join(directory, 'public/sub'), { recursive: true });
  for (const file of ['public/a.html', 'public/sub/b.html', 'secret.html'])
    writeFileSync(path.join(directory, file), '<p>');
  symlinkSync('../secret.html', path.join(directory, 'public/link.html'));
  symlinkSync('a.html', path.join(directory, 'public/same.html'));
});

/** The faults of pages, without the file and the place of the pages. */
function faultsOf(pages: unknown, more: object = {}): string[] {
  const text = manifestText('a', `  console: ${JSON.stringify({ pages, ...more })}\n`);
  try {
    parseManifest(text, 'plugin.yaml', XSVC_VERSION, directory);
    return [];
  } catch (error) {
    const { message } = error as Error;
    return message.split('; plugin.yaml').map((fault) => fault.replace(/^.*?spec\.console\.?/, ''));
  }
}

const page = (more: object = {}): object => ({ title: 'A', path: 'a.html', placement: 'sidebar', ...more });

describe('the pages of a manifest', () => {
  it('are kept', () => {
    const pages = [
      page({ icon: 'tags' }),
      page({ path: 'sub/b.html', placement: 'card' }),
      page({ path: 'same.html', placement: 'tab', model: 'things.a.example.com' }),
    ];
    const text = manifestText('a', `  console: ${JSON.stringify({ pages })}\n`);
    expect(parseManifest(text, 'plugin.yaml', XSVC_VERSION, directory).spec.console).toEqual({ pages });
  });

  it('have faults with their lines', async () => {
    const spec = `  console:
    pages:
      - title: A
        path: none.html
        placement: side
      - title: B
        icons: tags
        path: ../secret.html
        placement: tab
`;
    writeFileSync(path.join(directory, 'plugin.yaml'), manifestText('a', spec));
    const file = path.join(directory, 'plugin.yaml');
    await expect(readManifest(directory, XSVC_VERSION)).rejects.toMatchObject({
      code: 'Invalid',
      message: [
        `${file}:10: spec.console.pages[0].placement: "side" is not a placement; known: sidebar, tab, card`,
        `${file}:12: spec.console.pages[1].icons: is unknown; known: title, icon, path, placement, model`,
        `${file}:11: spec.console.pages[1].model: is required`,
        `${file}:13: spec.console.pages[1].path: "../secret.html" must name an .html file below public/, such as report/index.html`,
        `${file}:9: spec.console.pages[0].path: there is no file public/none.html`,
      ].join('; '),
    });
  });

  it.each([
    ['/a.html'],
    ['../a.html'],
    ['sub/../a.html'],
    ['sub//b.html'],
    ['.hidden.html'],
    ['sub/.b.html'],
    ['a.html?x'],
    ['a.html#x'],
    ['a%2ehtml'],
    ['sub\\b.html'],
    ['a.js'],
    ['https://evil.example/a.html'],
    [''],
    [7],
  ])('must not have the path %j', (given) => {
    expect(faultsOf([page({ path: given })])).toEqual([expect.stringMatching(/^pages\[0\]\.path: /)]);
  });

  it('must be files within public/', () => {
    mkdirSync(path.join(directory, 'public/dir.html'));
    expect(faultsOf([page({ path: 'link.html' })])).toEqual([
      'pages[0].path: leads out of public/ by a link',
    ]);
    expect(faultsOf([page({ path: 'dir.html' })])).toEqual([
      'pages[0].path: there is no file public/dir.html',
    ]);
  });

  it('have a known icon and, only in tabs, a model', () => {
    expect(faultsOf([page({ icon: 'tag' })])[0]).toMatch(
      /"tag" is not an icon, did you mean "tags"\?; known: /,
    );
    expect(faultsOf([page({ icon: '__proto__' })])).toHaveLength(1);
    expect(faultsOf([page({ model: 'a.b' })])).toEqual(['pages[0].model: is only for the placement tab']);
    for (const model of ['Things.a.b', 'a/b.c', '.a', ''])
      expect(faultsOf([page({ placement: 'tab', model })])).toEqual([
        'pages[0].model: must be <plural>.<group>, such as persons.demo.example.com',
      ]);
  });

  it('are limited in number and length', () => {
    const pages = (count: number): object[] =>
      Array.from({ length: count }, (_, i) => page({ placement: 'tab', model: `m${i}.a.b` }));
    expect(faultsOf(pages(PAGES_MAX))).toEqual([]);
    expect(faultsOf(pages(PAGES_MAX + 1))).toEqual([
      `pages: has ${PAGES_MAX + 1} pages; at most ${PAGES_MAX} are allowed`,
    ]);
    expect(faultsOf([page({ title: 'x'.repeat(PAGE_TITLE_LENGTH_MAX) })])).toEqual([]);
    expect(faultsOf([page({ title: 'x'.repeat(PAGE_TITLE_LENGTH_MAX + 1) })])).toHaveLength(1);
    const long = (length: number): string => `${'x'.repeat(length - '.html'.length)}.html`;
    writeFileSync(path.join(directory, 'public', long(PAGE_PATH_LENGTH_MAX)), '');
    expect(faultsOf([page({ path: long(PAGE_PATH_LENGTH_MAX) })])).toEqual([]);
    expect(faultsOf([page({ path: long(PAGE_PATH_LENGTH_MAX + 1) })])).toHaveLength(1);
  });

  it('are different', () => {
    expect(faultsOf([page(), page({ title: 'B' })])).toEqual(['pages[1]: is the same as page 0']);
    expect(faultsOf([page(), page({ placement: 'card' })])).toEqual([]);
  });

  it('must be a list of mappings', () => {
    expect(faultsOf(undefined)).toEqual(['pages: is required']);
    expect(faultsOf({})).toEqual(['pages: must be a list of {title, icon, path, placement, model}']);
    expect(faultsOf([null])).toEqual([
      'pages[0]: must be a mapping with title, icon, path, placement, model',
    ]);
    expect(faultsOf([], { menu: [] })).toEqual(['menu: is unknown; known: pages']);
  });

  it('use icons that the console has', () => {
    const icons = readFileSync(new URL('../../src/console/parts/icon.tsx', import.meta.url), 'utf8');
    const names = [...icons.matchAll(/^ {2}'?([\w-]+)'?: Lucide\.\w+,$/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(30);
    expect(PAGE_ICONS.filter((name) => !names.includes(name))).toEqual([]);
  });
});
