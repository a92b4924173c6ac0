import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { person, PERSONS } from '../../helpers/http.js';
import { ARTICLES, WRITERS } from '../../helpers/press.js';
import { createPersons, listOf, PERSON_LIST, personAt, useJourneys } from './journeys.js';

const { journey } = useJourneys();

const ROLE = 'access.platform.run/v1alpha1/roles';
const ARTICLE_LIST = '#/models/press.example.com/v1/articles';

const PAPERS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'papers.paper.example.com' },
  spec: {
    group: 'paper.example.com',
    scope: 'Cluster',
    names: { plural: 'papers', kind: 'Paper' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schemaOfPapers() } }],
  },
};

function schemaOfPapers(): object {
  const text = { type: 'string', 'x-xsvc-console': { widget: 'markdown' } };
  return { type: 'object', properties: { spec: { type: 'object', properties: { text } } } };
}

const HOSTILE = [
  '# Head',
  '<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](https://example.com/b)',
  '![c](https://example.com/c.png) <script>alert(2)</script>',
].join('\n\n');

const form = (page: Page): Locator => page.getByRole('group', { name: 'Form', exact: true });
const field = (page: Page, name: string): Locator => form(page).getByRole('textbox', { name, exact: true });
const hasFocus = async (page: Page, input: Locator): Promise<boolean> =>
  (await input.and(page.locator(':focus')).count()) === 1;

/** True when all of it is visible: within the window, and above the bar. */
async function isInSight(page: Page, shown: Locator): Promise<boolean> {
  const [box, bar] = [await shown.boundingBox(), await page.locator('.edit-bar').boundingBox()];
  return box !== null && bar !== null && box.y >= 0 && box.y + box.height <= bar.y;
}

describe('the form of an object', () => {
  journey('leads to the field that the service refuses', async ({ page, open, create, press }) => {
    const tags = Array.from({ length: 15 }, (_, i) => `tag-${i}`);
    await create(PERSONS, person('far', { age: 1, tags }));
    await open(`${PERSON_LIST}/far`);
    await field(page, 'Age').fill('-4');
    await field(page, 'Tags 15').fill('last');
    await field(page, 'Tags 15').press('Control+s');
    await page.locator('.edit-bar').getByText('2 changes').waitFor();
    await expect.poll(() => hasFocus(page, field(page, 'Age'))).toBe(true);
    expect(await isInSight(page, field(page, 'Age'))).toBe(true);
    await page.getByRole('button', { name: '1 problem' }).waitFor();
    await press('Discard changes');
  });

  journey('has arrays in the items of arrays', async ({ page, open, press, objectAt }) => {
    await open(`#/create/${ROLE}`);
    await field(page, 'Name').fill('nested');
    await press('Add to Rules');
    await press('Add to Verbs');
    await expect.poll(() => hasFocus(page, field(page, 'Verbs 1'))).toBe(true);
    await page.keyboard.type('get');
    await press('Add to Verbs');
    await page.keyboard.type('list');
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => field(page, 'Verbs 1').inputValue()).toBe('list');
    await press('Add to Resources');
    await page.keyboard.type('persons');
    await press('Save');
    await page.getByRole('heading', { name: 'nested', exact: true }).waitFor();
    const { rules } = (await objectAt(`/apis/${ROLE}/nested`)) as unknown as { rules: unknown };
    expect(rules).toMatchObject([{ verbs: ['list', 'get'], resources: ['persons'] }]);
  });

  journey('marks a text in Markdown, and previews it without running it', async (walk) => {
    const { page, open, create, press, objectAt } = walk;
    await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', PAPERS);
    await create('/apis/paper.example.com/v1/papers', {
      metadata: { name: 'first' },
      spec: { text: 'one two' },
    });
    await open('#/models/paper.example.com/v1/papers/first');
    const text = field(page, 'Text');
    await text.press('Control+End');
    await text.press('Control+Shift+ArrowLeft');
    await text.press('Control+b');
    await expect.poll(() => text.inputValue()).toBe('one **two**');
    await press('Bold');
    await expect.poll(() => text.inputValue()).toBe('one two');
    await press('List');
    await expect.poll(() => text.inputValue()).toBe('- one two');
    await expect.poll(() => hasFocus(page, text)).toBe(true);
    await text.fill(HOSTILE);
    await press('Preview Text');
    const preview = form(page).getByRole('group', { name: 'Text', exact: true });
    await preview.getByText('Head', { exact: true }).waitFor();
    expect(await preview.textContent()).toContain('<img src=x onerror=alert(1)>');
    expect(await preview.locator('img, script').count()).toBe(0);
    const links = await preview.getByRole('link').all();
    const targets = await Promise.all(links.map((one) => one.getAttribute('href')));
    expect(targets).toEqual(['https://example.com/b', 'https://example.com/c.png']);
    await press('Save');
    await expect
      .poll(async () => (await objectAt('/apis/paper.example.com/v1/papers/first')).spec)
      .toEqual({ text: HOSTILE });
    await press('Preview Text');
    await text.fill('>'.repeat(20_000));
    await press('Preview Text');
    await expect.poll(async () => (await preview.textContent())?.length).toBeGreaterThan(10_000);
    await press('Discard changes');
    // The managers of fields are those of the service: nobody edits them, and they are in no conflict.
    await open('#/models/paper.example.com/v1/papers/first/yaml');
    const yaml = page.getByRole('textbox', { name: 'YAML' });
    await expect.poll(() => yaml.textContent()).toContain('Head');
    expect(await yaml.textContent()).not.toContain('managedFields');
    const { metadata } = await objectAt('/apis/paper.example.com/v1/papers/first');
    expect(metadata).toHaveProperty('managedFields');
    await open('#/models/paper.example.com/v1/papers/first/status');
    const managers = page.locator('dd', { has: page.getByText(/ · Update · /) });
    await managers.locator('summary').last().click();
    await managers.getByText('spec.text', { exact: true }).waitFor();
  });

  journey('finds a reference by its title, and makes a new one in place', async (walk) => {
    const { page, open, create, press, dialog, objectAt } = walk;
    await create(WRITERS, { metadata: { name: 'w-1815' }, spec: { title: 'Ada Lovelace' } });
    await create(ARTICLES, { metadata: { name: 'titled' }, spec: {} });
    await open(`${ARTICLE_LIST}/titled`);
    const writer = form(page).getByRole('combobox', { name: 'Writer', exact: true });
    await writer.fill('lovelace');
    await page.getByRole('option', { name: 'w-1815' }).click();
    await expect.poll(() => writer.inputValue()).toBe('w-1815');
    await page.getByRole('link', { name: 'Open Ada Lovelace' }).waitFor();
    await form(page).getByRole('button', { name: 'Create new' }).last().click();
    const made = dialog('Create Writer');
    await made.getByRole('textbox', { name: 'Name', exact: true }).fill('w-new');
    await made.getByRole('textbox', { name: 'Title', exact: true }).fill('New Writer');
    await made.getByRole('button', { name: 'Create' }).click();
    const editor = form(page).getByRole('combobox', { name: 'Editor', exact: true });
    await expect.poll(() => editor.inputValue()).toBe('w-new');
    await press('Save');
    await expect
      .poll(async () => (await objectAt(`${ARTICLES}/titled`)).spec)
      .toEqual({ writer: 'w-1815', editor: 'w-new' });
    expect((await objectAt(`${WRITERS}/w-new`)).spec).toEqual({ title: 'New Writer' });
  });

  journey('shows long arrays some items at a time, and saves what was typed last', async (walk) => {
    const { page, open, create, press, objectAt } = walk;
    await create(PERSONS, person('long', { tags: Array.from({ length: 45 }, (_, i) => `t-${i}`) }));
    await open(`${PERSON_LIST}/long`);
    await page.getByText('1–20 of 45').waitFor();
    expect(await field(page, 'Tags 21').count()).toBe(0);
    await press('Next items of Tags');
    await press('Next items of Tags');
    await page.getByText('41–45 of 45').waitFor();
    await field(page, 'Tags 45').fill('');
    await field(page, 'Tags 45').pressSequentially('typed fast');
    await press('Save');
    await expect
      .poll(async () => ((await objectAt(personAt('long'))).spec['tags'] as string[]).at(-1))
      .toBe('typed fast');
  });
});

