import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, Download, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt, type Followed } from '../../helpers/browser.js';
import { closeAll, openTab } from '../../helpers/console.js';
import { EXAMPLE_PLUGINS, runProgram, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { ARTICLES, putPress, WRITERS } from '../../helpers/press.js';
import { temporaryDirectory } from '../../helpers/store.js';

const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const ACCESS = '/apis/access.platform.run/v1alpha1';
const LIST = '#/models/demo.example.com/v1alpha1/persons';
const GROUP = 'console.example/group';
/** More than are changed, or saved, in one step. */
const MADE = 1_100;
const EVIL = '<img src=x onerror="window.broken=1"><b>&amp;';

let daemon: DaemonProcess;
let context: BrowserContext;
let page: Page;
let followed: Followed;

/** Persons of three groups, with tags of which one is full of markup. */
function made(i: number): object {
  const group = i < 10 ? 'first' : i % 2 === 0 ? 'even' : 'odd';
  const spec = {
    age: i % 90,
    gender: i % 3 === 0 ? 'MALE' : 'FEMALE',
    tags: i % 10 === 0 ? [EVIL] : ['plain'],
  };
  const object = person(`made-${String(i).padStart(3, '0')}`, spec, { labels: { [GROUP]: group } });
  return { apiVersion: 'demo.example.com/v1alpha1', kind: 'Person', ...object };
}

/** A role of who may do some things with persons, and see what there is. */
function roleFor(verbs: readonly string[]): object {
  const models = { apiGroups: ['api.platform.run'], resources: ['models'], verbs: ['list'] };
  return {
    metadata: { name: 'reader' },
    rules: [{ apiGroups: ['demo.example.com'], resources: ['persons'], verbs }, models],
  };
}

const open = (hash: string) => page.goto(`${daemon.url}/console/${hash}`);
const listed = (parameters: Record<string, string>) =>
  open(`${LIST}?${new URLSearchParams(parameters).toString()}`);
const field = (label: string) => page.getByLabel(label, { exact: true });
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const chips = () => page.getByRole('list', { name: 'Conditions' });
const chipTexts = () => chips().locator('.filter-popover-edit').allTextContents();
const parametersNow = (): URLSearchParams => new URLSearchParams(page.url().split('?')[1]);
const rowNames = () => page.locator('tbody tr td:nth-child(2) a').allTextContents();
/** The number of listed objects, beside that of all objects of the model. */
const matching = (count: number): RegExp => new RegExp(`^${count.toLocaleString('en')} of [\\d,]+$`);
const dialog = () => page.getByRole('dialog');
const count = async (parameters: Record<string, string>): Promise<number> => {
  const search = new URLSearchParams({ ...parameters, limit: '1' }).toString();
  return Number((await daemon.get(`${PERSONS}?${search}`)).json().total);
};

/** Types at the end of a field, as somebody does. */
async function type(label: string, typed: string): Promise<void> {
  await field(label).click();
  await page.keyboard.type(typed);
}

/** A choice of the menu, and the file that it gives. */
async function exported(format: string): Promise<{ readonly name: string; readonly text: string }> {
  await press('Export');
  const saving: Promise<Download> = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: format }).click();
  const download = await saving;
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

