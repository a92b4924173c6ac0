import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, lookAt, type Followed } from '../../helpers/browser.js';
import { chooseLanguage, closeAll, openTab } from '../../helpers/console.js';
import { EXAMPLE_PLUGINS, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { person, PERSONS } from '../../helpers/http.js';
import { ARTICLES, putPress, REFERENCES, WRITERS } from '../../helpers/press.js';
import { temporaryDirectory } from '../../helpers/store.js';

const PERSON = 'demo.example.com/v1alpha1/persons';
const ARTICLE = 'press.example.com/v1/articles';

const FIELDS = {
  ...REFERENCES,
  state: { type: 'string', enum: ['NEW', 'DONE', 'true'], description: 'How far it is' },
  topics: { type: 'array', items: { type: 'string', enum: ['art', 'sport'] } },
  parts: { type: 'array', items: { type: 'object', properties: { heading: { type: 'string' } } } },
  shape: { oneOf: [{ type: 'object', properties: { radius: { type: 'number', minimum: 2 } } }] },
};

let daemon: DaemonProcess;
let context: BrowserContext;
let page: Page;
let followed: Followed;

const textbox = () => page.getByRole('textbox', { name: 'YAML' });
const offered = () => page.getByRole('listbox', { name: 'Completions' }).getByRole('option');
const note = () => page.getByRole('note', { name: 'The field at the cursor' });
const shown = async (): Promise<string> => (await page.locator('.cm-line').allTextContents()).join('\n');

async function open(model: string, name: string): Promise<void> {
  await page.goto(`${daemon.url}/console/#/models/${model}/${name}/yaml`);
  const discard = page.getByRole('button', { name: 'Discard changes' });
  await discard.waitFor();
  if (await discard.isEnabled()) await discard.click();
  await expect.poll(() => discard.isDisabled()).toBe(true);
  await expect.poll(() => textbox().textContent()).toContain(`name: ${name}`);
  // The violations of the previous text disappear a moment later, and then the buttons below move.
  await page.getByRole('alert').waitFor({ state: 'hidden' });
}

const problem = (name: RegExp) => page.getByRole('alert').getByRole('button', { name });
const hasFocus = () =>
  page.evaluate<boolean>(
    'document.querySelector(".editor").shadowRoot.activeElement?.classList.contains("cm-content") ?? false',
  );

/** The line that the cursor is in, with a bar where it is. The cursor must be in the text. */
async function cursorLine(): Promise<string> {
  expect(await hasFocus()).toBe(true);
  await page.keyboard.type('|');
  const line = await page.locator('.cm-activeLine').textContent();
  await page.keyboard.press('Backspace');
  return line ?? '';
}

/** True when a part of the text is visible without scrolling the page or the text. */
async function isShown(part: string): Promise<boolean> {
  const line = await page.locator('.cm-line', { hasText: part }).first().boundingBox();
  const scroller = await page.locator('.cm-scroller').boundingBox();
  if (line === null || scroller === null) return false;
  const isInside = line.y >= scroller.y && line.y + line.height <= scroller.y + scroller.height;
  return isInside && line.y >= 0 && line.y + line.height <= (page.viewportSize()?.height ?? 0);
}

/** The list ignores keys for a moment, so that nobody takes what only just appeared. */
async function take(): Promise<void> {
  await page.waitForTimeout(150);
  await page.keyboard.press('Enter');
}

/** Puts the cursor at the end of a text, and types there. */
async function typeBehind(before: string, typed: string): Promise<void> {
  await textbox().fill(before);
  await textbox().press('Control+End');
  await page.keyboard.type(typed);
}

describe.skipIf(CHROMIUM === undefined)('the editor of the console', () => {
  beforeAll(async () => {
    const directory = temporaryDirectory();
    await putPress(directory, FIELDS);
    const plugins = [EXAMPLE_PLUGINS, path.join(directory, 'plugins')];
    daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins });
    await daemon.send('POST', PERSONS, { body: person('edited', { age: 5 }) });
    for (const name of ['wu', 'anders', 'wurst'])
      await daemon.send('POST', WRITERS, { body: { metadata: { name }, spec: {} } });
    await daemon.send('POST', ARTICLES, { body: { metadata: { name: 'news' }, spec: {} } });
    ({ context, page, followed } = await openTab());
  }, 180_000);
  afterAll(() => closeAll(context, daemon));

  it('offers the fields that are not there yet, with what the schema says of them', async () => {
    await open(PERSON, 'edited');
    await typeBehind('metadata:\n  name: edited\nspec:\n  name: Ed\n', '  a');
    await expect.poll(() => offered().allTextContents()).toEqual(['addressobject', 'ageinteger']);
    await page.waitForTimeout(150);
    await page.keyboard.press('ArrowDown');
    await expect
      .poll(() => page.locator('.cm-completionInfo').textContent())
      .toMatch(/age.*Age in years.*at most 150/);
    expect(await lookAt(page, 'console-editor-completion')).toEqual([]);
    await take();
    await page.keyboard.type('7');
    expect(await shown()).toMatch(/ {2}name: Ed\n {2}age: 7$/);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Space');
    await expect.poll(() => offered().count()).toBeGreaterThan(4);
    const names = (await offered().allTextContents()).join();
    expect(names).toContain('email');
    expect(names).not.toMatch(/\bage|\bname/);
    await page.keyboard.press('Escape');
    await expect.poll(() => offered().count()).toBe(0);
  });

  it('leads into objects and arrays, and follows references of a schema', async () => {
    await open(PERSON, 'edited');
    await typeBehind('spec:\n  name: Ed\n', '  addr');
    await expect.poll(() => offered().count()).toBe(1);
    await take();
    await page.keyboard.type('ci');
    await expect.poll(() => offered().allTextContents()).toEqual(['citystring']);
    await take();
    await page.keyboard.type('Ulm');
    expect(await shown()).toMatch(/ {2}address:\n {4}city: Ulm$/);
    await open(ARTICLE, 'news');
    await typeBehind('spec:\n', '  par');
    await expect.poll(() => offered().count()).toBe(1);
    await take();
    await page.keyboard.type('hea');
    await expect.poll(() => offered().allTextContents()).toEqual(['headingstring']);
    await page.keyboard.press('Escape');
    await typeBehind('spec:\n  shape:\n', '    ra');
    await expect.poll(() => offered().allTextContents()).toEqual(['radiusnumber']);
    await page.keyboard.press('Escape');
  });

  it('offers the values that a field can have, quoted where they would be read as something else', async () => {
    await open(ARTICLE, 'news');
    await typeBehind('spec:\n', '  state: ');
    await page.keyboard.press('Control+Space');
    await expect.poll(() => offered().allTextContents()).toEqual(['"true"', 'DONE', 'NEW']);
    await page.keyboard.press('Escape');
    await page.keyboard.type('D');
    await expect.poll(() => offered().allTextContents()).toEqual(['DONE']);
    await take();
    await page.keyboard.type('\n');
    await typeBehind('spec:\n  topics:\n', '  - s');
    await expect.poll(() => offered().allTextContents()).toEqual(['sport']);
    await take();
    expect(await shown()).toMatch(/- sport$/);
  });

  it('offers the names that a reference can have', async () => {
    await open(ARTICLE, 'news');
    await typeBehind('spec:\n', '  writer: wu');
    await page.keyboard.press('Control+Space');
    await expect.poll(() => offered().allTextContents()).toEqual(['wu', 'wurst']);
    await page.keyboard.press('Escape');
  });

  it('loses no letter of those who type faster than the page can follow', async () => {
    await open(ARTICLE, 'news');
    await textbox().fill('spec:\n  writer: ');
    await textbox().press('Control+End');
    const cdp = await context.newCDPSession(page);
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 8 });
    const typed = 'abcdefghij'.repeat(12);
    // Each letter comes a little later after the one before, so that some come while the page follows.
    await page.evaluate(`(async () => {
      for (const [i, letter] of [...'${typed}'].entries()) {
        document.execCommand('insertText', false, letter);
        const until = performance.now() + (i % 12);
        while (performance.now() < until) await new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = resolve; port2.postMessage(0); });
      }
    })()`);
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await expect.poll(shown).toBe(`spec:\n  writer: ${typed}`);
    await expect.poll(() => page.getByRole('button', { name: 'Discard changes' }).isEnabled()).toBe(true);
    await cdp.detach();
  });

  it('describes the field under the pointer, and at the cursor', async () => {
    await open(ARTICLE, 'news');
    await textbox().fill('spec:\n  shape:\n    radius: 3\n  state: NEW\n');
    await page.getByText('radius', { exact: true }).hover();
    const tooltip = page.locator('.cm-tooltip-hover');
    await expect.poll(() => tooltip.textContent()).toMatch(/spec\.shape\.radius.*number.*at least 2/);
    await page.mouse.move(0, 0);
    await page.getByText('state', { exact: true }).click();
    await expect
      .poll(() => note().textContent())
      .toMatch(/spec\.state.*string.*How far it is.*one of NEW, DONE/);
    expect(await lookAt(page, 'console-editor-documentation')).toEqual([]);
  });

  it('each violation leads to its line, by mouse and by keyboard, and one of a missing field to what it is missing in', async () => {
    await open(PERSON, 'edited');
    const head = 'apiVersion: demo.example.com/v1alpha1\nkind: Person\nmetadata:\n  name: edited\n';
    const long = Array.from({ length: 120 }, (_, i) => `  # line ${i}`).join('\n');
    await textbox().fill(
      `${head}  labels:\n    a.b/c: "no label!"\nspec:\n${long}\n  age: 500\n  tags: [ok, 7]\n`,
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await problem(/^spec\.age /).click();
    expect(await cursorLine()).toBe('  |age: 500');
    await expect.poll(() => isShown('age: 500')).toBe(true);
    await problem(/^spec\.tags\[1\] /).press('Enter');
    expect(await cursorLine()).toBe('  tags: [ok, |7]');
    await problem(/^metadata\.labels\.a\.b\/c /).press('Space');
    expect(await cursorLine()).toBe('    |a.b/c: "no label!"');
    await problem(/^spec\.name /).press('Enter');
    expect(await cursorLine()).toBe('|spec:');
    await expect.poll(() => isShown('spec:')).toBe(true);
    // Typed text moves the lines, and the link leads to the line in the current text.
    await page.keyboard.insertText('# one more\n');
    await problem(/^spec\.age /).click();
    expect(await cursorLine()).toBe('  |age: 500');
    expect(await lookAt(page, 'console-editor-violations')).toEqual([]);
  });

  it('each syntax error leads to its place', async () => {
    await open(PERSON, 'edited');
    await textbox().fill('spec:\n  name: Ed\n  age: 5\n  tags: {a: }}\n');
    await problem(/^Line 4: /)
      .first()
      .press('Enter');
    expect(await cursorLine()).toBe('  tags: {a: }|}');
    expect(await lookAt(page, 'console-editor-syntax')).toEqual([]);
  });

  it('in the form, each violation leads to its input, or to the nearest field that is shown', async () => {
    await open(PERSON, 'edited');
    await textbox().fill(
      'apiVersion: demo.example.com/v1alpha1\nkind: Person\nmetadata: {name: edited, labels: {l: "no label!"}}\nspec:\n  age: 500\n  address: {city: 7, planet: x}\n',
    );
    await page.getByRole('link', { name: 'Form', exact: true }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const named = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
    for (const [field, name] of [
      ['spec.age', 'Age'],
      ['spec.name', 'Name'],
      ['spec.address.city', 'City'],
      ['metadata.labels.l', 'Labels l'],
    ] as const) {
      await problem(new RegExp(`^${field.replaceAll('.', '\\.')} `)).press('Enter');
      expect(await named(), field).toBe(name);
    }
    expect(await lookAt(page, 'console-form-violations')).toEqual([]);
  });

  it('finds, goes on with F3, replaces, and goes to a line', async () => {
    await open(PERSON, 'edited');
    await textbox().fill('spec:\n  name: Ed\n  age: 5\n  email: Ed@example.com\n');
    await textbox().press('Control+Home');
    await page.keyboard.press('Control+f');
    const find = page.getByRole('textbox', { name: 'Find' });
    await find.pressSequentially('Ed');
    await find.press('Enter');
    expect(await page.locator('.cm-searchMatch-selected').textContent()).toBe('Ed');
    expect(await page.locator('.cm-activeLine').textContent()).toBe('  name: Ed');
    expect(await page.locator('.cm-searchMatch').count()).toBe(2);
    expect(await lookAt(page, 'console-editor-search')).toEqual([]);
    await page.keyboard.press('F3');
    expect(await page.locator('.cm-activeLine').textContent()).toBe('  email: Ed@example.com');
    await page.keyboard.press('Control+g');
    expect(await page.locator('.cm-activeLine').textContent()).toBe('  name: Ed');
    await page.getByRole('textbox', { name: 'Replace with' }).fill('Eddy');
    await page.getByRole('button', { name: 'Replace all' }).click();
    expect(await shown()).toContain('name: Eddy\n  age: 5\n  email: Eddy@example.com');
    await page.keyboard.press('Escape');
    expect(await find.count()).toBe(0);
    expect(await hasFocus()).toBe(true);
    await page.keyboard.press('Alt+g');
    const line = page.getByRole('textbox', { name: 'Go to line' });
    expect(await lookAt(page, 'console-editor-line')).toEqual([]);
    await line.fill('3');
    await line.press('Enter');
    await expect.poll(hasFocus).toBe(true);
    expect(await cursorLine()).toBe('|  age: 5');
    await page.keyboard.press('Alt+g');
    await page.keyboard.press('Escape');
    await expect.poll(hasFocus).toBe(true);
  });

  it('labels its search in the language of the page', async () => {
    await open(PERSON, 'edited');
    await textbox().press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).waitFor();
    await chooseLanguage(page, 'de');
    await expect.poll(() => page.locator('.cm-search').count()).toBe(0);
    await textbox().press('Control+f');
    const panel = page.locator('.cm-search');
    await page.getByRole('textbox', { name: 'Suchen' }).waitFor();
    for (const said of ['Weiter', 'Zurück', 'Ganze Wörter', 'Alle ersetzen'])
      expect(await panel.textContent()).toContain(said);
    await textbox().press('Alt+g');
    await page.getByRole('textbox', { name: 'Gehe zu Zeile' }).press('Escape');
    await chooseLanguage(page, 'en');
  });

  it('stays what it is when the language changes, and when it may not be changed any more', async () => {
    const marks = () => page.locator('.cm-lintRange').allTextContents();
    await open(PERSON, 'edited');
    await page
      .locator('.cm-line')
      .filter({ hasText: /age: 5/ })
      .click();
    await page.keyboard.press('End');
    await page.keyboard.type('00');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(marks).toEqual(['  age: 500']);
    await chooseLanguage(page, 'de');
    await page.getByRole('button', { name: 'Speichern' }).waitFor();
    expect(await marks()).toEqual(['  age: 500']);
    await chooseLanguage(page, 'en');
    await page.getByRole('button', { name: 'Save' }).waitFor();
    // Where the cursor was is known again a moment after the text has the focus.
    await textbox().focus();
    await page.locator('.cm-focused').waitFor();
    await textbox().press('ArrowLeft');
    // The refused save has led to the field.
    expect(await cursorLine()).toBe(' | age: 500');
    for (let i = 0; i < 4; i++) await page.keyboard.press('Control+z');
    await expect.poll(shown).toMatch(/age: 5$/m);
    for (let i = 0; i < 4; i++) await page.keyboard.press('Control+y');
    await expect.poll(shown).toMatch(/age: 500$/m);
    // Rights are read again as soon as something is refused.
    await page.route('**/selfsubjectrulesreviews', (route) =>
      route.fulfill({ status: 201, json: { status: { resourceRules: [] } } }),
    );
    await page.route('**/persons/edited?*', (route) =>
      route.fulfill({ status: 403, json: { kind: 'Status', message: 'not any more', reason: 'Forbidden' } }),
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('You may view this object').waitFor();
    await textbox().press('ArrowLeft');
    await page.keyboard.insertText('a\nb');
    await page.keyboard.press('Control+z');
    expect(await shown()).toMatch(/age: 500$/m);
    expect(await page.locator('.cm-activeLine').textContent()).toBe('  age: 500');
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
  });

  /** Milliseconds until a word is found behind so many lines. */
  async function msToFind(count: number): Promise<number> {
    const lines = Array.from(
      { length: count },
      (_, i) => `# a line of some fifty letters, and its number is ${i}`,
    );
    await textbox().fill(`spec:\n${lines.join('\n')}\n  name: needle\n`);
    await textbox().press('Control+Home');
    await expect.poll(() => page.locator('.cm-activeLine').textContent()).toBe('spec:');
    await page.keyboard.press('Control+f');
    const find = page.getByRole('textbox', { name: 'Find' });
    await find.fill('');
    const began = performance.now();
    await find.pressSequentially('needle');
    await find.press('Enter');
    await expect
      .poll(() => page.locator('.cm-activeLine').textContent(), { interval: 10 })
      .toBe('  name: needle');
    const ms = performance.now() - began;
    await page.keyboard.press('Escape');
    return ms;
  }

  it('finds at once in a text of 1 MB', async () => {
    await open(PERSON, 'edited');
    const few = [await msToFind(5)];
    const many = await msToFind(20_000);
    few.push(await msToFind(5));
    console.info(`found in ${many.toFixed(0)} ms, in a few lines in ${few.map(Math.round).join(' and ')} ms`);
    // Ten times what is expected, on a machine as busy as this one is now.
    expect(many).toBeLessThan(100 * Math.max(...few));
    await textbox().fill('spec: {}\n');
  });

  it('kept to the policy of the page, and had nothing to complain about', () => {
    expect(followed.complaints).toEqual([]);
  });
});
