import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { humanize } from '../../../src/console/lib/naming.js';
import { CHROMIUM, lookAt, type Followed } from '../../helpers/browser.js';
import { closeAll, openTab } from '../../helpers/console.js';
import { EXAMPLE_PLUGINS, freePort, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { ARTICLES, putPress, WRITERS } from '../../helpers/press.js';
import { temporaryDirectory } from '../../helpers/store.js';

const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const LIST = '#/models/demo.example.com/v1alpha1/persons';
const MADE = 120;

let daemon: DaemonProcess;
let directory = '';
let context: BrowserContext;
let page: Page;
let followed: Followed;

if (CHROMIUM === undefined) console.warn('no Chromium is installed: the console is not tested');

/** Persons with names that sort as they are numbered, and ages the other way round. */
function made(i: number): object {
  const name = `made-${String(i).padStart(3, '0')}`;
  return {
    apiVersion: 'demo.example.com/v1alpha1',
    kind: 'Person',
    ...person(name, { age: MADE - i }, { labels: { 'console.example/group': i < 10 ? 'first' : 'rest' } }),
  };
}

function start(port: number): Promise<DaemonProcess> {
  const plugins = [EXAMPLE_PLUGINS, path.join(directory, 'plugins')];
  return startDaemonProcess({ dataDir: path.join(directory, 'data'), port, plugins });
}

async function open(hash: string): Promise<void> {
  await page.goto(`${daemon.url}/console/${hash}`);
}

async function put(name: string, spec: object, metadata: object = {}): Promise<void> {
  await daemon.send('DELETE', `${PERSONS}/${name}`);
  const { status, text } = await daemon.send('POST', PERSONS, { body: person(name, spec, metadata) });
  expect([status, status === 201 ? '' : text]).toEqual([201, '']);
}

const totalOf = async (): Promise<number> => Number((await daemon.get(`${PERSONS}?limit=1`)).json().total);
const rowNames = async (): Promise<string[]> => page.locator('tbody tr td:nth-child(2) a').allTextContents();
const textbox = () => page.getByRole('textbox', { name: 'YAML' });

describe.skipIf(CHROMIUM === undefined)('the console', () => {
  beforeAll(async () => {
    directory = temporaryDirectory();
    await putPress(directory);
    daemon = await start(await freePort());
    const items = Array.from({ length: MADE }, (_, i) => ({ verb: 'create', object: made(i) }));
    expect((await daemon.send('POST', BATCHES, { body: { items } })).status).toBe(200);
    ({ context, page, followed } = await openTab());
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  it('is what a browser finds at the address of the service, which says so when it starts', async () => {
    await page.goto(daemon.url);
    expect(page.url()).toBe(`${daemon.url}/console/`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(daemon.output.stderr).toContain(`the console is at ${daemon.url}/console/`);
  });

  describe('the overview', () => {
    const countOf = (plural: string) =>
      page
        .getByRole('listitem')
        .filter({ has: page.getByRole('link', { name: plural, exact: true }) })
        .locator('.number');

    it('has each model with its exact count, which follows what happens', async () => {
      await open('#/');
      await expect.poll(() => countOf('Persons').textContent()).toBe(String(await totalOf()));
      await put('counted', {});
      await expect.poll(() => countOf('Persons').textContent()).toBe(String(await totalOf()));
      await daemon.send('DELETE', `${PERSONS}/counted`);
    });

    it('says that nothing is wrong, who leads, and how large the store is', async () => {
      const alerts = page.getByRole('region', { name: 'Alerts' });
      await expect.poll(() => alerts.textContent()).toBe('No problems found.');
      const store = page.getByRole('region', { name: 'Store' });
      await expect.poll(() => store.textContent()).toMatch(/Leader.*this process.*File size\d.*Revision\d/);
    });

    it('can be used by everybody', async () => {
      await countOf('Persons').waitFor();
      expect(await lookAt(page, 'console-overview')).toEqual([]);
    });

    it('leads to the list of a model', async () => {
      await page.getByRole('link', { name: 'Persons', exact: true }).click();
      await page.getByRole('heading', { name: 'persons' }).waitFor();
      expect(page.url()).toContain(LIST);
    });
  });

  describe('a list', () => {
    it('has an exact total and pages', async () => {
      await open(LIST);
      await page.getByText(`${await totalOf()} total`).waitFor();
      const first = await rowNames();
      expect(first).toHaveLength(50);
      await page.getByRole('button', { name: 'Next' }).click();
      await expect.poll(rowNames).not.toEqual(first);
      expect(page.url()).toContain('page=2');
      expect(await rowNames()).toHaveLength(50);
      await page.getByRole('button', { name: 'Previous' }).click();
      await expect.poll(rowNames).toEqual(first);
    });

    it('is walked by cursor where the URL has a limit', async () => {
      await open(`${LIST}?limit=20`);
      await expect.poll(async () => (await rowNames()).length).toBe(20);
      const first = await rowNames();
      await page.getByRole('button', { name: 'Next' }).click();
      await expect.poll(rowNames).not.toEqual(first);
      expect(page.url()).toContain('continue=');
      await page.goBack();
      await expect.poll(rowNames).toEqual(first);
    });

    it('is sorted by the headers of indexed columns, and says so in the URL', async () => {
      await open(`${LIST}?labelSelector=console.example%2Fgroup`);
      await page.getByRole('button', { name: 'Years' }).click();
      await expect.poll(async () => (await rowNames())[0]).toBe('made-119');
      expect(page.url()).toMatch(/sort=spec\.age(%2C|,)asc/);
      await page.getByRole('button', { name: 'Years' }).click();
      await expect.poll(async () => (await rowNames())[0]).toBe('made-000');
      const header = page.getByRole('columnheader', { name: 'Years' });
      expect(await header.getAttribute('aria-sort')).toBe('descending');
    });

    it('is narrowed by selectors and a filter, which Enter applies and the URL keeps', async () => {
      await open(LIST);
      await page.getByRole('button', { name: 'More filters' }).click();
      await page.getByLabel('Label selector').fill('console.example/group=first');
      await page.getByLabel('Label selector').press('Enter');
      await page.getByText(/^10 of [\d,]+$/).waitFor();
      await page.getByLabel('Field selector').fill('spec.age>115');
      await page.getByLabel('Field selector').press('Enter');
      await page.getByText(/^5 of [\d,]+$/).waitFor();
      await page.getByLabel('Filter', { exact: true }).fill('spec.age == 120');
      await page.getByLabel('Filter', { exact: true }).press('Enter');
      await page.getByText(/^1 of [\d,]+$/).waitFor();
      expect(await rowNames()).toEqual(['made-000']);
      await page.reload();
      await page.getByText(/^1 of [\d,]+$/).waitFor();
      expect(await page.getByLabel('Field selector').inputValue()).toBe('spec.age>115');
    });

    it('says at the field what is wrong with it', async () => {
      await open(LIST);
      await page.getByRole('button', { name: 'More filters', expanded: true }).waitFor();
      for (const [label, typed, fault] of [
        ['Label selector', 'a in (', 'labelSelector'],
        ['Field selector', 'spec.agee=3', 'field "spec.agee" is not indexed'],
        ['Filter', 'spec.age ==', 'filter'],
      ] as const) {
        await page.getByLabel(label, { exact: true }).fill(typed);
        await page.getByLabel(label, { exact: true }).press('Enter');
        const alert = page.getByRole('search').getByRole('alert').filter({ hasText: /\w/ });
        await expect.poll(() => alert.allTextContents()).toHaveLength(1);
        expect([label, await alert.textContent()]).toEqual([label, expect.stringContaining(fault)]);
        expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe(typed);
        await page.getByLabel(label, { exact: true }).fill('');
        await page.getByLabel(label, { exact: true }).press('Enter');
      }
    });

    it('follows what happens without leaving the page it is on', async () => {
      await open(`${LIST}?size=20&page=3&labelSelector=console.example%2Fgroup`);
      await page.getByText(/^120 of [\d,]+$/).waitFor();
      const before = await rowNames();
      await put('aa-live', {}, { labels: { 'console.example/group': 'rest' } });
      await page.getByText(/^121 of [\d,]+$/).waitFor();
      expect(await rowNames()).toEqual(['made-039', ...before.slice(0, -1)]);
      await daemon.send('PATCH', `${PERSONS}/made-045`, {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { spec: { name: 'Renamed Meanwhile' } },
      });
      await page.getByRole('cell', { name: 'Renamed Meanwhile' }).waitFor();
      await daemon.send('DELETE', `${PERSONS}/aa-live`);
      await page.getByText(/^120 of [\d,]+$/).waitFor();
    });

    it('can be used by everybody', async () => {
      await open(LIST);
      await page.getByRole('checkbox', { name: 'Select made-001' }).check();
      expect(await lookAt(page, 'console-list')).toEqual([]);
    });

    it('deletes chosen objects at once, after asking', async () => {
      for (const name of ['bulk-a', 'bulk-b', 'bulk-c']) await put(name, {});
      await open(`${LIST}?filter=${encodeURIComponent('metadata.name.startsWith("bulk-")')}`);
      await page.getByText(/^3 of [\d,]+$/).waitFor();
      await page.getByRole('checkbox', { name: 'Select bulk-a' }).check();
      await page.getByRole('checkbox', { name: 'Select bulk-c' }).check();
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete 2 persons?' });
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      expect((await daemon.get(`${PERSONS}/bulk-a`)).status).toBe(200);
      await page.getByRole('button', { name: 'Delete' }).click();
      expect(await lookAt(page, 'console-dialog')).toEqual([]);
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText(/^1 of [\d,]+$/).waitFor();
      expect(await rowNames()).toEqual(['bulk-b']);
      await page.getByRole('button', { name: 'Delete' }).waitFor({ state: 'detached' });
      await daemon.send('DELETE', `${PERSONS}/bulk-b`);
    });

    it('is saved as a file, all pages of it', async () => {
      await open(`${LIST}?sort=spec.age,asc&labelSelector=console.example%2Fgroup`);
      for (const [choice, file] of [
        ['NDJSON', /^persons\.demo\.example\.com-\d{4}-\d\d-\d\d\.ndjson$/],
        ['YAML', /^persons\.demo\.example\.com-\d{4}-\d\d-\d\d\.yaml$/],
      ] as const) {
        await page.getByRole('button', { name: 'Export' }).click();
        const saving = page.waitForEvent('download');
        await page.getByRole('menuitem', { name: choice }).click();
        const [download] = await Promise.all([saving, page.getByText('120 exported').first().waitFor()]);
        expect(download.suggestedFilename()).toMatch(file);
        const text = readFileSync(await download.path(), 'utf8');
        const names = [...text.matchAll(/"?name"?: ?"?(made-\d+)/g)].map(([, name]) => name);
        expect([names.length, names[0]]).toEqual([MADE, 'made-119']);
      }
    });

    it('says what is not there', async () => {
      await open('#/models/demo.example.com/v1alpha1/nothings');
      await page.getByText('The model “nothings” is not available').waitFor();
      await open(`${LIST}?filter=${encodeURIComponent('metadata.name == "nobody"')}`);
      await page.getByText('No matches.').waitFor();
      await page.getByRole('link', { name: 'Clear filters' }).click();
      await page.getByText(/\d+ total/).waitFor();
      await open('#/models/x');
      await page.getByRole('heading', { name: 'Page not found.' }).waitFor();
    });
  });

  describe('an object', () => {
    const openYaml = async (name: string): Promise<void> => {
      await open(`${LIST}/${name}/yaml`);
      await textbox().waitFor();
      await expect.poll(() => textbox().textContent()).toContain(`name: ${name}`);
    };
    const specOf = async (name: string): Promise<unknown> =>
      (await daemon.get(`${PERSONS}/${name}`)).json().spec;
    const manifest = (name: string, spec: string): string =>
      `apiVersion: demo.example.com/v1alpha1\nkind: Person\nmetadata:\n  name: ${name}\nspec:\n${spec}`;

    it('is shown with what it says, its metadata, and ways to change it', async () => {
      await put('shown', { age: 41, tags: ['one', 'two'], address: { city: 'Ulm' } });
      await open(LIST);
      await page.getByLabel('Name begins with').fill('shown');
      await page.getByText(/^1 of [\d,]+$/).waitFor();
      await page.getByRole('link', { name: 'shown', exact: true }).click();
      await page.getByRole('heading', { name: 'shown', exact: true }).waitFor();
      await expect.poll(() => page.title()).toBe('shown – Persons – xsvc');
      const age = page.getByRole('textbox', { name: 'Age', exact: true });
      await expect.poll(() => age.inputValue()).toBe('41');
      await page.getByText('Details', { exact: true }).click();
      await page.getByText(/^[\da-f]{8}-[\da-f-]{27}$/).waitFor();
      expect(await lookAt(page, 'console-object')).toEqual([]);
    });

    it('follows what happens to it', async () => {
      await open(`${LIST}/shown`);
      const age = page.getByRole('textbox', { name: 'Age', exact: true });
      await age.waitFor();
      await daemon.send('PATCH', `${PERSONS}/shown`, {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { spec: { age: 42 } },
      });
      await expect.poll(() => age.inputValue()).toBe('42');
    });

    it('is edited as YAML and saved', async () => {
      await put('edited', { age: 1 });
      await open(`${LIST}/edited`);
      await page.getByRole('link', { name: 'YAML', exact: true }).click();
      await expect.poll(() => textbox().textContent()).toContain('age: 1');
      await textbox().fill(manifest('edited', '  name: Edited\n  age: 2\n'));
      await page.getByRole('button', { name: 'Compare' }).click();
      expect(await page.getByRole('group', { name: 'Differences' }).textContent()).toMatch(
        /- +age: 1\n[^]*\+ +age: 2/,
      );
      expect(await lookAt(page, 'console-editor')).toEqual([]);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      expect(await specOf('edited')).toEqual({ name: 'Edited', age: 2 });
    });

    it('is not saved while its text is no YAML, and the line is named', async () => {
      await openYaml('edited');
      await textbox().fill(manifest('edited', '  name: "open\n'));
      await page.getByRole('button', { name: 'Save' }).click();
      await expect
        .poll(() => page.getByRole('alert').first().textContent())
        .toMatch(/not valid YAML.*Line 7/);
      expect(await specOf('edited')).toEqual({ name: 'Edited', age: 2 });
      await page.getByRole('button', { name: 'Discard changes' }).click();
      await expect.poll(() => textbox().textContent()).toContain('age: 2');
    });

    it('is not saved while the service refuses it, and each field is named, at its line too', async () => {
      await openYaml('edited');
      await textbox().fill(manifest('edited', '  name: Edited\n  age: -4\n  agee: 3\n'));
      await page.getByRole('button', { name: 'Save' }).click();
      const alert = page.getByRole('alert').filter({ hasText: 'refuses' });
      await expect.poll(() => alert.textContent()).toMatch(/spec\.age .*spec\.agee .*age/);
      await expect.poll(() => page.locator('.cm-lint-marker-error').count()).toBe(2);
      expect(await textbox().textContent()).toContain('age: -4');
      expect(await lookAt(page, 'console-violations')).toEqual([]);
      expect(await specOf('edited')).toEqual({ name: 'Edited', age: 2 });
    });

    it('keeps the typed text when another page is opened in between', async () => {
      await page.getByRole('link', { name: 'Plugins', exact: true }).click();
      await page.getByRole('heading', { name: 'Plugins' }).waitFor();
      await open(`${LIST}/edited/history`);
      await page.getByRole('button', { name: 'Edit' }).click();
      const age = page.getByRole('textbox', { name: 'Age', exact: true });
      await expect.poll(() => age.inputValue()).toBe('-4');
      await page.getByRole('link', { name: 'YAML', exact: true }).click();
      await expect.poll(() => textbox().textContent()).toContain('age: -4');
      await page.getByRole('button', { name: 'Discard changes' }).click();
    });

    it('shows both sides of a conflict, keeps the typed text, and merges changes that do not overlap', async () => {
      await put('disputed', { age: 1, email: 'a@example.com' });
      await openYaml('disputed');
      await textbox().fill(manifest('disputed', '  name: Mine\n  age: 1\n  email: a@example.com\n'));
      await daemon.send('PATCH', `${PERSONS}/disputed`, {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { metadata: { labels: { 'console.example/by': 'others' } } },
      });
      await page.getByText('was changed while you were editing it').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      const conflict = page.getByRole('alert', { name: 'Conflict' });
      await conflict.getByText('Both texts').click();
      await expect
        .poll(() => conflict.textContent())
        .toMatch(/\+ *console\.example\/by: others.*\+ *name: Mine/s);
      expect(await textbox().textContent()).toContain('name: Mine');
      expect(await lookAt(page, 'console-conflict')).toEqual([]);
      await page.getByRole('button', { name: 'Save merged' }).click();
      await expect.poll(() => textbox().textContent()).toMatch(/by: others.*name: Mine/);
      await expect
        .poll(async () => {
          const { metadata, spec } = (await daemon.get(`${PERSONS}/disputed`)).json();
          return [metadata.labels, spec.name];
        })
        .toEqual([{ 'console.example/by': 'others' }, 'Mine']);
    });

    it('is saved in spite of what only a controller wrote meanwhile', async () => {
      await openYaml('disputed');
      const status = `${PERSONS}/disputed/status`;
      await daemon.send('PATCH', status, {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { status: { phase: 'Seen' } },
      });
      await textbox().fill(manifest('disputed', '  name: Mine Again\n'));
      await expect
        .poll(async () => {
          await page.getByRole('button', { name: 'Save' }).click();
          return ((await specOf('disputed')) as { name: string }).name;
        })
        .toBe('Mine Again');
      expect((await daemon.get(`${PERSONS}/disputed`)).json().status).toEqual({ phase: 'Seen' });
    });

    it('has a history with what each change made of the fields, and undoes the last one', async () => {
      await open(`${LIST}/disputed/history`);
      const entries = page.getByRole('main').getByRole('listitem').filter({ hasText: 'revision' });
      await expect.poll(() => entries.count()).toBeGreaterThan(3);
      expect(await lookAt(page, 'console-history')).toEqual([]);
      await page.getByRole('button', { name: 'Undo' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Undo the last change?' });
      await expect.poll(() => dialog.textContent()).toContain('"name": "Mine"');
      await dialog.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => specOf('disputed')).toEqual({ name: 'Mine', age: 1, email: 'a@example.com' });
      expect((await daemon.get(`${PERSONS}/disputed`)).json().status).toEqual({ phase: 'Seen' });
      await page.getByRole('button', { name: 'Restore this state' }).last().click();
      await page
        .getByRole('dialog', { name: 'Restore the state' })
        .getByRole('button', { name: 'Restore this state' })
        .click();
      await expect
        .poll(async () => ((await specOf('disputed')) as { name: string }).name)
        .toBe('Name of disputed');
    });

    it('is created from an example', async () => {
      await open(LIST);
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Create Person' }).waitFor();
      await page.getByRole('link', { name: 'YAML', exact: true }).click();
      await expect.poll(() => textbox().textContent()).toMatch(/kind: Person.*spec:/);
      expect(await lookAt(page, 'console-create')).toEqual([]);
      await textbox().fill(manifest('created', '  age: 3\n'));
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => page.getByRole('alert').first().textContent()).toContain('spec.name');
      await textbox().fill(manifest('created', '  name: Created\n'));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'created', exact: true }).waitFor();
      expect(await specOf('created')).toEqual({ name: 'Created' });
    });

    it('is deleted after asking, and can be brought back', async () => {
      await open(`${LIST}/created`);
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete created?' });
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      expect((await daemon.get(`${PERSONS}/created`)).status).toBe(200);
      await page.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'persons' }).waitFor();
      expect((await daemon.get(`${PERSONS}/created`)).status).toBe(404);
      await open(`${LIST}/created/history`);
      await page.getByText('This object was deleted.').waitFor();
      await page.getByRole('button', { name: 'Undo' }).first().click();
      await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
      await expect.poll(async () => (await daemon.get(`${PERSONS}/created`)).status).toBe(200);
    });

    it('leads to the objects that it refers to, and to those that refer to it', async () => {
      await daemon.send('POST', WRITERS, { body: { metadata: { name: 'wu' }, spec: {} } });
      for (const name of ['news', 'more'])
        await daemon.send('POST', ARTICLES, { body: { metadata: { name }, spec: { writer: 'wu' } } });
      await open('#/models/press.example.com/v1/articles/news/related');
      await page.getByRole('region', { name: 'Refers to' }).getByRole('link', { name: 'wu' }).click();
      await page.getByRole('heading', { name: 'wu', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Related' }).click();
      const referrers = page.getByRole('region', { name: 'Referred to by' });
      await expect
        .poll(() => referrers.textContent())
        .toMatch(/articles spec\.writer 2They prevent its.*news.*more/);
      expect(await lookAt(page, 'console-related')).toEqual([]);
      await referrers
        .getByRole('listitem')
        .filter({ hasText: 'spec.writer' })
        .getByRole('link', { name: 'articles' })
        .click();
      await page.getByText(/^2 of [\d,]+$/).waitFor();
      await open('#/models/press.example.com/v1/writers/wu');
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete wu?' });
      await dialog.getByText('Other objects refer to it, and prevent its deletion.').waitFor();
      expect(await dialog.textContent()).toMatch(/2 articles spec\.writer/);
      expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
    });

    it('names the condition that its deletion waits for', async () => {
      await put('held', {}, { finalizers: ['console.example/hold'] });
      await open(`${LIST}/held`);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      const notice = page.getByRole('status').filter({ hasText: 'Being deleted since' });
      await expect.poll(() => notice.textContent()).toContain('console.example/hold');
      await daemon.send('PATCH', `${PERSONS}/held`, {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { metadata: { finalizers: null } },
      });
      await page.getByText('This object was deleted.').waitFor();
    });
  });

  describe('the other pages', () => {
    it('stop and start plugins', async () => {
      await open('#/plugins');
      const row = page.getByRole('row').filter({ hasText: 'bookmark' });
      await row.getByRole('button', { name: 'Disable' }).click();
      const question = page.getByRole('dialog', { name: 'Disable bookmark?' });
      await question.getByRole('button', { name: 'Disable' }).click();
      await row.getByText('DISABLED').waitFor();
      await row.getByRole('button', { name: 'Enable' }).click();
      await row.getByText('STARTED').waitFor();
      expect(await lookAt(page, 'console-plugins')).toEqual([]);
    });

    it('show controllers with their work, and who leads', async () => {
      await open('#/controllers');
      await expect.poll(() => page.getByRole('main').textContent()).toMatch(/Leader.*this process/);
      await page.getByRole('row').filter({ hasText: 'running' }).first().waitFor();
      expect(await lookAt(page, 'console-controllers')).toEqual([]);
    });

    it('show who may do what', async () => {
      await daemon.send('POST', '/apis/access.platform.run/v1alpha1/users', {
        body: { metadata: { name: 'ann' }, spec: { displayName: 'Ann' } },
      });
      await open('#/access');
      for (const name of ['users', 'roles', 'Role bindings', 'tokens'])
        await page.getByRole('region', { name }).first().waitFor();
      await page.getByRole('link', { name: 'ann', exact: true }).waitFor();
      expect(await lookAt(page, 'console-access')).toEqual([]);
    });
  });

  it('shows markup as the text that it is, wherever it stands', async () => {
    const evil = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>';
    await put(
      'hostile',
      { name: evil.slice(0, 64), tags: [evil] },
      { annotations: { 'console.example/note': evil } },
    );
    for (const view of ['', '/yaml', '/history', '/related']) {
      await open(`${LIST}/hostile${view}`);
      await page.getByRole('heading', { name: 'hostile' }).waitFor();
      if (view === '/yaml') await textbox().waitFor();
    }
    await open(`${LIST}?labelSelector=${encodeURIComponent(evil)}`);
    await page.getByRole('search').getByRole('alert').filter({ hasText: 'labelSelector' }).waitFor();
    await open(`${LIST}/${encodeURIComponent(evil)}`);
    await page.getByRole('heading', { name: evil }).waitFor();
    await open(`#/models/${encodeURIComponent(evil)}/v1/${encodeURIComponent(evil)}`);
    await page.getByRole('heading', { name: humanize(evil) }).waitFor();
    await open(`${LIST}?filter=${encodeURIComponent('metadata.name == "hostile"')}`);
    await page.getByRole('cell', { name: '<img src=x' }).first().waitFor();
    expect(await page.evaluate('window.broken')).toBeUndefined();
    await daemon.send('DELETE', `${PERSONS}/hostile`);
  });

  it('says when the service does not answer, and catches up when it does again', async () => {
    await open(`${LIST}?labelSelector=console.example%2Fgroup`);
    await page.getByText(/^120 of [\d,]+$/).waitFor();
    const { port } = daemon;
    await daemon.stop();
    await page.getByText('The service does not answer. The data shown may be outdated').waitFor();
    expect(await rowNames()).toContain('made-000');
    daemon = await start(port);
    await daemon.send('POST', PERSONS, {
      body: person('aa-missed', {}, { labels: { 'console.example/group': 'x' } }),
    });
    await page.getByText(/^121 of [\d,]+$/).waitFor();
    await expect.poll(() => page.getByText('does not answer').count()).toBe(0);
    await daemon.send('DELETE', `${PERSONS}/aa-missed`);
    await page.getByText(/^120 of [\d,]+$/).waitFor();
  });

  it('keeps what was typed when it cannot be saved because the service is away', async () => {
    await put('offline', { age: 1 });
    await open(`${LIST}/offline/yaml`);
    await expect.poll(() => textbox().textContent()).toContain('age: 1');
    await textbox().fill('metadata:\n  name: offline\nspec:\n  name: Typed\n');
    const { port } = daemon;
    await daemon.stop();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'The service does not answer.' }).waitFor();
    expect(await textbox().textContent()).toContain('name: Typed');
    daemon = await start(port);
    await expect.poll(() => page.getByText('The data shown may be outdated').count()).toBe(0);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
  });

  it('asked nobody but the service, kept to its policy, and had nothing to complain about', () => {
    expect(followed.requested.length).toBeGreaterThan(20);
    const others = followed.requested.filter(
      (url) => !/^(data|blob):/.test(url) && !url.startsWith(daemon.url),
    );
    expect(others).toEqual([]);
    expect(followed.complaints).toEqual([]);
  });
});
