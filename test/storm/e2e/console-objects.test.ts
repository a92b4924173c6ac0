import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt } from '../../helpers/browser.js';
import { putFiles } from '../../helpers/cli.js';
import { closeAll, openTab, type Tab } from '../../helpers/console.js';
import { EXAMPLE_PLUGINS, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { putDesk, RENAMED } from '../../helpers/desk.js';
import { person, PERSONS } from '../../helpers/http.js';
import { ARTICLES, putPress, WRITERS } from '../../helpers/press.js';
import { temporaryDirectory } from '../../helpers/store.js';

const PERSON = 'demo.example.com/v1alpha1/persons';
const TICKETS = '/apis/desk.example.com/v1/tickets';
const NOTES = '/apis/bare.example.com/v1/notes';
const PLUGINS = '/apis/plugin.platform.run/v1alpha1/plugins';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const MARKUP = `<img src=x onerror="window.broken=1"><script>window.broken=1</script>`;

/** A model without `spec`, whose descriptions are markup. */
const BARE = `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
class Note extends AbstractExtension { static schema = { type: 'object', properties: {
  words: { type: 'string', description: ${JSON.stringify(MARKUP)} },
  lines: { type: 'array', items: { type: 'string' } } } }; }
GVK({ group: 'bare.example.com', version: 'v1', kind: 'Note', plural: 'notes', singular: 'note' })(Note);
export default class Bare extends BasePlugin { start() { this.ctx.schemeManager.register(Note); } }
`;
const MANIFEST =
  'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: bare }\nspec: { version: 1.0.0 }\n';

let daemon: DaemonProcess;
let tab: Tab;
let other: Tab;
let page: Page;

const textbox = (of = page) => of.getByRole('textbox', { name: 'YAML' });
const press = (name: string, of = page) => of.getByRole('button', { name, exact: true }).click();
const conflictOn = (of: Page) => of.getByRole('alert', { name: 'Conflict' });
const objectAt = async (url: string) => (await daemon.get(url)).json();
/** That somebody else has saved another text. */
const otherText = (of: Page) => of.getByText('was changed while you were editing it');

async function put(name: string, spec: object, metadata: object = {}): Promise<void> {
  await daemon.send('DELETE', `${PERSONS}/${name}`);
  const { status, text } = await daemon.send('POST', PERSONS, { body: person(name, spec, metadata) });
  expect([status, status === 201 ? '' : text]).toEqual([201, '']);
}

async function openYaml(model: string, name: string, of = page): Promise<void> {
  await of.goto(`${daemon.url}/console/#/models/${model}/${name}/yaml`);
  await expect.poll(() => textbox(of).textContent()).toContain(`name: ${name}`);
}

/** Replaces one line of the text; its indentation stays. */
async function retype(line: RegExp, typed: string, of = page): Promise<void> {
  await of.locator('.cm-line').filter({ hasText: line }).click();
  await of.keyboard.press('Home');
  await of.keyboard.press('Shift+End');
  await of.keyboard.insertText(typed);
}

async function saveNow(of = page): Promise<void> {
  const answering = of.waitForResponse((response) => response.request().method() === 'PUT');
  await press('Save', of);
  const answer = await answering;
  expect([answer.status(), answer.ok() ? '' : await answer.text()]).toEqual([200, '']);
}

describe.skipIf(CHROMIUM === undefined)('an object in the console', () => {
  beforeAll(async () => {
    const directory = temporaryDirectory();
    await putPress(directory);
    await putDesk(directory, {
      ...RENAMED,
      options: `{ versions: [{ model: OldTicket, deprecated: 'use v1',
        up: ({ spec: { subject, ...rest } }) => ({ spec: { title: subject, ...rest } }),
        down: ({ spec: { title, count, ...rest } }) => {
          if (title === 'FAIL') throw new Error('no subject');
          return { spec: { subject: title, ...rest } }; } }] }`,
    });
    await putFiles(directory, { 'plugins/bare/plugin.yaml': MANIFEST, 'plugins/bare/index.js': BARE });
    const plugins = [EXAMPLE_PLUGINS, path.join(directory, 'plugins')];
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins });
    tab = await openTab();
    other = await openTab();
    page = tab.page;
  }, 180_000);
  afterAll(async () => {
    await other.context.close();
    await closeAll(tab.context, daemon);
  });

  it('that two people edit in two browsers keeps the edits of both', async () => {
    await put('shared', { name: 'Shared', age: 1, email: 'a@example.com' });
    await Promise.all([openYaml(PERSON, 'shared'), openYaml(PERSON, 'shared', other.page)]);
    await retype(/age: 1/, 'age: 2');
    await retype(/name: Shared/, 'name: Mine');
    await retype(/age: 1/, 'age: 3', other.page);
    await retype(/email:/, 'email: b@example.com', other.page);
    await saveNow();
    await otherText(other.page).waitFor();
    await press('Save', other.page);
    await conflictOn(other.page).waitFor();
    // A field that only one side changed has a side already; a field that both changed needs a choice.
    const use = other.page.getByRole('button', { name: 'Save merged' });
    const side = (name: string) => other.page.getByRole('radio', { name, exact: true });
    expect(await use.isDisabled()).toBe(true);
    expect(await side('Theirs for spec.name').isChecked()).toBe(true);
    expect(await side('Mine for spec.email').isChecked()).toBe(true);
    expect(await lookAt(other.page, 'console-merge')).toEqual([]);
    await side('Mine for spec.age').focus();
    await other.page.keyboard.press('Space');
    const answering = other.page.waitForResponse((response) => response.request().method() === 'PUT');
    await use.click();
    expect((await answering).status()).toBe(200);
    await expect.poll(() => textbox(other.page).textContent()).toMatch(/name: Mine.*age: 3.*b@example/);
    const { spec } = await objectAt(`${PERSONS}/shared`);
    expect(spec).toEqual({ name: 'Mine', age: 3, email: 'b@example.com' });
    await expect.poll(() => textbox().textContent()).toMatch(/age: 3.*b@example/);
  });

  it('that two people save in turn, each meeting the conflict of the other, ends with all of their fields', async () => {
    for (let i = 0; i < 4; i++) {
      const name = `turns-${i}`;
      await put(name, { name: 'Turns' });
      const [first, second] = i % 2 === 0 ? [page, other.page] : [other.page, page];
      await Promise.all([openYaml(PERSON, name, first), openYaml(PERSON, name, second)]);
      await retype(/^spec:/, `spec:\n  tags: [r${i}]`, first);
      await retype(/^metadata:/, `metadata:\n  annotations: { demo.example.com/r${i}: x }`, second);
      await saveNow(first);
      await otherText(second).waitFor();
      await press('Save', second);
      await conflictOn(second).waitFor();
      const answering = second.waitForResponse((response) => response.request().method() === 'PUT');
      await conflictOn(second).getByRole('button', { name: 'Save merged' }).click();
      expect((await answering).status()).toBe(200);
      const { spec, metadata } = await objectAt(`${PERSONS}/${name}`);
      expect([spec.tags, metadata.annotations]).toEqual([[`r${i}`], { [`demo.example.com/r${i}`]: 'x' }]);
    }
  });

  it('that is not edited shows what others write, also what was there before', async () => {
    await put('swinging', { name: 'Swinging', age: 1 });
    await openYaml(PERSON, 'swinging');
    for (const age of [2, 1, 2, 1, 2]) {
      await daemon.send('PATCH', `${PERSONS}/swinging`, { headers: MERGE, body: { spec: { age } } });
      await expect.poll(() => textbox().textContent()).toContain(`age: ${age}`);
    }
    await retype(/name: Swinging/, 'name: Still');
    await saveNow();
    expect((await objectAt(`${PERSONS}/swinging`)).spec).toEqual({ name: 'Still', age: 2 });
  });

  it('keeps text typed during a save', async () => {
    await put('busy', { name: 'Busy', age: 1 });
    await openYaml(PERSON, 'busy');
    await retype(/age: 1/, 'age: 2');
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    await page.route('**/persons/busy?*', async (route) => {
      await held;
      await route.continue();
    });
    await press('Save');
    await retype(/name: Busy/, 'name: Typed');
    const answering = page.waitForResponse((response) => response.request().method() === 'PUT');
    go();
    await answering;
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    await page.unroute('**/persons/busy?*');
    await expect.poll(() => textbox().textContent()).toMatch(/name: Typed.*age: 2/);
    await saveNow();
    expect((await objectAt(`${PERSONS}/busy`)).spec).toEqual({ name: 'Typed', age: 2 });
  });

  it('takes what it finds stored as saved, when only the answer was lost', async () => {
    await put('unanswered', { name: 'Before' });
    await openYaml(PERSON, 'unanswered');
    await retype(/name: Before/, 'name: After');
    await page.route('**/persons/unanswered?field*', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await press('Save');
    await expect.poll(async () => (await objectAt(`${PERSONS}/unanswered`)).spec.name).toBe('After');
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Discard changes' }).isDisabled()).toBe(true);
    expect(await conflictOn(page).count()).toBe(0);
  });

  it('shows before a save its changes, and the errors that the service would return', async () => {
    await put('previewed', { name: 'Previewed', age: 1 });
    await openYaml(PERSON, 'previewed');
    await retype(/age: 1/, 'age: 2');
    await press('Compare');
    const changes = page.getByRole('region', { name: 'Changes compared with the stored object' });
    await expect.poll(() => changes.textContent()).toMatch(/would store.*- +age: 1\n.*\+ +age: 2/s);
    expect(await lookAt(page, 'console-preview')).toEqual([]);
    await retype(/age: 2/, 'age: -2');
    await expect.poll(() => changes.textContent()).toMatch(/would refuse.*spec\.age.*\+ +age: -2/s);
    expect((await objectAt(`${PERSONS}/previewed`)).spec.age).toBe(1);
    await press('Discard changes');
  });

  it('that somebody deleted meanwhile is made again of what was typed', async () => {
    await put('deleted', { name: 'Deleted' });
    await openYaml(PERSON, 'deleted');
    await retype(/name: Deleted/, 'name: Typed');
    await daemon.send('DELETE', `${PERSONS}/deleted`);
    await press('Create it again from my text');
    await expect.poll(async () => (await objectAt(`${PERSONS}/deleted`)).spec.name).toBe('Typed');
    await expect.poll(() => page.getByRole('button', { name: 'Discard changes' }).isDisabled()).toBe(true);
  });

  it('of a plugin that is stopped stays on the page with what was typed, and is saved when the plugin is back', async () => {
    const enable = (enabled: boolean) =>
      daemon.send('PATCH', `${PLUGINS}/bare`, { headers: MERGE, body: { spec: { enabled } } });
    await daemon.send('POST', NOTES, { body: { metadata: { name: 'stopped' }, words: 'before' } });
    await page.goto(`${daemon.url}/console/#/models/bare.example.com/v1/notes/stopped/form`);
    const words = page.getByRole('textbox', { name: 'Words' });
    await words.fill('typed');
    await enable(false);
    await expect.poll(async () => (await daemon.get(`${NOTES}/stopped`)).status).toBe(404);
    await press('Save');
    await page.getByText('Its model is not available').waitFor();
    expect(await page.getByText('was deleted').count()).toBe(0);
    expect(await words.inputValue()).toBe('typed');
    expect(await lookAt(page, 'console-object-stopped')).toEqual([]);
    await enable(true);
    await expect.poll(() => page.getByText('Its model is not available').count()).toBe(0);
    await saveNow();
    expect((await objectAt(`${NOTES}/stopped`)).words).toBe('typed');
  });

  it('without spec, of a schema full of markup, is edited in both ways', async () => {
    await daemon.send('POST', NOTES, {
      body: { metadata: { name: 'bare' }, words: MARKUP, lines: [MARKUP] },
    });
    await page.goto(`${daemon.url}/console/#/models/bare.example.com/v1/notes/bare`);
    await expect.poll(() => page.getByRole('textbox', { name: 'Words' }).inputValue()).toContain(MARKUP);
    await openYaml('bare.example.com/v1/notes', 'bare');
    await page
      .locator('.cm-line')
      .filter({ hasText: /^words/ })
      .click();
    await expect.poll(() => page.getByRole('note').textContent()).toContain(MARKUP);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('wor');
    await page.keyboard.press('Control+Space');
    await press('Discard changes');
    await page.getByRole('link', { name: 'Form', exact: true }).click();
    await page.getByRole('textbox', { name: 'Words' }).fill('plain');
    await saveNow();
    expect((await objectAt(`${NOTES}/bare`)).words).toBe('plain');
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await expect.poll(() => page.getByRole('main').textContent()).toContain(MARKUP);
    expect(await page.evaluate('window.broken')).toBeUndefined();
  });

  it('of 1 MB is shown, edited and saved', async () => {
    const lines = Array.from({ length: 20_500 }, (_, i) => `line ${i} ${'x'.repeat(36)}`);
    const made = { metadata: { name: 'large' }, words: 'before', lines };
    expect(JSON.stringify(made).length).toBeGreaterThan(1_000_000);
    const { status, text } = await daemon.send('POST', NOTES, { body: made });
    expect([status, status === 201 ? '' : text]).toEqual([201, '']);
    await page.goto(`${daemon.url}/console/#/models/bare.example.com/v1/notes/large`);
    await page.getByText('It is too long for a form.').waitFor();
    await openYaml('bare.example.com/v1/notes', 'large');
    await page
      .locator('.cm-line')
      .filter({ hasText: /^words/ })
      .click();
    await page.keyboard.press('End');
    const begun = Date.now();
    await page.keyboard.type(' and after', { delay: 0 });
    expect((Date.now() - begun) / 10).toBeLessThan(500);
    await saveNow();
    expect((await objectAt(`${NOTES}/large`)).words).toBe('before and after');
    await page.getByRole('link', { name: 'Form', exact: true }).click();
    await page.getByText('It is too long for a form.').waitFor();
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await page.getByText('before and after').waitFor();
    const body = { lines: ['few'] };
    expect((await daemon.send('PATCH', `${NOTES}/large`, { headers: MERGE, body })).status).toBe(200);
    await expect.poll(() => page.locator('.change summary').first().textContent()).toMatch(/line 0 x+.*…$/);
  });

  it('is shown in its other versions, and edited in each without losing what it does not have', async () => {
    for (const [name, spec] of [
      ['exact', { title: 'One' }],
      ['hiding', { title: 'One', count: 3 }],
      ['failing', { title: 'FAIL' }],
    ] as const)
      await daemon.send('POST', TICKETS, { body: { metadata: { name }, spec } });
    await page.goto(`${daemon.url}/console/#/models/desk.example.com/v1/tickets/exact/yaml`);
    const versions = page.getByRole('navigation', { name: 'Versions' });
    await versions.getByRole('link', { name: 'v1alpha1' }).click();
    await expect.poll(() => textbox().textContent()).toContain('subject: One');
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await retype(/subject: One/, 'subject: Two');
    await saveNow();
    expect((await objectAt(`${TICKETS}/exact`)).spec.title).toBe('Two');
    await openYaml('desk.example.com/v1alpha1/tickets', 'hiding');
    await page.getByText('Fields that v1alpha1 does not have stay unchanged.').waitFor();
    expect(await textbox().textContent()).not.toContain('count');
    expect(await lookAt(page, 'console-version')).toEqual([]);
    await retype(/subject: One/, 'subject: Three');
    await saveNow();
    expect((await objectAt(`${TICKETS}/hiding`)).spec).toEqual({ title: 'Three', count: 3 });
    await page.goto(`${daemon.url}/console/#/models/desk.example.com/v1alpha1/tickets/failing`);
    await page.getByRole('alert').filter({ hasText: 'no subject' }).waitFor();
    await versions.getByRole('link', { name: 'v1 (stored)' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('FAIL');
  });

  it('lists before its deletion the objects that refer to it, and those that will block it', async () => {
    const metadata = { name: 'wu', finalizers: ['press.example.com/archive'] };
    await daemon.send('POST', WRITERS, { body: { metadata, spec: {} } });
    await daemon.send('POST', ARTICLES, {
      body: { metadata: { name: 'owned' }, spec: { owner: 'wu', editor: 'wu' } },
    });
    await page.goto(`${daemon.url}/console/#/models/press.example.com/v1/writers/wu`);
    await press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete wu?' });
    await expect
      .poll(() => dialog.textContent())
      .toMatch(/1 Articles Owner: .*They are deleted.*1 Articles Editor: .*They lose.*stay until.*archive/);
    await dialog.getByText('Owned objects').click();
    await dialog.getByLabel('are kept, without this owner').check();
    expect(await lookAt(page, 'console-delete')).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    const notice = page.getByRole('status').filter({ hasText: 'Being deleted since' });
    await expect.poll(() => notice.textContent()).toMatch(/archive Its controller removes it.*No controller/);
    expect((await objectAt(`${WRITERS}/wu`)).metadata.finalizers).toContain('press.example.com/archive');
    expect(await lookAt(page, 'console-deleting')).toEqual([]);
  });

  it('lists the objects that it owns, and before its deletion counts those that are deleted with it', async () => {
    const owner = async (name: string) => {
      const { status, text } = await daemon.send('POST', PERSONS, { body: person(name, {}) });
      expect([status, status === 201 ? '' : text]).toEqual([201, '']);
      const { uid } = (await objectAt(`${PERSONS}/${name}`)).metadata;
      return { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person', name, uid };
    };
    const [vera, walt] = [await owner('vera'), await owner('walt')];
    for (let i = 0; i < 12; i++) await put(`of-vera-${i}`, {}, { ownerReferences: [vera] });
    await put('of-both', {}, { ownerReferences: [vera, walt] });
    const body = { metadata: { name: 'note-of-vera', ownerReferences: [vera] } };
    expect((await daemon.send('POST', NOTES, { body })).status).toBe(201);
    await page.goto(`${daemon.url}/console/#/models/${PERSON}/vera/related`);
    const owns = page.getByRole('region', { name: 'Owns' });
    await expect
      .poll(() => owns.getByRole('listitem').allTextContents())
      .toEqual([
        'Notes 1note-of-vera',
        expect.stringMatching(
          /^Persons 131 of them also has another owner and is kept\.Name of of-vera-0, Name of of-vera-1.*of-vera-9, …$/,
        ),
      ]);
    expect(await lookAt(page, 'console-owned')).toEqual([]);
    await owns.getByRole('link', { name: 'persons' }).click();
    await page.getByText(/^13 of [\d,]+$/).waitFor();
    await page.goto(`${daemon.url}/console/#/models/${PERSON}/vera`);
    await press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete Name of vera?' });
    const reported = () =>
      dialog.getByRole('list', { name: 'Owned objects' }).getByRole('paragraph').allTextContents();
    await expect
      .poll(reported)
      .toEqual([
        '1 Notes: are deleted after it',
        'note-of-vera',
        '12 Persons: are deleted after it',
        '1 Persons: also have other owners, and are kept',
        expect.stringMatching(/^Name of of-vera-0, .*, …$/),
      ]);
    expect(await dialog.locator('summary').textContent()).toBe('Owned objects 14');
    expect(await lookAt(page, 'console-delete-owner')).toEqual([]);
    await dialog.getByLabel('are kept, without this owner').check();
    expect((await reported())[2]).toBe('13 Persons: are kept, without this owner');
    await dialog.getByLabel('are deleted before it').check();
    await daemon.send('PATCH', `${PERSONS}/of-vera-3`, {
      headers: MERGE,
      body: { metadata: { finalizers: ['example.com/hold'] } },
    });
    await daemon.send('PATCH', `${PERSONS}/of-vera-3`, {
      headers: MERGE,
      body: { metadata: { ownerReferences: [{ ...vera, blockOwnerDeletion: true }] } },
    });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    const notice = page.getByRole('status').filter({ hasText: 'Being deleted since' });
    await expect
      .poll(() => notice.getByRole('list', { name: 'Owned objects' }).textContent())
      .toBe('1 Persons: are deleted before it, and it waits for themName of of-vera-3');
    expect(await lookAt(page, 'console-deleting-owner')).toEqual([]);
    await daemon.send('PATCH', `${PERSONS}/of-vera-3`, {
      headers: MERGE,
      body: { metadata: { finalizers: [] } },
    });
    await expect.poll(async () => (await daemon.get(`${PERSONS}/vera`)).status).toBe(404);
    expect((await daemon.get(`${PERSONS}/of-both`)).status).toBe(200);
  });

  it('that is new keeps the typed text while other pages are open', async () => {
    await page.goto(`${daemon.url}/console/#/create/bare.example.com/v1/notes/form`);
    await page.getByRole('textbox', { name: 'Words' }).fill('half done');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goBack();
    await expect.poll(() => page.getByRole('textbox', { name: 'Words' }).inputValue()).toBe('half done');
    await page.getByRole('link', { name: 'Cancel' }).click();
  });

  it('kept to the policy of the page, and had nothing to complain about', () => {
    expect([...tab.followed.complaints, ...other.followed.complaints]).toEqual([]);
  });
});
