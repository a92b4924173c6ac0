import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import { CHROMIUM } from '../../helpers/browser.js';
import { person, PERSONS } from '../../helpers/http.js';
import { useJourneys } from './journeys.js';

const journeys = useJourneys(['--auth', 'token', '--watch']);
const { journey } = journeys;
const BOOKMARKS = '/apis/bookmark.example.com/v1alpha1/bookmarks';
let admin = '';

/** A page that runs what a test writes into its field, and shows the result. */
const HOSTILE = `<!doctype html><script src="/plugins/bridge.js"></script>
<input aria-label="Code"><button onclick="go()">Run</button><output></output><script>
const send = (message) => parent.postMessage({ mark: 'xsvc-page', message }, '*');
const go = async () => {
  const output = document.querySelector('output');
  output.textContent = '…';
  const run = new Function('send', 'return (async () => {' + document.querySelector('input').value + '})()');
  output.textContent = JSON.stringify(await run(send).catch((error) => error.name + ': ' + error.message)) ?? 'done';
};
</script>`;

/** A page that leads away while it loads. */
const JUMPING = `<!doctype html><script src="/plugins/bridge.js"></script>
<script>xsvc.navigate('#/models'); xsvc.setTitle('Jumped');</script>`;

beforeAll(() => {
  if (CHROMIUM === undefined) return;
  admin = /shown only now: (\S+)/.exec(journeys.daemon.output.stdout)?.[1] ?? '';
  const directory = path.join(journeys.directory, 'plugins/hostile');
  mkdirSync(path.join(directory, 'public'), { recursive: true });
  const put = (file: string, text: string): void => writeFileSync(path.join(directory, file), text);
  put('public/run.html', HOSTILE);
  put('public/jump.html', JUMPING);
  put('index.js', "import { BasePlugin } from 'xsvc';\nexport default class extends BasePlugin {}\n");
  const pages = [
    { title: 'Run', path: 'run.html', placement: 'sidebar' },
    { title: 'Jump', path: 'jump.html', placement: 'card' },
  ];
  const spec = { version: '1.0.0', console: { pages } };
  const manifest = {
    apiVersion: 'plugin.platform.run/v1alpha1',
    kind: 'Plugin',
    metadata: { name: 'hostile' },
    spec,
  };
  put('plugin.yaml', JSON.stringify(manifest));
});

const asAdmin = (): { readonly headers: Readonly<Record<string, string>> } => ({
  headers: { authorization: `Bearer ${admin}` },
});

async function signIn(page: Page, hash: string): Promise<void> {
  const plugin = '/apis/plugin.platform.run/v1alpha1/plugins/hostile';
  await expect
    .poll(async () => (await journeys.daemon.send('GET', plugin, asAdmin())).text)
    .toContain('"STARTED"');
  await page.goto(`${journeys.daemon.url}/console/${hash}`);
  await page.getByLabel('Token').fill(admin);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Runs code in the hostile page. @returns its result as JSON */
async function run(frame: FrameLocator, code: string): Promise<string> {
  await frame.getByLabel('Code').fill(code);
  await frame.getByRole('button', { name: 'Run' }).click();
  const output = frame.locator('output');
  await expect.poll(() => output.textContent()).not.toMatch(/^(…|)$/);
  return (await output.textContent()) ?? '';
}

describe('a page of a plugin in the console', () => {
  journey(
    'is in the navigation, reads with the rights of the user, and leads to an object',
    async ({ page }) => {
      await signIn(page, '#/');
      await page.getByRole('link', { name: 'Bookmarks by tag' }).click();
      await page.getByRole('heading', { name: 'Bookmarks by tag' }).waitFor();
      const frame = page.frameLocator('iframe[title="Bookmarks by tag"]');
      await frame.getByRole('button', { name: /^schema \(\d+\)$/ }).click();
      await frame.getByRole('button', { name: 'JSON Schema' }).click();
      await page.getByRole('heading', { name: 'json-schema', exact: true }).waitFor();
      expect(page.url()).toContain('#/models/bookmark.example.com/v1alpha1/bookmarks/json-schema');
    },
  );

  journey('is a tab of the objects of its model, and knows the object and the language', async ({ page }) => {
    await signIn(page, '#/models/bookmark.example.com/v1alpha1/bookmarks/json-schema');
    await page.getByRole('link', { name: 'Read later', exact: true }).click();
    const frame = page.frameLocator('iframe[title="Read later"]');
    await frame.getByText('It has no end.').waitFor();
    await frame.getByRole('button', { name: 'Keep' }).click();
    await frame.getByText(/It is kept until [A-Z]\w+ \d+, \d{4}/).waitFor();
    const { text } = await journeys.daemon.send('GET', `${BOOKMARKS}/json-schema`, asAdmin());
    expect(text).toContain('expires-at');
    await page.getByRole('link', { name: 'YAML', exact: true }).click();
    await page.getByRole('textbox', { name: 'YAML' }).waitFor();
  });

  journey('has the theme of the console, and a title of its choice', async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await signIn(page, '#/plugins/hostile/run.html');
    const frame = page.frameLocator('iframe[title="Run"]');
    expect(await run(frame, 'return [xsvc.theme, document.documentElement.style.colorScheme]')).toBe(
      '["dark","dark"]',
    );
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(() => run(frame, 'return xsvc.theme')).toBe('"light"');
    expect(await run(frame, 'xsvc.setTitle("Mine")')).toBe('done');
    await page.getByRole('heading', { name: 'Mine' }).waitFor();
  });
});

