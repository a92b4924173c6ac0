import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { humanize } from '../../../src/console/lib/naming.js';
import { CHROMIUM, lookAt } from '../../helpers/browser.js';
import { closeAll, openTab, type Tab } from '../../helpers/console.js';
import { startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { PRODUCT, PRODUCTS, putShop } from '../../helpers/shop.js';
import { temporaryDirectory } from '../../helpers/store.js';

const ROLE = 'access.platform.run/v1alpha1/roles';
const MERGE = { 'content-type': 'application/merge-patch+json' };

let daemon: DaemonProcess;
let tab: Tab;
let page: Page;

const form = () => page.getByRole('group', { name: 'Form', exact: true });
const field = (name: string) => form().getByRole('textbox', { name: humanize(name), exact: true });
const textbox = () => page.getByRole('textbox', { name: 'YAML' });
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const link = (name: string) => page.getByRole('link', { name, exact: true });
/** The list of products, at the side. */
const side = () =>
  page.getByRole('navigation', { name: 'Models' }).getByRole('link', { name: /^Products\b/ });
const toast = (message: string | RegExp) => page.locator('.toasts').getByText(message);
const hasFocus = async (input: Locator) => (await input.and(page.locator(':focus')).count()) === 1;

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

/** True when all of it is visible: within the window, and above the bar. */
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
    expect(await form().getByRole('combobox', { name: 'Category' }).inputValue()).toBe('');
    expect(await form().getByRole('radio', { name: 'draft' }).isChecked()).toBe(true);
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
    await page
      .locator('.edit-bar')
      .getByText(/^\d problems?$/)
      .waitFor();
    await button('Discard changes').click();
  });

  it('a save without an answer is reported at once, wherever the page is', async () => {
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

  it('the changes of a save are shown within sight', async () => {
    await openProduct('compared');
    await field('title').fill('Typed');
    await button('Compare').click();
    await expect.poll(() => isInSight(page.locator('.diff ins').first())).toBe(true);
    await button('Discard changes').click();
  });

  it('the service generates the name of a new object on request', async () => {
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

  it('the typed text of a new object comes back after it was discarded', async () => {
    await open(`#/create/${PRODUCT}/form`);
    await field('title').fill('Typed');
    await link('Cancel').click();
    await page.getByRole('heading', { name: 'products' }).waitFor();
    await toast('Discarded.').last().getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => field('title').inputValue()).toBe('Typed');
    await link('Cancel').click();
    await toast('Discarded.').last().waitFor();
    await open(`#/create/${PRODUCT}/yaml`);
    await open(`#/create/${PRODUCT}/form`);
    await expect.poll(() => field('title').inputValue()).toBe('');
  });

  it('the typed text of an object comes back after it was discarded, and is marked until it is stored', async () => {
    await openProduct('marked');
    await field('title').fill('Typed');
    const unsaved = page.getByText('Unsaved changes', { exact: true });
    const noteOf = (one: Locator) => one.getAttribute('aria-describedby');
    const described = (name: string) => noteOf(link(name).first());
    for (const name of ['Form', 'YAML']) expect(await described(name)).not.toBe(null);
    expect(await noteOf(side())).not.toBe(null);
    expect(await described('History')).toBe(null);
    expect(await lookAt(page, 'console-unsaved')).toEqual([]);
    await button('Discard changes').click();
    await expect.poll(() => unsaved.count()).toBe(0);
    expect(await field('title').inputValue()).toBe('Chair');
    await toast('Discarded.').last().getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => field('title').inputValue()).toBe('Typed');
    await link('Plugins').click();
    await page.getByRole('heading', { name: 'Plugins' }).waitFor();
    expect(await noteOf(side())).not.toBe(null);
    await side().click();
    await link('marked').waitFor();
    expect(await described('marked')).not.toBe(null);
    expect(await lookAt(page, 'console-unsaved-row')).toEqual([]);
    await link('marked').click();
    await link('Form').click();
    await button('Save').click();
    await expect.poll(() => noteOf(side())).toBe(null);
  });

  it('a file has the chosen rows alone, with dates for ages', async () => {
    const published = '2026-01-02T03:04:05Z';
    for (const name of ['file-a', 'file-b', 'file-c']) await put(name, { title: name, price: 1, published });
    await open(`#/models/${PRODUCT}?filter=spec.title%20!%3D%20""`);
    await open(`#/models/${PRODUCT}`);
    for (const name of ['file-a', 'file-c']) await page.getByLabel(`Select ${name}`).check();
    const time = page.getByRole('row', { name: /file-a/ }).locator(`time[datetime="${published}"]`);
    expect(await time.getAttribute('title')).toMatch(/2026/);
    await button('Export selected').click();
    const coming = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    const lines = readFileSync(await (await coming).path(), 'utf8')
      .trim()
      .split('\r\n');
    const instant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(lines.map((line) => line.split(','))).toEqual([
      ['Name', 'Title', 'Published', 'Created', 'Updated'],
      ['file-a', 'file-a', published, instant, instant],
      ['file-c', 'file-c', published, instant, instant],
    ]);
    await button('Deselect').click();
    await button('Export').waitFor();
  });

  it('the steps of Explain lie beside one another in their card', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(`#/models/${PRODUCT}?explain=true`);
    const card = page.getByRole('region', { name: 'Explain' });
    await card.locator('.step').first().waitFor();
    const around = await card.boundingBox();
    const steps = await Promise.all((await card.locator('.step').all()).map((step) => step.boundingBox()));
    expect(steps).toHaveLength(4);
    expect(new Set(steps.map((step) => step?.y)).size).toBe(1);
    for (const [i, step] of steps.entries()) {
      const before = steps[i - 1];
      expect(step?.x).toBeGreaterThan(
        before === null || before === undefined ? (around?.x ?? 0) : before.x + before.width,
      );
    }
    const last = steps.at(-1);
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThan((around?.x ?? 0) + (around?.width ?? 0));
  });

  it('a role is made by its form', async () => {
    await open(`#/create/${ROLE}/form`);
    await field('name').fill('reader');
    await button('Add to Rules').click();
    await button('Add to Verbs').click();
    await field('verbs 1').fill('get');
    await button('Add to Resources').click();
    await field('resources 1').fill('products');
    expect(await lookAt(page, 'console-new-role')).toEqual([]);
    await button('Save').click();
    await page.getByRole('heading', { name: 'reader', exact: true }).waitFor();
    const { rules } = (await daemon.get(`/apis/${ROLE}/reader`)).json();
    expect(rules).toMatchObject([{ verbs: ['get'], resources: ['products'] }]);
  });

  it('a part of the page that could not be loaded once is loaded the next time, and what was typed stays', async () => {
    await openProduct('loaded');
    await field('title').fill('Typed');
    await page.route('**/metrics-page-*.js', (route) => route.abort('connectionreset'));
    await link('Metrics').click();
    await page.getByText('A part of the page could not be loaded', { exact: false }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await link('Plugins').click();
    await page.getByRole('heading', { name: 'Plugins' }).waitFor();
    await link('Metrics').click();
    await page.getByRole('heading', { name: 'Metrics' }).waitFor();
    await side().click();
    await link('loaded').click();
    await link('Form').click();
    await expect.poll(() => field('title').inputValue()).toBe('Typed');
    await button('Discard changes').click();
  });

  it('a plugin stops only after a question that names the parts that stop with it', async () => {
    await open('#/plugins');
    const row = page.getByRole('row', { name: /^shop/ });
    await row.getByRole('button', { name: 'Disable' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disable shop?' });
    const { total } = (await daemon.get(PRODUCTS)).json();
    await dialog.getByText(`3 models with ${String(total)} objects will not be served`).waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'stall' }).waitFor();
    expect(await lookAt(page, 'console-disable')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await daemon.get(PRODUCTS)).status).toBe(200);
    await row.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await row.getByTitle('DISABLED').waitFor();
    await side().getByText('stopped', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Enable' }).click();
    await side().getByText(/^\d/).waitFor();
  });

  it('kept to the policy of the page, and had nothing to complain about', () => {
    // But for the part that was kept from it.
    const complaints = tab.followed.complaints.filter((one) => !one.includes('metrics-page'));
    expect(complaints).toEqual([]);
  });
});