describe('an object over its list', () => {
  journey(
    'is edited there, with its neighbours a step away',
    async ({ page, daemon, open, press, objectAt }) => {
      await createPersons(daemon, 'over', 3, (i) => ({ age: i }));
      await open(listOf('over', { sort: 'metadata.name,asc', open: 'over-01' }));
      const drawer = page.getByRole('complementary', { name: 'Object' });
      await drawer.getByRole('heading', { name: 'over-01', exact: true }).waitFor();
      await expect.poll(() => field(page, 'Age').inputValue()).toBe('1');
      await drawer.getByRole('link', { name: 'Next object' }).click();
      await drawer.getByRole('heading', { name: 'over-02', exact: true }).waitFor();
      await expect.poll(() => field(page, 'Age').inputValue()).toBe('2');
      await field(page, 'Age').fill('20');
      await drawer.getByRole('link', { name: 'Previous object' }).click();
      await expect.poll(() => field(page, 'Age').inputValue()).toBe('1');
      await drawer.getByRole('link', { name: 'Next object' }).click();
      await expect.poll(() => field(page, 'Age').inputValue()).toBe('20');
      await press('Save');
      await expect.poll(async () => (await objectAt(personAt('over-02'))).spec['age']).toBe(20);
      await drawer.getByRole('link', { name: 'History' }).click();
      await drawer.getByRole('button', { name: 'Edit' }).waitFor();
      await drawer.getByRole('link', { name: 'Close' }).click();
      await drawer.waitFor({ state: 'detached' });
      expect(page.url()).not.toContain('open=');
    },
  );

  journey('is duplicated without its name', async ({ page, open, create, press, objectAt }) => {
    await create(PERSONS, person('original', { age: 7 }));
    await open(`${PERSON_LIST}/original`);
    await press('More actions');
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'Create Person' }).waitFor();
    await expect.poll(() => field(page, 'Age').inputValue()).toBe('7');
    const name = field(page, 'Object name');
    expect(await name.inputValue()).toBe('');
    await name.fill('copied');
    await press('Save');
    await page.getByRole('heading', { name: 'copied', exact: true }).waitFor();
    expect((await objectAt(personAt('copied'))).spec['age']).toBe(7);
  });
});
