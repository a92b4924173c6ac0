import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { humanize } from '../../../src/console/lib/naming.js';
import { CHROMIUM, followPage, lookAt, PICTURES, type Followed } from '../../helpers/browser.js';
import { chooseLanguage, closeAll, openTab, PAGES } from '../../helpers/console.js';
import { startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import {
  HOSTILE_PLURALS,
  hostileList,
  hostilePath,
  LONG_WORD,
  putHostile,
  TRAPS,
  traps,
} from '../../helpers/hostile.js';
import { temporaryDirectory } from '../../helpers/store.js';

const LIST = hostileList('traps');

let daemon: DaemonProcess;
let context: BrowserContext;
let page: Page;
let followed: Followed;

async function open(hash: string, on = page): Promise<void> {
  await on.goto(`${daemon.url}/console/`);
  await on.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** Pixels by which the page, with its content, is wider than the window. */
const tooWide = (): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

describe.skipIf(CHROMIUM === undefined)('the console among texts and values that are hard to show', () => {
  beforeAll(async () => {
    const directory = temporaryDirectory();
    await putHostile(directory);
    const plugins = [path.join(directory, 'plugins')];
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins });
    for (const object of traps()) {
      const { status, text } = await daemon.send('POST', TRAPS, { body: object });
      expect([status, status === 201 ? '' : text]).toEqual([201, '']);
    }
    for (const plural of HOSTILE_PLURALS.slice(1))
      await daemon.send('POST', hostilePath(plural), {
        body: { metadata: { name: 'constructor' }, spec: {} },
      });
    ({ context, page, followed } = await openTab());
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  it.each([
    '#/%%%',
    '#/__proto__',
    '#/constructor',
    '#/models/%%%/v1/x',
    '#/models/__proto__/__proto__/__proto__',
    `#/${'a'.repeat(100_000)}`,
    `#/models/${'a'.repeat(100_000)}/v1/x`,
    `${LIST}?page=9007199254740993&size=1e308&sort=__proto__&labelSelector=a&labelSelector=b&x=1`,
    `${LIST}/text-0/constructor`,
  ])('says what it can of a link that leads nowhere: %s', async (hash) => {
    await open(hash);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it.each(HOSTILE_PLURALS)('shows the model %s, its objects, and one of them', async (plural) => {
    await open(hostileList(plural));
    await page.getByRole('heading', { name: humanize(plural), exact: true }).waitFor();
    await page.getByRole('link', { name: 'constructor', exact: true }).last().click();
    await page.getByRole('heading', { name: 'constructor', exact: true }).waitFor();
    expect(await tooWide()).toBe(0);
  });

  it('has fields for names that every object of JavaScript has, with nothing in them that is not stored', async () => {
    await open(`${LIST}/text-0/form`);
    const groups = page.getByRole('group', { name: 'Form', exact: true });
    await groups.waitFor();
    expect(await page.getByRole('textbox', { name: 'Constructor', exact: true }).count()).toBe(2);
    // That of `valueOf` is a group: the function that every object has by that name is none.
    expect(await groups.locator('pre').count()).toBe(0);
    await open(`${LIST}/constructor/form`);
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Constructor', exact: true }).first().inputValue())
      .toBe('own');
  });

  it('keeps rows and pages short where texts are long, and has all of them when asked', async () => {
    await open(LIST);
    const row = page
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name: 'text-6', exact: true }) });
    await row.waitFor();
    expect((await row.boundingBox())?.height).toBeLessThan(300);
    expect(await lookAt(page, 'console-hostile-list')).toEqual([]);
    await open(`${LIST}/text-6`);
    await page.getByRole('group', { name: 'Form', exact: true }).waitFor();
    const height = (): Promise<number> => page.evaluate('document.getElementById("content").scrollHeight');
    await expect.poll(height).toBeLessThan(5_000);
    expect(await lookAt(page, 'console-hostile-object')).toEqual([]);
    const long = page.getByRole('group', { name: 'Form', exact: true }).locator('textarea').first();
    expect(await long.inputValue()).toBe(LONG_WORD);
  });

  it.each(['deep', 'wide', 'many', 'holes', 'numbers', 'dates', 'empty'])(
    'shows the object %s in each way, without anything beside the window',
    async (name) => {
      for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 700 });
        for (const view of ['', '/form', '/yaml', '/history', '/related']) {
          await open(`${LIST}/${name}${view}`);
          await page.getByRole('heading', { name, exact: true }).waitFor();
          await page.getByText('Loading…').first().waitFor({ state: 'detached' });
          if (view === '/yaml') await page.getByRole('textbox', { name: 'YAML' }).waitFor();
          expect([width, view, await tooWide()]).toEqual([width, view, 0]);
        }
      }
      await page.setViewportSize({ width: 1280, height: 860 });
    },
  );

  it('lets everybody scroll a long text by keyboard', async () => {
    await open(`${LIST}/wide/yaml`);
    await page.getByRole('textbox', { name: 'YAML' }).waitFor();
    expect(await lookAt(page, 'console-hostile-yaml')).toEqual([]);
  });

  it('shows numbers with all their digits, and saves them as they were', async () => {
    await open(`${LIST}/numbers/yaml`);
    const textbox = page.getByRole('textbox', { name: 'YAML' });
    await expect.poll(() => textbox.textContent()).toContain('9007199254740991');
    await textbox.press('Control+End');
    await page.keyboard.insertText('  text: added\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { spec } = (await daemon.get(`${TRAPS}/numbers`)).json();
    expect(spec).toMatchObject({
      number: 1e308,
      whole: Number.MAX_SAFE_INTEGER,
      tiny: 5e-324,
      text: 'added',
    });
  });

  it('has words that fit at the zoom of 400 %, and for those who want other colours or less motion', async () => {
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 700 });
      for (const [i, hash] of [
        ...PAGES,
        LIST,
        `${LIST}?explain=true&facets=spec.text`,
        '#/create/hostile.example.com/v1/traps/form',
      ].entries()) {
        await open(hash);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.getByText('Loading…').first().waitFor({ state: 'detached' });
        expect([width, hash, await tooWide()]).toEqual([width, hash, 0]);
        await page.screenshot({
          path: path.join(PICTURES, `console-forced-${i}-${width}.png`),
          fullPage: true,
        });
      }
    }
    // In a narrow window the links are in a drawer.
    await page.setViewportSize({ width: 1280, height: 860 });
    await open('#/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const styles = `(({ outlineStyle, fontWeight }) => outlineStyle !== 'none' || fontWeight >= 600)(
      getComputedStyle(document.querySelector('nav [aria-current]')))`;
    expect(await page.evaluate(styles)).toBe(true);
    await page.emulateMedia({ forcedColors: 'none', reducedMotion: 'no-preference' });
  });

  it.each([
    [
      'refused',
      "Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } })",
    ],
    ['full', "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }"],
  ])('works where the browser keeps nothing: %s', async (_how, refuse) => {
    const tab = await context.newPage();
    const { complaints } = followPage(tab);
    await tab.addInitScript(`for (const name of ['sessionStorage', 'localStorage']) { ${refuse} }`);
    await open('#/', tab);
    await tab.getByRole('heading', { name: 'Overview' }).waitFor();
    await chooseLanguage(tab, 'de');
    await tab.getByRole('heading', { name: 'Übersicht' }).waitFor();
    expect(complaints).toEqual([]);
    await tab.close();
  });

  it('ran no script, and the browser had nothing to complain about', async () => {
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(followed.complaints).toEqual([]);
  });
});
