import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../../helpers/browser.js';
import { closeAll, openTab, type Tab } from '../../helpers/console.js';
import { startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { define, DEFINITIONS } from '../../helpers/definitions.js';
import type { Json } from '../../helpers/http.js';
import { temporaryDirectory } from '../../helpers/store.js';

const TASKS = '/apis/task.example.com/v1/tasks';
const FLOWER_LIST = '/apis/garden.example.com/v1/flowers';

/** A definition with fields in its `spec`. */
function definition(group: string, names: { plural: string; kind: string }, spec: object): object {
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, scope: 'Cluster', names, versions },
  };
}

const FLOWERS = definition(
  'garden.example.com',
  { plural: 'flowers', kind: 'Flower' },
  { type: 'object', properties: { colour: { type: 'string' }, height: { type: 'integer' } } },
);
/** A person needs two seconds for a click, and types four characters in one. */
const CLICK_S = 2;
const CHARACTER_S = 0.25;

let daemon: DaemonProcess;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  const directory = temporaryDirectory();
  daemon = await startDaemonProcess({ dataDir: path.join(directory, 'data'), plugins: [] });
  tab = await openTab();
  page = tab.page;
});
afterAll(() => (CHROMIUM === undefined ? undefined : closeAll(tab.context, daemon)));

const journey = it.skipIf(CHROMIUM === undefined);
const open = (hash: string) => page.goto(`${daemon.url}/console/${hash}`);
const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
const typeButton = (name: string): Locator =>
  page.getByRole('group', { name: 'Add a field', exact: true }).getByRole('button', { name, exact: true });
const get = async (url: string): Promise<Json> => (await daemon.get(url)).json();

/** Counts the steps of a person, and the time that they need. */
class Steps {
  clicks = 0;
  characters = 0;

  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click();
  }

  async type(text: string): Promise<void> {
    this.characters += text.length;
    await page.keyboard.type(text);
  }

  async press(key: string): Promise<void> {
    this.characters++;
    await page.keyboard.press(key);
  }

  async addField(type: string, label: string): Promise<void> {
    await this.click(typeButton(type));
    await this.type(label);
  }

  get seconds(): number {
    return this.clicks * CLICK_S + this.characters * CHARACTER_S;
  }
}