describe('a hostile page of a plugin', () => {
  journey('gets no token, and sends nothing to other addresses', async ({ page, followed }) => {
    await signIn(page, '#/plugins/hostile/run.html');
    const frame = page.frameLocator('iframe[title="Run"]');
    const refused = {
      "'https://evil.example/'": 'the path must begin with /apis/',
      "'//evil.example/apis/'": 'the path must begin with /apis/',
      "'/apis/../console/'": 'must not contain . or ..',
      "'/apis/%2e%2E/metrics'": 'must not contain . or ..',
      "'/apis/x\\\\y'": 'the path must begin with /apis/',
      "'/metrics'": 'the path must begin with /apis/',
      "'/apis/%61ccess.platform.run/v1alpha1/tokens'": 'users, roles and tokens are not available',
      "'/apis/api.platform.run/v1alpha1/watchtickets', { method: 'POST', body: '{}' }":
        'not available to pages',
      "'/apis/a/b/c?watch=TRUE'": 'streams are not available',
      "'/apis/a/b/c', { headers: { Authorization: 'Bearer x' } }": 'the header is not one of',
      "'/apis/a/b/c', { method: 'TRACE' }": 'TypeError',
      "'/apis/api.platform.run/v1alpha1/batches', { method: 'POST', body: JSON.stringify({ items: [{ verb: 'delete', apiVersion: 'access.platform.run/v1alpha1', kind: 'User', name: 'admin' }] }) }":
        'users, roles and tokens are not available',
    };
    for (const [given, reason] of Object.entries(refused))
      expect(await run(frame, `return xsvc.fetch(${given}).then(({ status }) => status)`), given).toContain(
        reason,
      );
    const seen =
      'return xsvc.fetch("/apis/demo.example.com/v1alpha1/persons?size=1").then(async (a) => [a.status, [...a.headers.keys()]])';
    expect(await run(frame, seen)).toBe('[200,["content-type"]]');
    expect(
      await run(frame, 'return fetch("/apis/demo.example.com/v1alpha1/persons").then(() => 1)'),
    ).toContain('TypeError');
    expect(await run(frame, 'return parent.document.title')).toContain('SecurityError');
    expect(await run(frame, 'return sessionStorage.length')).toContain('SecurityError');
    expect(followed.requested.filter((url) => url.includes('evil'))).toEqual([]);
    followed.complaints.length = 0;
  });

  journey(
    'leads nowhere but to routes of the console, and only after a press',
    async ({ page, followed }) => {
      await signIn(page, '#/plugins/hostile/run.html');
      const frame = page.frameLocator('iframe[title="Run"]');
      const before = page.url();
      const tries = [
        'xsvc.navigate("https://evil.example/")',
        'xsvc.navigate("javascript:alert(1)")',
        'xsvc.navigate("#models")',
        'top.location = "https://evil.example/"',
        'window.open("https://evil.example/")',
      ];
      for (const code of tries) await run(frame, code);
      expect(page.url()).toBe(before);
      expect(page.context().pages()).toHaveLength(1);
      await frame.getByLabel('Code').fill('location = "https://evil.example/"');
      await frame.getByRole('button', { name: 'Run' }).click();
      await expect.poll(() => followed.complaints.join()).toMatch(/frame-src/);
      expect(page.url()).toBe(before);
      await page.goto(`${journeys.daemon.url}/console/#/plugins/hostile/jump.html`);
      await page.getByRole('heading', { name: 'Jumped' }).waitFor();
      expect(page.url()).toMatch(/jump\.html$/);
      // As a card it does not make the overview unreachable.
      await page.goto(`${journeys.daemon.url}/console/#/`);
      const card = page.getByRole('region', { name: 'Jump', exact: true });
      await expect.poll(() => card.locator('iframe').getAttribute('height')).not.toBeNull();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(page.url()).toMatch(/#\/$/);
      expect(followed.requested.filter((url) => url.includes('evil'))).toEqual([]);
      followed.complaints.length = 0;
    },
  );

  journey(
    'is answered only for messages of the exact form, and is stopped when it floods',
    async ({ page }) => {
      await signIn(page, '#/plugins/hostile/run.html');
      const frame = page.frameLocator('iframe[title="Run"]');
      const counted = `
      let answers = 0;
      addEventListener('message', () => answers++);
      const odd = JSON.parse('{"kind":"hello","__proto__":{"x":1}}');
      const get = { kind: 'fetch', id: 1, path: '/apis/a/b/c', method: 'GET', headers: {}, body: '' };
      for (const one of [null, 1, 'hello', [], {}, odd, { kind: 'constructor' }, { kind: '__proto__' },
        { ...get, id: '1' }, { ...get, more: 1 }, { ...get, headers: { a: 1 } }, { kind: 'navigate', route: {} }])
        send(one);
      parent.postMessage({ mark: 'other', message: get }, '*');
      await new Promise((done) => setTimeout(done, 300));
      const before = answers;
      send({ kind: 'hello' });
      await new Promise((done) => setTimeout(done, 300));
      return [before, answers];`;
      expect(await run(frame, counted)).toBe('[0,1]');
      await frame.getByLabel('Code').fill('for (let i = 0; i < 5000; i++) send({ kind: "hello" })');
      await frame.getByRole('button', { name: 'Run' }).click();
      const notice = page.getByRole('alert').filter({ hasText: 'The page of the plugin was stopped.' });
      await notice.getByRole('button', { name: 'Load the page again' }).click();
      expect(await run(frame, 'return 1')).toBe('1');
    },
  );

  journey('has bounded requests: their number, and the length of bodies and answers', async ({ page }) => {
    await journeys.daemon.send('POST', PERSONS, {
      ...asAdmin(),
      body: person('long', {}, { annotations: { a: 'x' } }),
    });
    await signIn(page, '#/plugins/hostile/run.html');
    const frame = page.frameLocator('iframe[title="Run"]');
    const many = `const all = await Promise.allSettled(Array.from({ length: 100 }, () => xsvc.fetch('/apis/demo.example.com/v1alpha1/persons?size=1')));
      const failed = all.filter(({ status }) => status === 'rejected');
      return [all.length - failed.length, failed[0].reason.message];`;
    expect(await run(frame, many)).toBe('[66,"at most 60 requests may wait"]');
    const body = (length: number): string =>
      `return xsvc.fetch('/apis/demo.example.com/v1alpha1/persons', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: ' '.repeat(${length}) }).then(({ status }) => status)`;
    expect(await run(frame, body(1024 ** 2))).toBe('400');
    expect(await run(frame, body(1024 ** 2 + 1))).toContain('the body is longer than');
  });
});
