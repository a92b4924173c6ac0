import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt } from '../../helpers/browser.js';
import { closeAll, openTab, type Tab } from '../../helpers/console.js';
import { startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { PRODUCT, PRODUCTS, putShop } from '../../helpers/shop.js';
import { temporaryDirectory } from '../../helpers/store.js';

const MERGE = { 'content-type': 'application/merge-patch+json' };

let daemon: DaemonProcess;
let tab: Tab;
let page: Page;

const form = () => page.getByRole('group', { name: 'Form', exact: true });
const field = (name: string) => form().getByRole('textbox', { name, exact: true });
const textbox = () => page.getByRole('textbox', { name: 'YAML' });
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const link = (name: string) => page.getByRole('link', { name, exact: true });
const toast = (message: string | RegExp) => page.locator('.toasts').getByText(message);
const hasFocus = (input: Locator) => input.evaluate('(input) => input.matches(":focus")');

async function open(hash: string): Promise<void> {
  await page.goto(`${daemon.url}/console/${hash}`);
}

/** A product as it is now, opened in the form. */
async function openProduct(name: string): Promise<void> {
  await daemon.send('DELETE', `${PRODUCTS}/${name}`);
  await put(name, { title: 'Chair', price: 3 });
  await open(`#/models/${PRODUCT}/${name}/form`);
  await form().waitFor();
}

async function put(name: string, spec: object): Promise<void> {
  const { status, text } = await daemon.send('POST', PRODUCTS, { body: { metadata: { name }, spec } });
  expect([status, status === 201 ? '' : text]).toEqual([201, '']);
}

/** Whether all of it is in sight: within the window, and above the bar. */
async function isInSight(shown: Locator): Promise<boolean> {
  const [box, bar] = [await shown.boundingBox(), await page.locator('.edit-bar').boundingBox()];
  return box !== null && bar !== null && box.y >= 0 && box.y + box.height <= bar.y;
}

describe.skipIf(CHROMIUM === undefined)('what the console keeps from being lost', () => {
  beforeAll(async () => {
    const directory = temporaryDirectory();
    await putShop(directory);
    const plugins = [path.join(directory, 'plugins')];
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins });
    tab = await openTab();
    page = tab.page;
  }, 180_000);
  afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
  afterAll(() => closeAll(tab.context, daemon));

  it('a new object begins with defaults alone, and is not made until it is filled in', async () => {
    await open(`#/create/${PRODUCT}/form`);
    await form().waitFor();
    for (const name of ['name', 'title', 'price']) expect(await field(name).inputValue()).toBe('');
    expect(await field('title').getAttribute('placeholder')).toBe('for example Sharp chair');
    expect(await form().getByRole('combobox', { name: 'category' }).inputValue()).toBe('');
    await expect(form().getByLabel('state').locator('option:checked').textContent()).resolves.toBe('draft');
    await button('Save').click();
    await button('3 problems').waitFor();
    expect((await daemon.get(PRODUCTS)).json().items).toEqual([]);
  });

  it('a refused save leads to the first field that is wrong, and the bar to the next ones', async () => {
    await open(`#/create/${PRODUCT}/form`);
    await field('name').fill('refused');
    await field('price').fill('-3');
    await button('Save').click();
    const problems = button('2 problems');
    await problems.waitFor();
    await expect.poll(() => hasFocus(field('title'))).toBe(true);
    expect(await isInSight(field('title'))).toBe(true);
    expect(await lookAt(page, 'console-refused')).toEqual([]);
    await problems.click();
    await expect.poll(() => hasFocus(field('price'))).toBe(true);
    expect(await isInSight(field('price'))).toBe(true);
    await problems.click();
    await expect.poll(() => hasFocus(field('title'))).toBe(true);
    await link('YAML').click();
    await textbox().waitFor();
    await problems.click();
    await expect.poll(() => textbox().locator('.cm-activeLine').textContent()).toContain('price: -3');
    await link('Cancel').click();
  });

  it('a text that is no YAML is not saved, and the bar leads to the line', async () => {
    await openProduct('invalid');
    await link('YAML').click();
    await textbox().fill('metadata:\n  name: invalid\nspec: "open\n');
    await textbox().press('Control+Home');
    await button('Save').click();
    await expect.poll(() => textbox().locator('.cm-activeLine').textContent()).not.toContain('metadata');
    expect(await page.locator('.edit-bar').textContent()).toContain('problem');
    await button('Discard changes').click();
  });

  it('a save without an answer is told at once, wherever the page is', async () => {
    await openProduct('unanswered');
    await field('title').fill('Typed');
    await page.route('**/products/unanswered?field*', (route) => route.abort('connectionreset'));
    await button('Save').click();
    await toast('Not saved: The service does not answer.').waitFor();
    expect(await field('title').inputValue()).toBe('Typed');
    await button('Discard changes').click();
  });

  it('a conflict takes the focus', async () => {
    await openProduct('contested');
    await field('measure13').fill('4');
    let isFirst = true;
    await page.route('**/products/contested?field*', async (route) => {
      const body = { spec: { title: 'Of others' } };
      if (isFirst) await daemon.send('PATCH', `${PRODUCTS}/contested`, { headers: MERGE, body });
      isFirst = false;
      await route.continue();
    });
    await button('Save').click();
    const conflict = page.getByRole('alert', { name: 'Conflict' });
    await expect.poll(() => hasFocus(conflict)).toBe(true);
    await toast(/^Somebody else changed this object/).waitFor();
    await expect.poll(async () => (await conflict.boundingBox())?.y ?? -1).toBeGreaterThanOrEqual(0);
    expect((await conflict.boundingBox())?.y).toBeLessThan(400);
    await button('Take theirs').click();
  });

  it('what a save would change is shown where one looks', async () => {
    await openProduct('compared');
    await field('title').fill('Typed');
    await button('Show changes').click();
    await expect.poll(() => isInSight(page.locator('.diff ins').first())).toBe(true);
    await button('Discard changes').click();
  });

  it('the name of a new object is made by the service for whoever wants that', async () => {
    await open(`#/create/${PRODUCT}/form`);
    await button('Generate a name').click();
    await expect.poll(() => hasFocus(field('generateName'))).toBe(true);
    expect(await field('generateName').inputValue()).toBe('product-');
    expect(await field('name').count()).toBe(0);
    await button('Choose the whole name').click();
    await expect.poll(() => hasFocus(field('name'))).toBe(true);
    await button('Generate a name').click();
    await field('title').fill('Named by the service');
    await field('price').fill('1');
    expect(await lookAt(page, 'console-generated-name')).toEqual([]);
    await button('Save').click();
    await page.getByRole('heading', { name: /^product-\w{5,}$/ }).waitFor();
  });

  it('kept to the policy of the page, and had nothing to complain about', () => {
    expect(tab.followed.complaints).toEqual([]);
  });
});