describe('the model builder', () => {
  journey(
    'leads from an empty service to a model with five fields, a reference and ten objects',
    async () => {
      const steps = new Steps();
      await open('#/models');
      await steps.click(page.getByRole('link', { name: 'New model', exact: true }));
      await steps.click(page.getByLabel('What is one object called?'));
      await steps.type('Task');
      await steps.addField('Text', 'Title');
      await steps.addField('Long text', 'Details');
      await steps.addField('Choice', 'State');
      await steps.press('Tab');
      await steps.press('Tab');
      await steps.type('open,done,');
      await steps.addField('Date', 'Due');
      await steps.addField('Yes or no', 'Urgent');
      await steps.addField('Reference', 'After');
      await steps.click(page.getByLabel('Refers to'));
      await page.getByLabel('Refers to').selectOption({ label: 'Task (this model)' });
      await steps.click(button('Save'));
      await page.getByRole('heading', { name: /^tasks$/i }).waitFor();
      await expect.poll(async () => (await daemon.get(TASKS)).status).toBe(200);

      for (let i = 0; i < 10; i++) await createTask(steps, i);
      const { items } = await get(TASKS);
      expect(items.map(({ spec }) => spec['title']).sort()).toEqual(
        Array.from({ length: 10 }, (_, i) => `Task ${i}`),
      );
      expect(steps.seconds).toBeLessThan(180);
      expect(tab.followed.complaints).toEqual([]);
    },
  );

  /** Creates a task by its form, from the list. */
  async function createTask(steps: Steps, i: number): Promise<void> {
    if (i === 0) await steps.click(page.getByRole('link', { name: 'Create the first task', exact: true }));
    else {
      await steps.click(page.getByRole('link', { name: /^tasks$/i }).first());
      await steps.click(button('Create'));
    }
    await page.getByRole('heading', { name: 'Create Task', exact: true }).waitFor();
    await steps.click(page.getByRole('textbox', { name: /^name$/i }));
    await steps.type(`t${i}`);
    await steps.click(page.getByRole('textbox', { name: /^title$/i }));
    await steps.type(`Task ${i}`);
    await steps.press('Control+s');
    await expect.poll(() => page.url()).not.toContain('#/create');
  }

  journey('keeps what was typed when the page is loaded again, until it is discarded', async () => {
    await open('#/builder');
    await page.getByLabel('What is one object called?').fill('🦊 Fuchs');
    await typeButton('Number').click();
    await page.keyboard.type('Size');
    await page.reload();
    await expect.poll(() => page.getByLabel('What is one object called?').inputValue()).toBe('🦊 Fuchs');
    await page.getByRole('button', { name: 'Size Number' }).waitFor();
    await button('Discard changes').click();
    await page.getByRole('button', { name: 'Size Number' }).waitFor({ state: 'detached' });
    await button('Undo').click();
    await page.getByRole('button', { name: 'Size Number' }).waitFor();
    await button('Discard changes').click();
  });

  journey('shows refusals of the service at the field that causes them', async () => {
    await open('#/builder');
    await page.getByLabel('What is one object called?').fill('Odd');
    await typeButton('Text').click();
    await page.keyboard.type('Code');
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('Pattern', { exact: true }).fill('(');
    await button('Save').click();
    await expect
      .poll(() => page.getByLabel('Pattern', { exact: true }).getAttribute('aria-invalid'))
      .toBe('true');
    await page.getByText('regular expression').first().waitFor();
    await page.getByLabel('Pattern', { exact: true }).fill('');
    await page.getByText('Details').first().click();
    await page.getByLabel('Plural', { exact: true }).fill('tasks');
    await page.getByLabel('Group', { exact: true }).fill('task.example.com');
    await button('Save').click();
    await expect
      .poll(() => page.getByLabel('Plural', { exact: true }).getAttribute('aria-invalid'))
      .toBe('true');
    await button('Discard changes').click();
  });

  journey('says before a change which objects would be invalid, and what is lost', async () => {
    await define(daemon, FLOWERS);
    for (let i = 0; i < 12; i++)
      await daemon.send('POST', FLOWER_LIST, { body: { metadata: { name: `f${i}` }, spec: { height: i } } });
    await open('#/builder/flowers.garden.example.com');
    await page.getByRole('heading', { name: 'Edit Flower' }).waitFor();
    await page.getByRole('button', { name: 'Colour Text' }).click();
    await page.getByLabel('Required').check();
    await button('Remove Height').click();
    await button('Save').click();
    const asked = page.getByRole('dialog', { name: 'Change Flower?' });
    await expect
      .poll(() => asked.textContent())
      .toMatch(/Height \(height\) is removed.*12 objects would be invalid/s);
    expect(await asked.getByRole('link').count()).toBe(10);
    await button('Save anyway').click();
    await page.getByRole('heading', { name: /^flowers$/i }).waitFor();
    const stored = JSON.stringify(await get(`${DEFINITIONS}/flowers.garden.example.com`));
    expect(stored).toContain('"required":["colour"]');
    expect(stored).not.toContain('height');
  });

  journey('keeps parts that it does not draw', async () => {
    const odd = {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      },
      'x-kubernetes-validations': [{ rule: "self.a != 'x'", message: 'not x' }],
    };
    const made = await define(daemon, definition('odd.example.com', { plural: 'odds', kind: 'Odd' }, odd));
    expect(made.status).toBe(201);
    await open('#/builder/odds.odd.example.com');
    await page.getByRole('button', { name: 'B Kept as YAML' }).click();
    await page.getByRole('link', { name: 'Open the YAML' }).waitFor();
    await typeButton('Colour').click();
    await page.keyboard.type('Tint');
    await button('Save').click();
    await page.getByRole('heading', { name: /^odds$/i }).waitFor();
    const { spec: stored } = await get(`${DEFINITIONS}/odds.odd.example.com`);
    const [{ schema }] = stored['versions'] as [
      { schema: { openAPIV3Schema: { properties: { spec: typeof odd } } } },
    ];
    expect(schema.openAPIV3Schema.properties.spec).toMatchObject(odd);
  });

  journey('keeps titles in other languages, which the console displays', async () => {
    const colour = {
      type: 'string',
      'x-xsvc-console': { titles: { de: 'Farbton' }, descriptions: { de: 'Wie es aussieht.' } },
    };
    const shells = definition(
      'sea.example.com',
      { plural: 'shells', kind: 'Shell' },
      { type: 'object', properties: { colour } },
    ) as {
      spec: { versions: { schema: { openAPIV3Schema: object }; additionalPrinterColumns?: object[] }[] };
    };
    const [version] = shells.spec.versions;
    if (version === undefined) throw new Error('no version');
    version.schema.openAPIV3Schema = {
      ...version.schema.openAPIV3Schema,
      'x-xsvc-console': { titles: { de: 'Muscheln' } },
    };
    version.additionalPrinterColumns = [{ name: 'Colour', type: 'string', jsonPath: '.spec.colour' }];
    expect((await define(daemon, shells)).status).toBe(201);
    await open('#/builder/shells.sea.example.com');
    await page.getByRole('button', { name: 'Colour Text' }).click();
    await page.getByText('More', { exact: true }).click();
    await page.getByText('In other languages: de: Farbton').waitFor();
    await typeButton('Number').click();
    await page.keyboard.type('Width');
    await button('Save').click();
    await page.getByRole('heading', { name: /^shells$/i }).waitFor();
    const stored = JSON.stringify(await get(`${DEFINITIONS}/shells.sea.example.com`));
    expect(stored).toContain('"titles":{"de":"Farbton"},"descriptions":{"de":"Wie es aussieht."}');
    expect(stored).toContain('"titles":{"de":"Muscheln"}');

    await button('User').click();
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Muscheln', exact: true }).waitFor();
    await page
      .getByRole('navigation', { name: 'Modelle' })
      .getByRole('link', { name: /^Muscheln/ })
      .waitFor();
    await page.goto(`${daemon.url}/console/#/create/sea.example.com/v1/shells`);
    await page.getByLabel('Farbton').waitFor();
    await page.getByText('Wie es aussieht.').waitFor();
    await page.goto(`${daemon.url}/console/#/builder/shells.sea.example.com`);
    await page.getByRole('region', { name: 'Vorschau' }).getByLabel('Farbton').waitFor();
    await page.goto(`${daemon.url}/console/#/models/access.platform.run/v1alpha1/rolebindings`);
    await page.getByRole('heading', { name: 'Rollenbindungen', exact: true }).waitFor();
    await button('Benutzer').click();
    await page.getByRole('combobox', { name: 'Sprache' }).selectOption('English');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Role bindings', exact: true }).waitFor();
  });

  journey('installs an example with one click, and takes it back', async () => {
    await open('#/builder?example=shop');
    await button('Install Small shop').click();
    await page.getByRole('heading', { name: /^products$/i }).waitFor();
    await expect.poll(async () => (await get('/apis/shop.example.com/v1/products')).items.length).toBe(7);
    const said = page.getByText('Small shop is installed.');
    await said.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await daemon.get('/apis/shop.example.com/v1/products')).status).toBe(404);
  });
});
