import path from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt } from '../../helpers/browser.js';
import { closeAll, openTab, type Tab } from '../../helpers/console.js';
import { EXAMPLE_PLUGINS, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { temporaryDirectory } from '../../helpers/store.js';

const PERSON = 'demo.example.com/v1alpha1/persons';
const MERGE = { 'content-type': 'application/merge-patch+json' };

let daemon: DaemonProcess;
let tab: Tab;
let page: Page;

const textbox = (of = page) => of.getByRole('textbox', { name: 'YAML' });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const tabTo = (name: string, of = page) => of.getByRole('link', { name, exact: true }).click();
const objectAt = async (name: string) => (await daemon.get(`${PERSONS}/${name}`)).json();
/** True when all typed text is stored, and no save is under way. */
const isClean = async () => (await button('Save').count()) === 1 && button('Discard changes').isDisabled();

async function put(name: string, spec: object, metadata: object = {}): Promise<void> {
  const { status, text } = await daemon.send('POST', PERSONS, { body: person(name, spec, metadata) });
  expect([status, status === 201 ? '' : text]).toEqual([201, '']);
}

/** Somebody else changes an object. */
async function change(name: string, body: object): Promise<void> {
  expect((await daemon.send('PATCH', `${PERSONS}/${name}`, { headers: MERGE, body })).status).toBe(200);
}

async function open(name: string, view: 'yaml' | 'form', of = page): Promise<void> {
  await of.goto(`${daemon.url}/console/#/models/${PERSON}/${name}/${view}`);
  await of.getByRole('button', { name: 'Discard changes' }).waitFor();
}

/** Replaces one line of the text; its indentation stays. */
async function retype(line: RegExp, typed: string, of = page): Promise<void> {
  await of.locator('.cm-line').filter({ hasText: line }).click();
  await of.keyboard.press('Home');
  await of.keyboard.press('Shift+End');
  await of.keyboard.insertText(typed);
}

/** Text that is typed to create a person. */
function newText(name: string, called: string): string {
  return `apiVersion: demo.example.com/v1alpha1\nkind: Person\nmetadata:\n  name: ${name}\nspec:\n  name: ${called}`;
}

/** Keeps requests to a URL from being sent. @returns lets them go, and all that come later */
async function hold(url: string, method: string): Promise<() => Promise<void>> {
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route(url, async (route) => {
    if (route.request().method() === method) await held;
    await route.continue();
  });
  return async () => {
    go();
    await page.unrouteAll({ behavior: 'wait' });
  };
}

describe.skipIf(CHROMIUM === undefined)('what is typed in the console', () => {
  beforeAll(async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    daemon = await startDaemonProcess({ dataDir, plugins: [EXAMPLE_PLUGINS] });
    tab = await openTab();
    page = tab.page;
  }, 180_000);
  afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
  afterAll(() => closeAll(tab.context, daemon));

  it('is what Ctrl+Z takes back, never what others wrote, and the cursor stays when they write', async () => {
    await put('undone', { name: 'Mine', age: 1 });
    await open('undone', 'yaml');
    await page
      .locator('.cm-line')
      .filter({ hasText: /age: 1/ })
      .click();
    await page.keyboard.press('End');
    await change('undone', { spec: { name: 'Of others' } });
    await expect.poll(() => textbox().textContent()).toContain('name: Of others');
    await page.keyboard.type('2');
    await expect.poll(() => textbox().textContent()).toMatch(/name: Of others.*age: 12/);
    for (let i = 0; i < 3; i++) await page.keyboard.press('Control+z');
    await expect.poll(() => textbox().textContent()).toMatch(/name: Of others.*age: 1$/);
    await expect.poll(isClean).toBe(true);
  });

  it('comes back by Ctrl+Z after it was discarded, with what others wrote meanwhile', async () => {
    await put('discarded', { name: 'Mine', age: 1 });
    await open('discarded', 'yaml');
    await retype(/age: 1/, 'age: 2');
    await change('discarded', { spec: { name: 'Of others' } });
    await page.getByText('This object was changed while you were editing it.').waitFor();
    await button('Discard changes').click();
    await expect.poll(() => textbox().textContent()).toMatch(/name: Of others.*age: 1$/);
    await textbox().press('Control+z');
    await expect.poll(() => textbox().textContent()).toMatch(/name: Of others.*age: 2$/);
    await button('Save').click();
    await expect.poll(async () => (await objectAt('discarded')).spec).toEqual({ name: 'Of others', age: 2 });
    await expect.poll(isClean).toBe(true);
  });

  it('is found again when the object was changed and deleted while another view was looked at', async () => {
    await put('unseen', { name: 'Before' });
    await open('unseen', 'yaml');
    await retype(/name: Before/, 'name: Typed');
    await tabTo('Status');
    const generation = page.getByRole('region', { name: 'Details' });
    await generation.waitFor();
    await change('unseen', { spec: { age: 3 } });
    await expect.poll(() => generation.textContent()).toContain('Generation2');
    await daemon.send('DELETE', `${PERSONS}/unseen`);
    await page.getByText('This object was deleted.').waitFor();
    await tabTo('YAML');
    await expect.poll(() => textbox().textContent()).toContain('name: Typed');
    await button('Create it again from my text').click();
    await expect.poll(async () => (await objectAt('unseen')).spec.name).toBe('Typed');
    await expect.poll(isClean).toBe(true);
  });

  it('stays when the text of the object cannot be read any more, and the page says so beside it', async () => {
    await put('unread', { name: 'Before' }, { finalizers: ['example.com/hold'] });
    await open('unread', 'yaml');
    await retype(/name: Before/, 'name: Typed');
    const refuse = async (route: Route): Promise<void> => {
      if (route.request().headers().accept !== 'application/yaml') return route.fallback();
      const status = {
        kind: 'Status',
        reason: 'NotFound',
        message: 'not there',
        details: { name: 'unread' },
      };
      return route.fulfill({ status: 404, json: status });
    };
    await page.route('**/persons/unread', refuse);
    await daemon.send('DELETE', `${PERSONS}/unread`);
    const refusal = page.getByRole('alert').filter({ hasText: 'not there' });
    await refusal.waitFor();
    expect(await textbox().textContent()).toContain('name: Typed');
    expect(await lookAt(page, 'console-text-unread')).toEqual([]);
    await page.unroute('**/persons/unread', refuse);
    await button('Try again').click();
    await refusal.waitFor({ state: 'hidden' });
    await change('unread', { metadata: { finalizers: [] } });
    await button('Create it again from my text').click();
    await expect.poll(async () => (await objectAt('unread')).spec.name).toBe('Typed');
    await expect.poll(isClean).toBe(true);
  });

  it('is typed again when it is made again, also what came while that was on its way', async () => {
    await put('remade', { name: 'Before', age: 1 });
    await open('remade', 'yaml');
    await retype(/name: Before/, 'name: Typed');
    await daemon.send('DELETE', `${PERSONS}/remade`);
    const release = await hold('**/persons?*', 'POST');
    await button('Create it again from my text').click();
    await button('Saving…').waitFor();
    await retype(/age: 1/, 'age: 2');
    await release();
    await button('Save').waitFor();
    await expect.poll(() => textbox().textContent()).toMatch(/name: Typed.*age: 2/);
    expect((await objectAt('remade')).spec).toEqual({ name: 'Typed', age: 1 });
    await button('Save').click();
    await expect.poll(async () => (await objectAt('remade')).spec.age).toBe(2);
    await expect.poll(isClean).toBe(true);
  });

  it('is no draft any more once it is stored, though only the answer was lost', async () => {
    await put('answered', { name: 'Before' });
    await open('answered', 'yaml');
    await retype(/name: Before/, 'name: After');
    await page.route('**/persons/answered?field*', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await button('Save').click();
    await expect.poll(async () => (await objectAt('answered')).spec.name).toBe('After');
    await button('Save').waitFor();
    await expect.poll(isClean).toBe(true);
    await page.unrouteAll({ behavior: 'wait' });
    await change('answered', { spec: { name: 'Before' } });
    await expect.poll(() => textbox().textContent()).toContain('name: Before');
    expect(await isClean()).toBe(true);
  });

  it('while a save is on its way stays, also when it is what was there before', async () => {
    await put('back', { name: 'Base' });
    await open('back', 'form');
    const name = page
      .getByRole('group', { name: 'Spec' })
      .getByRole('textbox', { name: 'Name', exact: true })
      .first();
    await name.fill('Other');
    const release = await hold('**/persons/back?*', 'PUT');
    await button('Save').click();
    await button('Saving…').waitFor();
    await name.fill('Base');
    // The page is left and opened again meanwhile.
    await tabTo('Status');
    await tabTo('Form');
    await expect.poll(() => name.inputValue()).toBe('Base');
    await release();
    await button('Save').waitFor();
    expect((await objectAt('back')).spec.name).toBe('Other');
    expect(await name.inputValue()).toBe('Base');
    await button('Save').click();
    await expect.poll(async () => (await objectAt('back')).spec.name).toBe('Base');
    await expect.poll(isClean).toBe(true);
  });

  it('is saved though controllers write at the same time', async () => {
    await put('watched', { name: 'Before' });
    await open('watched', 'yaml');
    await retype(/name: Before/, 'name: After');
    let written = 0;
    await page.route('**/persons/watched?field*', async (route) => {
      if (written++ < 3) {
        const body = { status: { phase: `Step ${written}` } };
        await daemon.send('PATCH', `${PERSONS}/watched/status`, { headers: MERGE, body });
      }
      await route.continue();
    });
    await button('Save').click();
    await expect.poll(async () => (await objectAt('watched')).spec.name).toBe('After');
    await expect.poll(isClean).toBe(true);
    await page.unrouteAll({ behavior: 'wait' });
    expect((await objectAt('watched')).status).toEqual({ phase: 'Step 3' });
    expect(await page.getByRole('alert', { name: 'Conflict' }).count()).toBe(0);
  });

  it('of a new object cannot be changed while it is made, and nobody is led away from another page then', async () => {
    const made = newText('made', 'Made');
    await page.goto(`${daemon.url}/console/#/create/${PERSON}/yaml`);
    await textbox().fill(made);
    // A message of a page stays for some seconds.
    await page.getByText('Created').waitFor({ state: 'hidden' });
    const release = await hold('**/persons?*', 'POST');
    await button('Save').click();
    await expect.poll(() => button('Saving…').isDisabled()).toBe(true);
    await textbox().press('Control+End');
    await page.keyboard.insertText(' and\n  age: 3');
    await tabTo('Plugins');
    await page.getByRole('heading', { name: 'Plugins' }).waitFor();
    await page.goBack();
    await textbox().press('Control+End');
    await page.keyboard.type(' and more');
    expect(await page.locator('.cm-line').allTextContents()).toEqual(made.split('\n'));
    await tabTo('Plugins');
    await page.getByRole('heading', { name: 'Plugins' }).waitFor();
    await release();
    await page.getByText('Created').waitFor();
    expect(new URL(page.url()).hash).toBe('#/plugins');
    expect((await objectAt('made')).spec).toEqual({ name: 'Made' });
  });

  it('of a new object is sent as it is, however soon it is saved', async () => {
    await page.goto(`${daemon.url}/console/#/create/${PERSON}/yaml`);
    await textbox().focus();
    // An object that was made before is not done for the page as soon as it says so.
    await expect.poll(() => button('Save').isEnabled()).toBe(true);
    // In one task of the page, which is drawn again only after it.
    await page.evaluate(`
      const init = {
        inputType: 'insertText', bubbles: true, cancelable: true, data: ${JSON.stringify(newText('soon', 'Soon'))},
      };
      const box = document.querySelector('.editor').shadowRoot.querySelector('[role=textbox]');
      getSelection().selectAllChildren(box);
      box.dispatchEvent(new InputEvent('beforeinput', init));
      document.querySelector('button.primary').click();
    `);
    await expect.poll(async () => (await objectAt('soon')).spec).toEqual({ name: 'Soon' });
  });

  it('is found again after other pages were looked at for long and the object was deleted', async () => {
    const away = await openTab();
    await away.page.clock.install();
    await put('forgotten', { name: 'Before' });
    await open('forgotten', 'yaml', away.page);
    await retype(/name: Before/, 'name: Typed', away.page);
    await tabTo('Plugins', away.page);
    await away.page.getByRole('heading', { name: 'Plugins' }).waitFor();
    await daemon.send('DELETE', `${PERSONS}/forgotten`);
    await away.page.clock.fastForward('06:00');
    await away.page.goBack();
    await away.page.getByText('Object not found.').waitFor();
    await expect.poll(() => textbox(away.page).textContent()).toContain('name: Typed');
    await away.page.getByRole('button', { name: 'Create it again from my text' }).click();
    await expect.poll(async () => (await objectAt('forgotten')).spec.name).toBe('Typed');
    await expect
      .poll(() => away.page.getByRole('button', { name: 'Discard changes' }).isDisabled())
      .toBe(true);
    expect(away.followed.complaints).toEqual([]);
    await away.context.close();
  });

  it('kept to the policy of the page, and had nothing to complain about', () => {
    expect(tab.followed.complaints).toEqual([]);
  });
});