describe.skipIf(CHROMIUM === undefined)('the lists of the console', () => {
  beforeAll(async () => {
    const directory = temporaryDirectory();
    await putPress(directory);
    const plugins = [EXAMPLE_PLUGINS, path.join(directory, 'plugins')];
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins });
    const items = Array.from({ length: MADE }, (_, i) => ({ verb: 'create', object: made(i) }));
    expect((await daemon.send('POST', BATCHES, { body: { items } })).status).toBe(200);
    ({ context, page, followed } = await openTab());
    await open(LIST);
    await press('More filters');
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  describe('the fields for conditions', () => {
    it('describe errors in words, and keep the typed text', async () => {
      await open(LIST);
      const typed = 'spec.age > 3 && (spec.name == "x"';
      await type('Filter', typed);
      await page.keyboard.press('Enter');
      const alert = page.getByRole('search').getByRole('alert').filter({ hasText: /\w/ });
      await expect.poll(() => alert.textContent()).toMatch(/filter: .*at character \d+/);
      expect(await field('Filter').inputValue()).toBe(typed);
      expect(await lookAt(page, 'console-list-fault')).toEqual([]);
      await field('Filter').fill('spec.age > 88');
      await field('Filter').press('Enter');
      await page.getByText(/^[\d,]+ of [\d,]+$/).waitFor();
    });
  });

  describe('the conditions', () => {
    it('are chips that are taken away one by one, by pointer and by keyboard', async () => {
      await listed({
        labelSelector: `${GROUP} in (even, odd)`,
        fieldSelector: 'spec.age>10,spec.gender=MALE',
        filter: 'spec.age < 80 && (spec.name == "x" || has(spec.age))',
      });
      // Conditions without a chip are in the text of the filter.
      await expect
        .poll(chipTexts)
        .toEqual([
          `${GROUP} is one of even, odd`,
          'Years more than 10',
          'Gender is MALE',
          'Years less than 80',
        ]);
      expect(await lookAt(page, 'console-list-chips')).toEqual([]);
      await press('Remove Years more than 10');
      await expect.poll(() => parametersNow().get('fieldSelector')).toBe('spec.gender=MALE');
      await page.keyboard.press('Delete');
      await expect.poll(() => parametersNow().has('fieldSelector')).toBe(false);
      await page.keyboard.press('Backspace');
      await expect.poll(() => parametersNow().get('filter')).toBe('(spec.name == "x" || has(spec.age))');
      await page.goBack();
      await expect.poll(async () => (await chipTexts()).length).toBe(2);
      expect(await field('Filter').inputValue()).toContain('spec.age < 80');
      await page.goForward();
      await expect.poll(async () => (await chipTexts()).length).toBe(1);
      await press('Remove all');
      await page.getByText(/\d+ total/).waitFor();
      expect(await chipTexts()).toEqual([]);
    });
  });

  describe('the values', () => {
    it('are counted exactly, and narrow the list when they are pressed', async () => {
      await listed({ labelSelector: GROUP });
      await press('Values');
      const gender = page.getByRole('region', { name: 'Gender' });
      const males = await count({ labelSelector: GROUP, fieldSelector: 'spec.gender=MALE' });
      await gender.getByRole('button', { name: `MALE ${males}`, exact: true }).waitFor();
      await page.getByLabel('Count values of').selectOption(`metadata.labels["${GROUP}"]`);
      const group = page.getByRole('region', { name: GROUP });
      await group.getByRole('button', { name: 'first 10' }).waitFor();
      expect(await lookAt(page, 'console-list-values')).toEqual([]);
      await group.getByRole('button', { name: 'first 10' }).click();
      await page.getByText(/^10 of [\d,]+$/).waitFor();
      await gender.getByRole('button', { name: 'MALE 4', exact: true }).click();
      await page.getByText(/^4 of [\d,]+$/).waitFor();
      expect(parametersNow().get('labelSelector')).toBe(`${GROUP},${GROUP}=first`);
      await page.reload();
      await gender.getByRole('button', { name: 'MALE 4', exact: true, pressed: true }).click();
      await page.getByText(/^10 of [\d,]+$/).waitFor();
    });

    it('with markup, commas, parentheses and white space select exact matches', async () => {
      const names = [EVIL, 'a,b=(c)\\d', ' blank '];
      for (const [i, name] of names.entries())
        await daemon.send('POST', PERSONS, {
          body: person(`odd-${i}`, { name }, { labels: { odd: 'yes' } }),
        });
      for (const [i, name] of names.entries()) {
        await listed({ labelSelector: 'odd', facets: 'spec.name' });
        const values = page.getByRole('region', { name: 'Full name' });
        await values.getByRole('button').filter({ hasText: name.trim() }).click();
        await expect.poll(rowNames).toEqual([`odd-${i}`]);
      }
      expect(await page.evaluate('window.broken')).toBeUndefined();
      for (const i of names.keys()) await daemon.send('DELETE', `${PERSONS}/odd-${i}`);
    });

    it('show the error of the service where they cannot be counted', async () => {
      await listed({ facets: 'spec.nothing' });
      const values = page.getByRole('region', { name: 'Values' });
      await expect.poll(() => values.textContent()).toContain('field "spec.nothing" is not indexed');
      await expect.poll(rowNames).toHaveLength(50);
    });
  });

  it('are saved whole, however many pages they have', async () => {
    const all = { labelSelector: GROUP, filter: 'spec.age >= 0' };
    const listing = { ...all, sort: 'spec.age,desc', size: '20' };
    await listed(listing);
    const total = await count(all);
    expect(total).toBeGreaterThan(1_000);
    for (const [format, lines] of [
      ['NDJSON', total],
      ['CSV', total + 1],
    ] as const) {
      const { text } = await exported(format);
      const names = new Set([...text.matchAll(/^(?:made-\d+|.*"name":"made-\d+")/gm)].map(([name]) => name));
      expect([text.trimEnd().split('\n').length, names.size]).toEqual([lines, total]);
    }
  });

  describe('many objects', () => {
    it('get labels and lose them: everything that matches, on all pages', async () => {
      const even = { labelSelector: `${GROUP}=even` };
      const evens = await count(even);
      expect(evens).toBeGreaterThan(200);
      await listed(even);
      // Until then the rows are those of the list before.
      await page.getByText(matching(evens)).waitFor();
      await page.getByLabel('Select all rows of this page').check();
      await page.getByText('50 selected').waitFor();
      await press(`Select all ${evens}`);
      await page.getByText(`${evens} selected`).waitFor();
      await press('Labels');
      await page.getByLabel('Key 1').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('console.example/new');
      await page.getByLabel('Value 1').fill('not a value!');
      await press('Apply');
      await expect.poll(() => dialog().getByRole('alert').textContent()).toContain('console.example/new');
      expect(await page.getByLabel('Value 1').inputValue()).toBe('not a value!');
      expect(await count({ labelSelector: 'console.example/new' })).toBe(0);
      await page.getByLabel('Value 1').fill('yes');
      await press('+ Another label');
      await page.getByLabel('Key 2').fill(GROUP);
      await page.getByLabel('Change 2').selectOption('remove');
      expect(await lookAt(page, 'console-list-labels')).toEqual([]);
      await press('Apply');
      await page.getByText(`Labels of ${evens} changed`).waitFor();
      expect(await count({ labelSelector: 'console.example/new=yes' })).toBe(evens);
      expect(await count(even)).toBe(0);
      await page.getByText('No matches.').waitFor();
    });

    it('are processed until somebody stops it, and the results so far are shown', async () => {
      const all = { labelSelector: 'console.example/new=yes' };
      const before = await count(all);
      await listed(all);
      await page.getByLabel('Select all rows of this page').check();
      await press(`Select all ${before}`);
      // The first step takes as long as somebody looks at it.
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/batches?return=none', async (route) => {
        await released;
        await route.continue();
      });
      await press('Delete');
      await dialog().getByRole('button', { name: 'Delete' }).click();
      await dialog().getByText(`0 of ${before} done`).waitFor();
      expect(await lookAt(page, 'console-list-progress')).toEqual([]);
      await press('Stop');
      release();
      await dialog().getByText('stopped; the rest is unchanged').waitFor();
      await page.unroute('**/batches?return=none');
      expect(await dialog().textContent()).toContain(`Delete ${before} persons?200 deleted`);
      expect(await count(all)).toBe(before - 200);
      await dialog().getByRole('button', { name: 'Close' }).click();
      await page.getByText(matching(before - 200)).waitFor();
    });

    it('are done one by one where some are refused, which are shown with the reason', async () => {
      for (const name of ['used', 'free-1', 'free-2'])
        await daemon.send('POST', WRITERS, { body: { metadata: { name }, spec: {} } });
      await daemon.send('POST', ARTICLES, { body: { metadata: { name: 'text' }, spec: { writer: 'used' } } });
      await open('#/models/press.example.com/v1/writers');
      await page.getByLabel('Select all rows of this page').check();
      await press('Delete');
      await dialog().getByRole('button', { name: 'Delete' }).click();
      await dialog().getByText('2 deleted · 1 refused').waitFor();
      expect(await dialog().getByRole('listitem').allTextContents()).toEqual([
        expect.stringMatching(/^used: .*1 object refers to it.*text/),
      ]);
      expect(await lookAt(page, 'console-list-refused')).toEqual([]);
      await dialog().getByRole('button', { name: 'Close' }).click();
      await expect.poll(rowNames).toEqual(['used']);
    });
  });

  it('show the known results when the service goes away in the middle of it', async () => {
    const all = { labelSelector: `${GROUP}=odd` };
    const before = await count(all);
    await listed(all);
    await page.getByLabel('Select all rows of this page').check();
    await press(`Select all ${before}`);
    await press('Labels');
    await page.getByLabel('Key 1').fill('console.example/half');
    let sent = 0;
    await page.route('**/batches?return=none', (route) => (++sent === 2 ? route.abort() : route.continue()));
    await press('Apply');
    await dialog().getByText('no answer for 200: they may or may not be changed').waitFor();
    await page.unroute('**/batches?return=none');
    expect(await dialog().textContent()).toMatch(/Labels of 200 changed.*The service does not answer/);
    expect(await count({ labelSelector: 'console.example/half' })).toBe(200);
    await dialog().getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.getByText('The data shown may be outdated').count()).toBe(0);
  });

  it('are saved as CSV with the columns of the table, in a file that says model and day', async () => {
    await daemon.send('POST', PERSONS, {
      body: person('quoted', { name: '=1+1,"x"', age: 7 }, { labels: { saved: 'yes' } }),
    });
    await daemon.send('POST', PERSONS, {
      body: person('plain', { name: EVIL }, { labels: { saved: 'yes' } }),
    });
    await listed({ labelSelector: 'saved', sort: 'metadata.name,desc' });
    await page.getByText(/^2 of [\d,]+$/).waitFor();
    const { name, text } = await exported('CSV');
    expect(name).toMatch(/^persons\.demo\.example\.com-\d{4}-\d\d-\d\d\.csv$/);
    const [head, first, second, ...rest] = text.split('\r\n');
    expect(head).toBe('Name,Full name,Years,Email,Created,Updated');
    expect(first).toMatch(/^quoted,"'=1\+1,""x""",7,,\d{4}-\d\d-\d\dT[\d:.]+Z,\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(second).toContain(`plain,"${EVIL.replaceAll('"', '""')}",,,`);
    expect(rest).toEqual(['']);
    for (const one of ['quoted', 'plain']) await daemon.send('DELETE', `${PERSONS}/${one}`);
  });

  it('are explained by a picture whose figures are text', async () => {
    await listed({ labelSelector: `${GROUP}=odd`, filter: 'spec.age > 20', sort: 'spec.age,desc' });
    await press('Explain');
    const explained = page.getByRole('region', { name: 'Explain' });
    const steps = explained.getByRole('list', { name: 'Query plan' });
    const search = new URLSearchParams({ ...Object.fromEntries(parametersNow()), size: '50' }).toString();
    const answer = (await daemon.get(`${PERSONS}?${search}`)).json();
    await expect.poll(() => steps.textContent()).toContain(`Exact total${String(answer.total)}`);
    expect(await steps.textContent()).toMatch(
      /Conditions.*spec\.age > 20.*Order.*spec\.age ↓.*Rows of this page50/,
    );
    expect(await explained.textContent()).toMatch(/Index entries read[\d,]+.*Objects read50.*Alternatives/);
    expect(parametersNow().get('explain')).toBe('true');
    expect(await lookAt(page, 'console-list-explained')).toEqual([]);
    await page.setViewportSize({ width: 400, height: 800 });
    expect(await lookAt(page, 'console-list-narrow')).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 860 });
    await press('Explain');
    await expect.poll(() => explained.count()).toBe(0);
  });

  it('are walked by cursor when somebody wants that, in parts that say where they are', async () => {
    await listed({ labelSelector: `${GROUP}=odd`, size: '20' });
    const total = await count({ labelSelector: `${GROUP}=odd` });
    await press('Fast paging');
    await page.getByText(`1–20 of ${total}`).waitFor();
    const first = await rowNames();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await press('Next');
    await page.getByText(`21–40 of ${total}`).waitFor();
    expect(asked.filter((url) => url.includes('/persons?') && !url.includes('watch='))).toEqual([
      expect.stringMatching(/limit=20.*continue=/),
    ]);
    await press('Previous');
    await expect.poll(rowNames).toEqual(first);
    await press('Page numbers');
    await page.getByText(/Page 1 of \d+/).waitFor();
  });

  it('say that their plugin was stopped, and are there again when it is back', async () => {
    const enable = (enabled: boolean) =>
      daemon.send('PATCH', '/apis/plugin.platform.run/v1alpha1/plugins/person', {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { spec: { enabled } },
      });
    await listed({ labelSelector: `${GROUP}=first` });
    await page.getByText(/^10 of [\d,]+$/).waitFor();
    await type('Filter', 'spec.age >');
    expect((await enable(false)).status).toBe(200);
    await page.getByText('The model “persons” is not available').waitFor();
    expect(await lookAt(page, 'console-list-stopped')).toEqual([]);
    expect((await enable(true)).status).toBe(200);
    await page.getByText(/^10 of [\d,]+$/).waitFor();
    await expect.poll(rowNames).toHaveLength(10);
    expect(await field('Filter').inputValue()).toBe('spec.age >');
    await daemon.send('DELETE', `${PERSONS}/made-000`);
    await page.getByText(/^9 of [\d,]+$/).waitFor();
  });

  it('had nothing to complain about', () => {
    expect(followed.complaints).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)(
  'the lists of the console, for somebody who may not do everything',
  () => {
    let headers: { authorization: string };

    beforeAll(async () => {
      const dataDir = path.join(temporaryDirectory(), 'data');
      daemon = await startDaemonProcess({ dataDir, flags: ['--auth', 'token'] });
      const admin = /shown only now: (\S+)/.exec(daemon.output.stdout)?.[1] ?? '';
      headers = { authorization: `Bearer ${admin}` };
      const send = async (url: string, body: object): Promise<void> => {
        const { status } = await daemon.send('POST', url, { headers, body });
        expect(status).toBe(201);
      };
      for (const name of ['ann', 'bob']) await send(PERSONS, person(name, { age: 30 }));
      await send(`${ACCESS}/roles`, roleFor(['get', 'list', 'watch', 'patch']));
      const flags = ['token', 'create', '--user', 'reader', '--role', 'reader', '--data-dir', dataDir];
      const { stdout } = await runProgram(flags);
      ({ context, page, followed } = await openTab());
      await open(LIST);
      await field('Token').fill(stdout.trim().split(/\s+/).at(-1) ?? '');
      await press('Sign in');
    }, 180_000);
    afterAll(() => closeAll(context, daemon));

    it('do not offer forbidden actions', async () => {
      await page.getByText(/\d+ total/).waitFor();
      await page.getByLabel('Select ann').check();
      await page.getByRole('button', { name: 'Labels' }).waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Create' }).count()).toBe(0);
      await press('Values');
      await page.getByRole('region', { name: 'Gender' }).waitFor();
      await press('Explain');
      await page.getByRole('list', { name: 'Query plan' }).waitFor();
    });

    it('say what is refused, when it was allowed a moment ago, and keep what was typed', async () => {
      await page.getByLabel('Select ann').check();
      await press('Labels');
      await page.getByLabel('Key 1').fill('console.example/new');
      await page.getByLabel('Value 1').fill('yes');
      const role = { ...roleFor(['get', 'list', 'watch']), kind: 'Role' };
      expect((await daemon.send('PUT', `${ACCESS}/roles/reader`, { headers, body: role })).status).toBe(200);
      await press('Apply');
      await expect.poll(() => dialog().getByRole('alert').textContent()).toMatch(/patch.*persons/);
      expect(await page.getByLabel('Value 1').inputValue()).toBe('yes');
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      expect(followed.complaints).toEqual([]);
    });
  },
);
