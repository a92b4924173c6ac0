import path from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt, PICTURES, type Followed } from '../../helpers/browser.js';
import { chooseLanguage, closeAll, english, german, openTab } from '../../helpers/console.js';
import { EXAMPLE_PLUGINS, freePort, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { putPress } from '../../helpers/press.js';
import { temporaryDirectory } from '../../helpers/store.js';
import type { Translate } from '../../../src/console/texts.js';
import { LANGUAGE_NAMES } from '../../../src/console/texts/languages.js';

const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const LIST = '#/models/demo.example.com/v1alpha1/persons';
/** Enough for languages to group the digits of, beside those that the plugin brings. */
const MADE = 12_345;

let total = 0;
let daemon: DaemonProcess;
let context: BrowserContext;
let page: Page;
let followed: Followed;

/** A browser of somebody who reads German: the language is that of the browser until another one is chosen. */
async function start(): Promise<void> {
  const directory = temporaryDirectory();
  await putPress(directory);
  const plugins = [EXAMPLE_PLUGINS, path.join(directory, 'plugins')];
  daemon = await startDaemonProcess({
    dataDir: path.join(directory, 'data'),
    port: await freePort(),
    plugins,
  });
  for (let from = 0; from < MADE; from += 1_000) {
    const items = Array.from({ length: Math.min(1_000, MADE - from) }, (_, i) => ({
      verb: 'create',
      object: {
        apiVersion: 'demo.example.com/v1alpha1',
        kind: 'Person',
        ...person(`made-${from + i}`, { age: (from + i) % 90 }),
      },
    }));
    expect((await daemon.send('POST', BATCHES, { body: { items } })).status).toBe(200);
  }
  total = Number((await daemon.get(`${PERSONS}?limit=1`)).json().total);
  ({ context, page, followed } = await openTab('de-AT'));
}

async function open(hash: string): Promise<void> {
  await page.goto(`${daemon.url}/console/${hash}`);
}

/** The number of persons, as a language writes it. */
function written(texts: Translate): string {
  return (/\d.*\d/.exec(texts`${total} total`) ?? [''])[0];
}

const spoken = (): Promise<string | null> => page.locator('html').getAttribute('lang');
const heading = (name: string) => page.getByRole('heading', { name, exact: true });

/** From the beginning, as if it had been chosen before. */
async function speak(code: string): Promise<void> {
  await open('#/');
  await page.evaluate(`localStorage.setItem('xsvc-language', '${code}')`);
  await page.reload();
  await expect.poll(spoken).toBe(code);
}

async function choose(code: keyof typeof LANGUAGE_NAMES): Promise<void> {
  await chooseLanguage(page, code);
  await expect.poll(spoken).toBe(code);
}

interface Place {
  readonly name: string;
  readonly hash: string;
  /** The element that appears last. */
  readonly isThere: () => Locator;
}

function pagesIn(texts: Translate): readonly Place[] {
  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const made = `${LIST}/made-1`;
  return [
    {
      name: 'overview',
      hash: '#/',
      isThere: () => page.getByRole('main').getByText(written(texts), { exact: true }),
    },
    {
      name: 'list',
      hash: `${LIST}?filter=spec.age%20%3E%2018&facets=spec.age&explain=true`,
      isThere: () => page.getByText(texts`Only these objects are read.`),
    },
    { name: 'object', hash: made, isThere: () => region(texts`Events`) },
    { name: 'yaml', hash: `${made}/yaml`, isThere: () => page.getByRole('textbox', { name: 'YAML' }) },
    {
      name: 'history',
      hash: `${made}/history`,
      isThere: () => page.getByText(texts`Created`),
    },
    { name: 'related', hash: `${made}/related`, isThere: () => page.getByText(texts`No owners.`) },
    {
      name: 'create',
      hash: '#/create/demo.example.com/v1alpha1/persons/form',
      isThere: () => page.getByRole('group', { name: texts`Form`, exact: true }),
    },
    { name: 'plugins', hash: '#/plugins', isThere: () => page.getByRole('table').first() },
    { name: 'controllers', hash: '#/controllers', isThere: () => heading(texts`Controllers`) },
    { name: 'access', hash: '#/access', isThere: () => region(texts`What may a user do?`) },
    { name: 'models', hash: '#/models', isThere: () => page.getByRole('table').first() },
    { name: 'metrics', hash: '#/metrics', isThere: () => heading(texts`Response latency`) },
    { name: 'nowhere', hash: '#/nowhere', isThere: () => heading(texts`Page not found.`) },
  ];
}

/** Elements that are too wide: the page itself, and words that their button or field cannot hold. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll('button, a, h1, h2, h3, label, summary, th, select, p')]
  .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.localName + ' ' + one.textContent.trim().slice(0, 60) + ' ' + one.scrollWidth + ' > ' + one.clientWidth)`;

describe.skipIf(CHROMIUM === undefined)('the languages of the console', () => {
  beforeAll(start, 180_000);
  afterAll(() => closeAll(context, daemon));

  it('are those that the browser asks for, in whatever region', async () => {
    await open('#/');
    await heading(german`Overview`).waitFor();
    expect(await spoken()).toBe('de');
    expect(await page.title()).toContain(german`Overview`);
    await expect.poll(() => page.getByRole('main').textContent()).toContain(written(german));
  });

  it('need one more file, which is loaded before anything is shown; others are not loaded', () => {
    const loaded = followed.requested
      .map((url) => path.basename(url))
      .filter((file) => /^[a-z]{2}-/.test(file));
    expect(loaded).toEqual([expect.stringMatching(/^de-/)]);
  });

  it('are also those of what the service says about fields', async () => {
    await open(`${LIST}/made-7/yaml`);
    const textbox = page.getByRole('textbox', { name: 'YAML' });
    await expect.poll(() => textbox.textContent()).toContain('made-7');
    await textbox.fill('metadata:\n  name: made-7\nspec:\n  age: -3\n');
    await page.getByRole('button', { name: german`Save`, exact: true }).click();
    const alert = page.getByRole('alert');
    await expect.poll(() => alert.textContent()).toContain('muss >= 0 sein');
    expect(await alert.textContent()).toContain(german`The service refuses this:`);
  });

  it('can be chosen, which keeps the typed text, and is remembered', async () => {
    await choose('en');
    // The browser still asks for German.
    await page.getByRole('button', { name: english`Save`, exact: true }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('must be >= 0');
    expect(await page.getByRole('textbox', { name: 'YAML' }).textContent()).toContain('age: -3');
    await page.getByRole('note', { name: english`The field at the cursor`, exact: true }).waitFor();
    await open(LIST);
    await page.reload();
    await page.getByText(english`${total} total`, { exact: true }).waitFor();
    expect(await spoken()).toBe('en');
    await choose('de');
    await page.getByText(german`${total} total`, { exact: true }).waitFor();
  });

  it('give way to English when their file cannot be loaded', async () => {
    await page.route(/\/de-[A-Z0-9]+\.js$/, (route) => route.abort());
    await page.evaluate("localStorage.setItem('xsvc-language', 'de')");
    await page.reload();
    await page.getByText(english`${total} total`, { exact: true }).waitFor();
    expect(await spoken()).toBe('en');
    await page.unroute(/\/de-[A-Z0-9]+\.js$/);
    await page.reload();
    await expect.poll(spoken).toBe('de');
    await page.getByText(german`${total} total`).waitFor();
  });

  it.each([
    ['de', german, 'Übersicht'],
    ['en', english, 'Overview'],
  ] as const)('%s is spoken by every page, and everybody can use them', async (code, texts, overview) => {
    await speak(code);
    await heading(overview).waitFor();
    const barriers: string[] = [];
    for (const { name, hash, isThere } of pagesIn(texts)) {
      await open(hash);
      await isThere().waitFor();
      expect(await spoken()).toBe(code);
      barriers.push(...(await lookAt(page, `console-${code}-${name}`)));
    }
    expect(barriers).toEqual([]);
  });

  it.each([['de', german]] as const)('%s has words that fit, in a narrow window too', async (code, texts) => {
    await speak(code);
    const wide: string[] = [];
    for (const width of [1280, 400]) {
      await page.setViewportSize({ width, height: 860 });
      for (const { name, hash, isThere } of pagesIn(texts)) {
        await open(hash);
        await isThere().waitFor();
        const file = path.join(PICTURES, `console-${code}-${name}-${width}.png`);
        await page.screenshot({ path: file, fullPage: true });
        const found = await page.evaluate<string[]>(TOO_WIDE);
        wide.push(...found.map((one) => `${name} at ${width}: ${one}`));
      }
    }
    await page.setViewportSize({ width: 1280, height: 860 });
    expect(wide).toEqual([]);
  });

  it('are those of dialogs too', async () => {
    await speak('de');
    await open(LIST);
    await page.getByRole('checkbox', { name: german`Select all rows of this page` }).check();
    await page
      .getByText(german`${50} selected`)
      .first()
      .waitFor();
    await page.getByRole('button', { name: german`Delete`, exact: true }).click();
    await page.getByRole('alertdialog').or(page.getByRole('dialog')).waitFor();
    await heading(german`Delete ${50} ${'persons'}?`).waitFor();
    await page.setViewportSize({ width: 400, height: 860 });
    expect(await page.evaluate<string[]>(TOO_WIDE)).toEqual([]);
    expect(await lookAt(page, 'console-de-dialog')).toEqual([]);
    await page.getByRole('button', { name: german`Cancel`, exact: true }).click();
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('are those of states too, which keep the word of the API; messages of the service are marked as English', async () => {
    await speak('de');
    await open('#/plugins');
    const states = page.getByTitle('STARTED', { exact: true });
    await states.first().waitFor();
    expect(await states.first().textContent()).toBe(german`STARTED`);
    await open('#/controllers');
    await page
      .getByTitle('running', { exact: true })
      .getByText(german`running`)
      .first()
      .waitFor();
    await open(`${LIST}?sort=nowhere`);
    const message = page.getByRole('alert').locator('[lang=en]');
    await expect.poll(() => message.first().textContent()).toContain('nowhere');
    await open(`${LIST}?filter=1%20%2B`);
    await expect.poll(() => message.first().textContent()).toContain('filter');
    // Without a user there is nobody to ask about.
    await daemon.send('POST', '/apis/access.platform.run/v1alpha1/users', {
      body: { metadata: { name: 'ann' }, spec: {} },
    });
    await open('#/access');
    await expect
      .poll(() =>
        page
          .getByRole('combobox', { name: german`Verb` })
          .locator('option')
          .allTextContents(),
      )
      .toContain(`list – ${german`list`}`);
  });

  it('are shown without complaints of the browser', () => {
    expect(followed.complaints).toEqual([]);
  });
});
