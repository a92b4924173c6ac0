import path from 'node:path';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../../helpers/browser.js';
import { closeAll, openTab, type Tab } from '../../helpers/console.js';
import { startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { temporaryDirectory } from '../../helpers/store.js';

const LIST = '#/models/demo.example.com/v1alpha1/persons';
const ACCESS = '/apis/access.platform.run/v1alpha1';
const PLUGINS = '/apis/plugin.platform.run/v1alpha1/plugins';
const MERGE = { 'content-type': 'application/merge-patch+json' };
/** The log keeps next to nothing. */
const FORGETFUL = [
  ['--log-retention-count', '0'],
  ['--log-retention-age', '0'],
  ['--log-retention-bytes', '16KiB'],
].flat();

let daemon: DaemonProcess;
let tab: Tab;
let page: Page;

const open = (hash: string) => page.goto(`${daemon.url}/console/${hash}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const dialog = (name?: string) => page.getByRole('dialog', name === undefined ? {} : { name, exact: true });
const answer = (name: string) => dialog().getByRole('button', { name, exact: true });
const objectAt = async (url: string) => (await daemon.get(url)).json();
const nameOf = async (name: string) => (await objectAt(`${PERSONS}/${name}`)).spec.name;

async function create(url: string, body: object): Promise<void> {
  const { status, text } = await daemon.send('POST', url, { body });
  expect([status, status === 201 ? '' : text]).toEqual([201, '']);
}

async function remove(url: string): Promise<void> {
  expect((await daemon.send('DELETE', url)).status).toBe(200);
}

async function patch(url: string, body: object): Promise<void> {
  expect((await daemon.send('PATCH', url, { headers: MERGE, body })).status).toBe(200);
}

const put = (name: string, spec: object = {}) => create(PERSONS, person(name, spec));
const rename = (name: string, given: string) => patch(`${PERSONS}/${name}`, { spec: { name: given } });

/** An object whose last change is asked to be undone. */
async function askToUndo(name: string): Promise<void> {
  await put(name, { name: 'Bob' });
  await rename(name, 'Mine');
  await open(`${LIST}/${name}/history`);
  await page.locator('.timeline > li').nth(1).waitFor();
  await press('Undo');
  await dialog('Undo the last change?').locator('ins', { hasText: '"name": "Bob"' }).waitFor();
}

const historyLength = () => page.locator('.timeline > li').count();

describe.skipIf(CHROMIUM === undefined)('while a dialog of the console is open', () => {
  beforeAll(async () => {
    daemon = await startDaemonProcess({ dataDir: path.join(temporaryDirectory(), 'data') });
    await create(`${ACCESS}/roles`, { metadata: { name: 'reader' }, rules: [] });
    tab = await openTab();
    page = tab.page;
  }, 180_000);
  afterAll(() => closeAll(tab.context, daemon));

  it('an undo does not change while it is shown, and is refused where others wrote something', async () => {
    await askToUndo('bob');
    await rename('bob', 'Theirs');
    await expect.poll(historyLength).toBe(3);
    await dialog('Undo the last change?').locator('ins', { hasText: '"name": "Bob"' }).waitFor();
    await answer('Undo').click();
    await dialog('Undo the last change?').getByRole('alert').waitFor();
    expect(await nameOf('bob')).toBe('Theirs');
  });

  it('writes of controllers do not prevent an undo', async () => {
    await askToUndo('seen');
    const read = page.waitForResponse(
      (response) =>
        response.request().method() === 'GET' && new URL(response.url()).pathname === `${PERSONS}/seen`,
    );
    await patch(`${PERSONS}/seen/status`, { status: { phase: 'Seen' } });
    await Promise.all([read, expect.poll(historyLength).toBe(3)]);
    await answer('Undo').click();
    await expect.poll(() => dialog().count()).toBe(0);
    expect(await objectAt(`${PERSONS}/seen`)).toMatchObject({
      spec: { name: 'Bob' },
      status: { phase: 'Seen' },
    });
  });

  it('another object of the name is not deleted in the place of the one that was asked about', async () => {
    await put('eve');
    await open(`${LIST}/eve`);
    await press('Delete');
    await dialog('Delete Name of eve?').waitFor();
    await remove(`${PERSONS}/eve`);
    await page.getByText('This object was deleted.').waitFor();
    await put('eve', { name: 'Another' });
    await page.getByText('Another').first().waitFor();
    expect(await dialog().count()).toBe(0);
    // Nor when the page does not know yet.
    await press('Delete');
    await page.route(`**${PERSONS}/eve`, async (route) => {
      if (route.request().method() === 'DELETE') {
        await remove(`${PERSONS}/eve`);
        await put('eve', { name: 'Third' });
      }
      await route.continue();
    });
    const refused = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await answer('Delete').click();
    expect((await refused).status()).toBe(409);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(await nameOf('eve')).toBe('Third');
  });

  it('another user of the name is not deleted in the place of the one that was asked about', async () => {
    const user = { metadata: { name: 'vera' } };
    await create(`${ACCESS}/users`, user);
    await open('#/access');
    await press('Delete vera');
    await dialog('Delete vera?').waitFor();
    await remove(`${ACCESS}/users/vera`);
    await create(`${ACCESS}/users`, user);
    await expect.poll(() => dialog().count()).toBe(0);
    await remove(`${ACCESS}/users/vera`);
  });

  it.each(['New role binding', 'New token'])('nobody but its reader chooses a user: %s', async (button) => {
    await create(`${ACCESS}/users`, { metadata: { name: 'bea' } });
    await open('#/access');
    await page.getByRole('link', { name: 'bea', exact: true }).waitFor();
    await press(button);
    const user = dialog().getByLabel('User');
    expect(await user.inputValue()).toBe('');
    await user.selectOption('bea');
    await expect.poll(() => user.inputValue()).toBe('bea');
    // A binding needs a role, too.
    if (button === 'New role binding')
      await dialog().getByLabel('Role', { exact: true }).selectOption('reader');
    await create(`${ACCESS}/users`, { metadata: { name: 'adam' } });
    await user.getByRole('option', { name: 'adam' }).waitFor({ state: 'attached' });
    expect(await user.inputValue()).toBe('bea');
    await remove(`${ACCESS}/users/bea`);
    await expect.poll(() => user.inputValue()).toBe('');
    expect(await answer('Create').isDisabled()).toBe(true);
    await user.selectOption('adam');
    await expect.poll(() => answer('Create').isEnabled()).toBe(true);
    await remove(`${ACCESS}/users/adam`);
    await answer('Cancel').click();
    await page.getByRole('link', { name: 'adam', exact: true }).waitFor({ state: 'detached' });
  });

  it('nobody but its reader chooses a role', async () => {
    await create(`${ACCESS}/users`, { metadata: { name: 'bea' } });
    await create(`${ACCESS}/roles`, { metadata: { name: 'aa-passing' }, rules: [] });
    await open('#/access');
    await page.getByRole('link', { name: 'aa-passing', exact: true }).waitFor();
    await press('New role binding');
    const role = dialog().getByLabel('Role', { exact: true });
    await dialog().getByLabel('User').selectOption('bea');
    expect(await role.inputValue()).toBe('');
    await role.selectOption('aa-passing');
    await expect.poll(() => role.inputValue()).toBe('aa-passing');
    await remove(`${ACCESS}/roles/aa-passing`);
    await expect.poll(() => role.inputValue()).toBe('');
    expect(await answer('Create').isDisabled()).toBe(true);
    await answer('Cancel').click();
  });

  it('the overview says how plugins are doing now', async () => {
    await open('#/');
    const side = page.getByRole('navigation', { name: 'Models' });
    const card = page.getByRole('main').getByRole('link', { name: 'Persons', exact: true });
    await card.waitFor();
    await side.getByRole('link', { name: /^Persons \d/ }).waitFor();
    await patch(`${PLUGINS}/person`, { spec: { enabled: false } });
    await side.getByRole('link', { name: 'Persons stopped' }).waitFor();
    await card.waitFor({ state: 'detached' });
    await patch(`${PLUGINS}/person`, { spec: { enabled: true } });
    await side.getByRole('link', { name: /^Persons \d/ }).waitFor();
    await card.waitFor();
  });

  it('had nothing to complain about', () => {
    expect(tab.followed.complaints).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)('an object that is older than the log', () => {
  beforeAll(async () => {
    daemon = await startDaemonProcess({
      dataDir: path.join(temporaryDirectory(), 'data'),
      flags: FORGETFUL,
    });
    tab = await openTab();
    page = tab.page;
  }, 180_000);
  afterAll(() => closeAll(tab.context, daemon));

  it('is followed by a watch as any other', async () => {
    await put('old');
    const revision = String((await objectAt(`${PERSONS}/old`)).metadata.resourceVersion);
    const isForgotten = async (): Promise<boolean> => {
      for (let i = 0; i < 50; i++) await patch(`${PERSONS}/busy`, { metadata: { labels: { i: String(i) } } });
      return (
        (await daemon.get(`${PERSONS}?watch=true&resourceVersion=${revision}&timeoutSeconds=1`)).status ===
        410
      );
    };
    await put('busy');
    await expect.poll(isForgotten, { timeout: 60_000 }).toBe(true);
    const refused: string[] = [];
    page.on('response', (response) => response.status() === 410 && refused.push(response.url()));
    const isWatch = (request: Request): boolean => request.url().includes('watch=true');
    const begun = page.waitForResponse(
      (response) => refused.length > 0 && isWatch(response.request()) && response.ok(),
    );
    await open(`${LIST}/old/history`);
    await expect.poll(() => refused.length).toBeGreaterThan(0);
    await begun;
    expect(refused).toHaveLength(1);
    await rename('old', 'Changed');
    await page.getByText('Changed').first().waitFor();
  });
});
