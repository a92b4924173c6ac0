import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { humanize } from '../../../src/console/lib/naming.js';
import { CHROMIUM, lookAt, type Followed } from '../../helpers/browser.js';
import { closeAll, openTab } from '../../helpers/console.js';
import { EXAMPLE_PLUGINS, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { ARTICLES, putPress, REFERENCES, WRITERS } from '../../helpers/press.js';
import { temporaryDirectory } from '../../helpers/store.js';

const PERSON = 'demo.example.com/v1alpha1/persons';
const ARTICLE = 'press.example.com/v1/articles';

/** A field of each kind that a form knows, and some that it does not. */
const FIELDS = {
  ...REFERENCES,
  words: { type: 'integer', format: 'int64' },
  weight: { type: 'number', default: 0.5 },
  isDraft: { type: 'boolean' },
  state: { type: 'string', enum: ['NEW', 'DONE'], default: 'NEW' },
  due: { type: 'string', format: 'date-time' },
  topics: { type: 'array', items: { type: 'string', maxLength: 8 } },
  notes: { type: 'object', additionalProperties: { type: 'string' } },
  place: { type: 'object', properties: { page: { type: 'integer' } } },
  parts: { type: 'array', items: { type: 'object', properties: { heading: { type: 'string' } } } },
  size: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
  shape: { type: 'object', additionalProperties: true },
};

/** Values that the service sets for absent fields. */
const DEFAULTS = { weight: 0.5, state: 'NEW' };

let daemon: DaemonProcess;
let context: BrowserContext;
let page: Page;
let followed: Followed;

async function open(hash: string): Promise<void> {
  await page.goto(`${daemon.url}/console/${hash}`);
}

/** An article as it is now, opened in the form. */
async function openArticle(name: string, spec: object): Promise<void> {
  await daemon.send('DELETE', `${ARTICLES}/${name}`);
  const { status } = await daemon.send('POST', ARTICLES, { body: { metadata: { name }, spec } });
  expect(status).toBe(201);
  await open(`#/models/${ARTICLE}/${name}/form`);
  await form().waitFor();
}

const form = () => page.getByRole('group', { name: 'Form', exact: true });
const field = (name: string) => form().getByRole('textbox', { name: humanize(name), exact: true });
const textbox = () => page.getByRole('textbox', { name: 'YAML' });
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const follow = (name: string) => page.getByRole('link', { name, exact: true }).click();
const specOf = async (name: string): Promise<unknown> =>
  (await daemon.get(`${ARTICLES}/${name}`)).json().spec;

async function save(): Promise<void> {
  const answering = page.waitForResponse((response) => response.request().method() === 'PUT');
  await press('Save');
  const answer = await answering;
  expect([answer.status(), answer.ok() ? '' : await answer.text()]).toEqual([200, '']);
}

describe.skipIf(CHROMIUM === undefined)('the forms of the console', () => {
  beforeAll(async () => {
    const directory = temporaryDirectory();
    await putPress(directory, FIELDS);
    const plugins = [EXAMPLE_PLUGINS, path.join(directory, 'plugins')];
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins });
    ({ context, page, followed } = await openTab());
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  it('save a value of each kind as what the schema says that it is', async () => {
    await openArticle('kinds', {});
    await field('words').fill('9007199254740991');
    await field('weight').fill('1.25');
    await form().getByRole('switch', { name: 'Is draft' }).check();
    await form().getByRole('radio', { name: 'DONE' }).check();
    await form().getByLabel('Due', { exact: true }).fill('2031-02-03T04:05:06');
    await field('page').fill('7');
    await press('Add to Topics');
    await field('topics 1').fill('true');
    await press('Add to Topics');
    await field('topics 2').fill('two');
    await form().getByRole('textbox', { name: 'New key in Notes' }).fill('a.b/c');
    await form().getByRole('textbox', { name: 'New key in Notes' }).press('Enter');
    await form().getByRole('textbox', { name: 'Notes a.b/c', exact: true }).fill('1');
    await press('Add to Parts');
    await field('heading').fill('First');
    expect(await lookAt(page, 'console-form')).toEqual([]);
    await save();
    expect(await specOf('kinds')).toEqual({
      words: Number.MAX_SAFE_INTEGER,
      weight: 1.25,
      isDraft: true,
      state: 'DONE',
      due: await page.evaluate("new Date('2031-02-03T04:05:06').toISOString().replace('.000', '')"),
      place: { page: 7 },
      topics: ['true', 'two'],
      notes: { 'a.b/c': '1' },
      parts: [{ heading: 'First' }],
    });
  });

  it('take away what is emptied or removed, and what is empty without it', async () => {
    await openArticle('emptied', { words: 1, topics: ['a', 'b'], notes: { k: 'v' }, place: { page: 1 } });
    await field('words').fill('');
    await field('page').fill('');
    await press('Remove Topics 1');
    await press('Remove Notes k');
    await save();
    expect(await specOf('emptied')).toEqual({ ...DEFAULTS, topics: ['b'] });
  });

  it('show a default where nothing is set, and leave what they do not know as it is', async () => {
    await openArticle('other', { size: 'XL', words: 3, shape: { radius: 3 } });
    await field('weight').fill('');
    expect(await field('weight').getAttribute('placeholder')).toBe('0.5');
    expect(await form().getByRole('radio', { name: 'NEW' }).isChecked()).toBe(true);
    const other = form().getByRole('group', { name: 'Shape', exact: true });
    expect(await other.textContent()).toContain('radius: 3');
    await other.getByRole('button', { name: 'Edit as YAML' }).click();
    const inPlace = other.getByRole('textbox', { name: 'Shape as YAML' });
    await inPlace.fill('radius: 4\n');
    expect(await field('size').inputValue()).toBe('XL');
    await save();
    expect(await specOf('other')).toMatchObject({ size: 'XL', shape: { radius: 4 } });
  });

  it('and the YAML are one text: what is typed in one is in the other, with its comments', async () => {
    await openArticle('shared', { words: 1 });
    await follow('YAML');
    await textbox().fill('metadata:\n  name: shared\nspec:\n  # as printed\n  words: 20\n');
    await follow('Form');
    expect(await field('words').inputValue()).toBe('20');
    await field('words').fill('21');
    await follow('YAML');
    await expect.poll(() => textbox().textContent()).toMatch(/# as printed *words: 21/);
    await press('Discard changes');
    await follow('Form');
    expect(await field('words').inputValue()).toBe('1');
  });

  it('say so where the YAML cannot be read, and lose nothing of it', async () => {
    await openArticle('broken', {});
    await follow('YAML');
    await textbox().fill('spec: "open\n');
    await follow('Form');
    await page.getByText('The form cannot show this text.').waitFor();
    await follow('Edit as YAML');
    await expect.poll(() => textbox().textContent()).toContain('"open');
    await press('Discard changes');
  });

  it('keep the text of a value that is no YAML, and are not saved with it', async () => {
    await openArticle('unfinished', { shape: { radius: 3 } });
    const other = form().getByRole('group', { name: 'Shape', exact: true });
    await other.getByRole('button', { name: 'Edit as YAML' }).click();
    await other.getByRole('textbox', { name: 'Shape as YAML' }).fill('name: "open\n');
    await other.getByText(/quote/i).waitFor();
    await press('Save');
    await follow('History');
    await follow('YAML');
    await expect.poll(() => textbox().textContent()).toContain('name: "open');
    expect(await specOf('unfinished')).toMatchObject({ shape: { radius: 3 } });
    await press('Discard changes');
  });

  it('show at each field the error of the service, and keep the typed text', async () => {
    await daemon.send('POST', PERSONS, { body: person('refused', { age: 5 }) });
    await open(`#/models/${PERSON}/refused/form`);
    await field('age').fill('-4');
    await form().getByRole('radio', { name: 'MALE', exact: true }).check();
    await field('street').fill('Long Road 1');
    await press('Save');
    await expect.poll(() => field('age').getAttribute('aria-invalid')).toBe('true');
    const notes = await field('age').getAttribute('aria-describedby');
    expect(await page.locator(`[id="${notes ?? ''}"]`).textContent()).toMatch(/0.*Age in years/);
    expect(await field('city').getAttribute('aria-invalid')).toBe('true');
    expect(await field('city').getAttribute('aria-required')).toBe('true');
    expect(await page.getByRole('alert').first().textContent()).toMatch(/Years must .*City /);
    expect(await field('street').inputValue()).toBe('Long Road 1');
    expect(await lookAt(page, 'console-form-refused')).toEqual([]);
    await field('age').fill('4');
    await field('city').fill('Ulm');
    await save();
    const { spec } = (await daemon.get(`${PERSONS}/refused`)).json();
    expect([spec.age, spec.gender, spec.address]).toEqual([
      4,
      'MALE',
      { street: 'Long Road 1', city: 'Ulm' },
    ]);
  });

  it('keep numbers that are none, so that they can be mended', async () => {
    await openArticle('numbers', {});
    await field('weight').fill('');
    await field('weight').pressSequentially('1.x');
    expect(await field('weight').inputValue()).toBe('1.x');
    await press('Save');
    await expect.poll(() => field('weight').getAttribute('aria-invalid')).toBe('true');
    await field('weight').press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('50');
    expect(await field('weight').inputValue()).toBe('1.50');
    await save();
    expect(await specOf('numbers')).toEqual({ ...DEFAULTS, weight: 1.5 });
  });

  it('find the names that a reference can have by a part of them', async () => {
    for (let i = 0; i < 30; i++)
      await daemon.send('POST', WRITERS, { body: { metadata: { name: `writer-${String(i)}` }, spec: {} } });
    await openArticle('referring', { owner: 'writer-3' });
    const writer = form().getByRole('combobox', { name: 'Writer', exact: true });
    const options = page.getByRole('listbox').getByRole('option');
    const optionTexts = async (): Promise<string> =>
      (await options.allTextContents()).map((text) => text.trim()).join();
    await form().getByRole('button', { name: 'Choose Writer' }).click();
    await expect.poll(() => options.count()).toBe(20);
    await writer.fill('ter-2');
    await expect
      .poll(optionTexts)
      .toBe(['writer-2', ...Array.from({ length: 10 }, (_, i) => `writer-2${String(i)}`)].join());
    // As long as names are offered, screen readers find nothing else; Tab ends that, which axe does not know.
    const findings = await lookAt(page, 'console-form-reference');
    expect(findings.filter((finding) => !finding.includes('aria-hidden-focus'))).toEqual([]);
    // A picture of the whole page may close the list, as any change of the window's size does.
    await writer.fill('ter-20');
    await expect.poll(optionTexts).toBe('writer-20');
    await writer.press('ArrowDown');
    await writer.press('Enter');
    expect(await writer.inputValue()).toBe('writer-20');
    await writer.fill('nobody');
    await page.getByText('No matches.').waitFor();
    await writer.press('Escape');
    await press('Save');
    await expect.poll(() => writer.getAttribute('aria-invalid')).toBe('true');
    await writer.press('ControlOrMeta+a');
    await page.keyboard.type('writer-21');
    await options.filter({ hasText: 'writer-21' }).click();
    await save();
    expect(await specOf('referring')).toEqual({ ...DEFAULTS, owner: 'writer-3', writer: 'writer-21' });
  });

  it('make new objects', async () => {
    await open(`#/create/${PERSON}/yaml`);
    await textbox().waitFor();
    await follow('Form');
    await form()
      .getByRole('group', { name: 'Metadata' })
      .getByRole('textbox', { name: 'Object name', exact: true })
      .fill('made-by-form');
    await form()
      .getByRole('group', { name: 'Spec' })
      .getByRole('textbox', { name: 'Name', exact: true })
      .first()
      .fill('Made Here');
    expect(await lookAt(page, 'console-form-create')).toEqual([]);
    await press('Save');
    await page.getByRole('heading', { name: 'made-by-form', exact: true }).waitFor();
    expect((await daemon.get(`${PERSONS}/made-by-form`)).json().spec.name).toBe('Made Here');
  });

  it('kept to the policy of the page, and had nothing to complain about', () => {
    expect(followed.complaints).toEqual([]);
  });
});
