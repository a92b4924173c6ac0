import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const BUILT = new URL('../../dist/console', import.meta.url).pathname;
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const FIRST_LOAD_BYTES_MAX = 250_000;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ consoleDirectory: BUILT });
});
afterAll(async () => {
  await server.close();
  removeDirectories();
});

const textOf = (file: string): string => readFileSync(path.join(BUILT, file), 'utf8');
const loadedBy = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="([\w-]+\.(?:js|css))"/g)].map(([, file = '']) => file);

/** Files that a browser loads before the first display: those named by the page, and their static imports. */
function firstLoad(): string[] {
  const files = loadedBy(textOf('index.html'));
  for (const file of files)
    for (const [, name = ''] of textOf(file).matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g))
      if (!files.includes(name)) files.push(name);
  return files;
}

describe('the console', () => {
  it('is a page under a policy that allows nothing but the service', async () => {
    const { status, headers, text } = await server.get('/console/');
    expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'nosniff',
    ]);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
    expect(text).not.toMatch(/<style|<script(?![^>]*src=)|https?:(?!\/\/www\.w3\.org)/);
    expect(headers['cache-control']).toBe('no-cache');
    expect((await server.get('/console/', { 'if-none-match': headers.etag ?? '' })).status).toBe(304);
  });

  it('loads files that browsers keep for good, and gets them smaller where they can be', async () => {
    const { text } = await server.get('/console/');
    const files = loadedBy(text);
    expect(files.map((file) => path.extname(file)).sort()).toEqual(['.css', '.js']);
    for (const file of files) {
      const plain = await server.get(`/console/${file}`);
      expect(plain.text).toBe(textOf(file));
      expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      const zipped = await fetch(`${server.url}/console/${file}`, { headers: { 'accept-encoding': 'gzip' } });
      expect([zipped.headers.get('content-encoding'), zipped.headers.get('vary')]).toEqual([
        'gzip',
        'Accept-Encoding',
      ]);
      expect(await zipped.text()).toBe(textOf(file));
      expect(zipped.headers.get('etag')).not.toBe(plain.headers.etag);
    }
  });

  it('has nothing else to give', async () => {
    for (const target of [
      '/console/nothing.js',
      '/console/..%2Findex.js',
      '/console/%2e%2e/index.js',
      '/console/a/b.js',
    ])
      expect([target, (await server.get(target)).status]).toEqual([target, 404]);
    const refused = await server.send('POST', '/console/');
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
    const bare = await server.get('/console');
    expect([bare.status, bare.headers.location]).toEqual([308, '/console/']);
  });

  it('is the target of a redirect from / for browsers; other clients get the paths', async () => {
    const { status, headers } = await server.get('/', { accept: BROWSER });
    expect([status, headers.location]).toEqual([302, '/console/']);
    expect(headers.vary).toContain('Accept');
    expect((await server.get('/')).json().paths).toContain('/console/');
  });

  it('has the name, the environment and the color of the service in the page itself, as text', async () => {
    const name = 'shop "a" <b>&$&';
    const brand = { name, environment: 'production', color: 'green' };
    const other = await startTestServer({ consoleDirectory: BUILT, consoleBrand: brand });
    try {
      const { text, headers } = await other.get('/console/');
      const shown = 'shop &quot;a&quot; &lt;b&gt;&amp;$&amp;';
      expect(text).toContain(
        `<html data-name="${shown}" data-environment="production" data-color="green" lang="en">`,
      );
      expect(text).toContain(`<title>${shown}</title>`);
      expect(headers.etag).not.toBe((await server.get('/console/')).headers.etag);
    } finally {
      await other.close();
    }
  });

  it('says how to build it where it was not', async () => {
    const other = await startTestServer({ consoleDirectory: temporaryDirectory() });
    try {
      const { status, text } = await other.get('/console/');
      expect(status).toBe(404);
      expect(text).toContain('npm run build');
    } finally {
      await other.close();
    }
  });

  it('is not there when it is switched off, and / shows the page of links', async () => {
    const other = await startTestServer();
    try {
      expect((await other.get('/console/')).status).toBe(404);
      expect((await other.get('/', { accept: BROWSER })).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});

describe('the files of the console', () => {
  const zippedBytes = (file: string): number => gzipSync(textOf(file), { level: 9 }).length;
  const languages = (): string[] =>
    readdirSync(BUILT).filter((file) => /^[a-z]{2}-[A-Z0-9]+\.js$/.test(file));

  it('are at most 250 KB before something is shown in any language, compressed', () => {
    const files = firstLoad();
    const bytes = files.map(zippedBytes).reduce((sum, one) => sum + one, 0);
    expect(files.length).toBeGreaterThan(1);
    expect(bytes + Math.max(...languages().map(zippedBytes))).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  });

  it('have each language except English in a separate file, which is loaded on demand', () => {
    expect(languages()).toEqual([expect.stringMatching(/^de-/)]);
    const loaded = firstLoad();
    expect(languages().filter((file) => loaded.includes(file))).toEqual([]);
    expect(loaded.some((file) => textOf(file).includes('Skip to the content'))).toBe(true);
    expect(loaded.some((file) => textOf(file).includes('Zum Inhalt springen'))).toBe(false);
  });

  it('are few before something is shown', () => {
    expect(firstLoad().length).toBeLessThanOrEqual(6);
  });

  it('have the editor in a part that is loaded later', () => {
    const scripts = readdirSync(BUILT).filter((file) => file.endsWith('.js'));
    const editors = scripts.filter((file) => textOf(file).includes('cm-content'));
    expect(editors).toHaveLength(1);
    expect(firstLoad()).not.toContain(editors[0]);
    // The same part contains its search.
    expect(scripts.filter((file) => textOf(file).includes('cm-searchMatch'))).toEqual(editors);
  });

  it('have the plots in a part that is loaded later', () => {
    const plots = readdirSync(BUILT).filter(
      (file) => file.endsWith('.js') && textOf(file).includes('u-over'),
    );
    expect(plots).toHaveLength(1);
    expect(firstLoad()).not.toContain(plots[0]);
  });

  it('contain the licenses of their parts', () => {
    const names = [
      'react',
      'react-aria-components',
      '@tanstack/query-core',
      '@codemirror/view',
      'uplot',
      'yaml',
    ];
    for (const name of names) expect(textOf('licenses.txt')).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});
